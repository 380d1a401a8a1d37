import { useQuery } from "@tanstack/react-query";
import { useContext } from "react";
import { limitPage } from "../../core/derive/http/list-query.ts";
import type { EntityJson, OverlapRuleJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient, useLocale } from "../app/app-context.tsx";
import { SiblingValuesProvider } from "../field/control/sibling-values.tsx";
import { useShortTexts } from "../field/short-texts.ts";
import { getValue } from "../format/record-values.ts";
import { useWords } from "../i18n/words.tsx";
import { findListScreen, recordAddress } from "../routing/routes.ts";
import { Link } from "../ui/link.tsx";
import { overlapQueries } from "./state/overlaps.ts";
import "./overlapped-records.css";

/** Maximum number of records that are named. */
const MOST = 3;

/** So many are read, because the list contains also records that the rule leaves out, such as cancelled ones. */
const READ = 20;

interface OverlapProps {
  readonly entity: EntityJson;
  /** The refused record as it would be. */
  readonly valueAt: (field: string) => Json | undefined;
  /** Id of the refused record; null for a new one. */
  readonly except: string | null;
}

/**
 * The records with which a refused one would overlap, if the clause that refuses it is about that. They are read with an
 * ordinary list, so they are those that the person can read anyway.
 */
export const OverlappedRecords = ({ clause, ...props }: OverlapProps & { readonly clause: string | null }) => {
  const rule = props.entity.overlaps?.find((one) => one.clause === clause);
  const { screens } = useApplication();
  if (rule === undefined) return null;
  const endless = props.entity.fields.some(({ name, optional }) => name === rule.to && optional);
  const queries = overlapQueries(rule, props.valueAt, { limit: limitPage(screens, READ), endless });
  return queries.length > 0 ? <Overlapped {...props} rule={rule} queries={queries} /> : null;
};

const Overlapped = ({
  entity,
  except,
  rule,
  queries,
}: OverlapProps & { readonly rule: OverlapRuleJson; readonly queries: readonly URLSearchParams[] }) => {
  const { calls } = useClient();
  const { rich } = useWords();
  const { screens } = useApplication();
  const { today } = useLocale();
  const { data: found = [] } = useQuery({
    queryKey: keys.overlapped(entity.calls, queries.join(" ")),
    queryFn: async ({ signal }): Promise<readonly RecordJson[]> => {
      const [{ meetsCondition }, ...lists] = await Promise.all([
        import("./state/computed-values.ts"),
        ...queries.map((query) => calls.list(entity.calls, query, signal)),
      ]);
      return lists.flatMap(({ items }) => items.filter((record) => meetsCondition(entity, rule.where, record, today)));
    },
  });
  const nameOf = useOverlapNames(entity);
  return found
    .filter(({ id }) => id !== except)
    .slice(0, MOST)
    .map((record) => {
      const to = recordAddress(screens, entity.name, record.id);
      const name = nameOf(record, rule);
      return (
        <p key={record.id} className="overlapped">
          {rich("form.overlaps", { record: to === null ? <b>{name}</b> : <Link href={to}>{name}</Link> })}
        </p>
      );
    });
};

/** Names a record by the columns of its list, without what all of them have in common: “Hanna Weber, 1 Dec, 10:00–13:00”. */
export const useOverlapNames = (entity: EntityJson): ((record: RecordJson, rule: OverlapRuleJson) => string) => {
  const { screens } = useApplication();
  const texts = useShortTexts(entity);
  return (record, { same }) => {
    const columns = (findListScreen(screens, entity.name)?.columns ?? []).flatMap(
      (name) =>
        entity.fields.find((field) => field.name === name && field.type !== "state" && !same.includes(name)) ?? [],
    );
    const words = texts(columns, record).slice(0, 2);
    return words.map(({ shown }) => shown).join(", ") || (record._label ?? entity.one);
  };
};

/** As `OverlappedRecords`, for the record of the form around it. */
export const OverlappedByForm = ({ clause }: { readonly clause: string | null }) => {
  const { of, fieldValue } = useContext(SiblingValuesProvider);
  if (of === undefined) return null;
  const { entity, record } = of;
  const valueAt = (name: string) =>
    fieldValue(name) ?? (record ? (getValue(record, name) as Json | undefined) : undefined);
  return <OverlappedRecords entity={entity} clause={clause} valueAt={valueAt} except={record?.id ?? null} />;
};
