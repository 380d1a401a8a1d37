import { useQuery } from "@tanstack/react-query";
import { useContext, useEffect, useState } from "react";
import { limitPage } from "../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient, useLocale } from "../app/app-context.tsx";
import { SiblingValuesProvider } from "../field/control/sibling-values.tsx";
import { useShortTexts } from "../field/short-texts.ts";
import { getValue, initialValue } from "../format/record-values.ts";
import { useWords } from "../i18n/words.tsx";
import { findListScreen, recordAddress } from "../routing/routes.ts";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { useModuleIf } from "../util/use-module-if.ts";
import { findInitialState } from "../workflow/workflow.ts";
import { type CollisionRule, collisionQueries, collisionRules, isOverlapRule } from "./state/collisions.ts";
import "./colliding-records.css";

/** Maximum number of records that are named. */
const MOST = 3;

/** So many are read, because the list contains also records that the rule leaves out, such as cancelled ones. */
const READ = 20;

type ValueAt = (field: string) => Json | undefined;

interface CollidingProps {
  readonly entity: EntityJson;
  /** The refused record as it would be. */
  readonly valueAt: ValueAt;
  /** Id of the refused record; null for a new one. */
  readonly except: string | null;
}

/** The records in the way of another, by a rule. */
export interface Collisions {
  readonly entity: EntityJson;
  readonly rule: CollisionRule;
  readonly records: readonly RecordJson[];
}

/**
 * Finds the records in the way of another with an ordinary list, so they are those that the person can read anyway. Nothing
 * is asked without a rule.
 */
const useCollisions = (
  rule: CollisionRule | undefined,
  of: CollidingProps | undefined,
): { readonly found: Collisions | null; readonly isPending: boolean } => {
  const { calls } = useClient();
  const { screens } = useApplication();
  const { today } = useLocale();
  const queries =
    rule === undefined || of === undefined
      ? []
      : collisionQueries(of.entity, rule, of.valueAt, limitPage(screens, READ));
  const { data, isLoading } = useQuery({
    queryKey: keys.colliding(of?.entity.calls ?? "", queries.join(" ")),
    queryFn: async ({ signal }): Promise<readonly RecordJson[]> => {
      if (of === undefined) return [];
      const [{ meetsCondition }, ...lists] = await Promise.all([
        import("./state/computed-values.ts"),
        ...queries.map((query) =>
          calls.list(of.entity.calls, new URLSearchParams([...query, ["label", "true"]]), signal),
        ),
      ]);
      const where = rule?.where ?? null;
      return lists.flatMap(({ items }) => items.filter((record) => meetsCondition(of.entity, where, record, today)));
    },
    enabled: queries.length > 0,
    retry: false,
  });
  const records = (data ?? []).filter(({ id }) => id !== of?.except).slice(0, MOST);
  return {
    found: rule === undefined || of === undefined || records.length === 0 ? null : { entity: of.entity, rule, records },
    isPending: isLoading,
  };
};

/** One line for each record, with a link: “Overlaps with Hanna Weber, 1 Dec, 10:00–13:00”. */
export const CollisionLines = ({ entity, rule, records }: Collisions) => {
  const { rich } = useWords();
  const { screens } = useApplication();
  const nameOf = useCollisionNames(entity);
  return records.map((record) => {
    const to = recordAddress(screens, entity.name, record.id);
    const name = nameOf(record, rule);
    return (
      <p key={record.id} className="colliding">
        {rich(isOverlapRule(rule) ? "form.overlaps" : "form.taken", {
          record: to === null ? <b>{name}</b> : <Link href={to}>{name}</Link>,
        })}
      </p>
    );
  });
};

/** The records in the way of a refused one, if the clause that refuses it is about that. */
export const CollidingRecords = ({ clause, ...props }: CollidingProps & { readonly clause: string | null }) => {
  const { found } = useCollisions(
    collisionRules(props.entity).find((one) => one.clause === clause),
    props,
  );
  return found && <CollisionLines {...found} />;
};

/** The records in the way of a saved one, by a clause. It is read whole: a row of a list has those of its columns only. */
export const useCollisionsOfRecord = (
  name: string,
  id: string,
  clause: string,
): { readonly found: Collisions | null; readonly isPending: boolean } => {
  const { calls } = useClient();
  const entity = useApplication().entities[name];
  const rule = entity && collisionRules(entity).find((one) => one.clause === clause);
  const whole = useQuery({
    queryKey: keys.record(entity?.calls ?? "", id),
    queryFn: ({ signal }) => calls.record(entity?.calls ?? "", id, signal),
    enabled: rule !== undefined,
  });
  const record = whole.data;
  const collisions = useCollisions(
    record && rule,
    entity && record && { entity, except: id, valueAt: (field) => getValue(record, field) },
  );
  return { ...collisions, isPending: whole.isLoading || collisions.isPending };
};

/**
 * Names a record. One that overlaps is named by the columns of its list, without what all of them have in common: “Hanna
 * Weber, 1 Dec, 10:00–13:00”.
 */
export const useCollisionNames = (entity: EntityJson): ((record: RecordJson, rule: CollisionRule) => string) => {
  const { screens } = useApplication();
  const texts = useShortTexts(entity);
  return (record, rule) => {
    const label = record._label ?? entity.one;
    if (!isOverlapRule(rule)) return label;
    const columns = (findListScreen(screens, entity.name)?.columns ?? []).flatMap(
      (name) =>
        entity.fields.find((field) => field.name === name && field.type !== "state" && !rule.same.includes(name)) ?? [],
    );
    const words = texts(columns, record).slice(0, 2);
    return words.map(({ shown }) => shown).join(", ") || label;
  };
};

/**
 * The values of the form around, of the saved record, and of a new one those that the program sets, such as the person who
 * books.
 */
const useFormValues = (): CollidingProps | null => {
  const { of, fieldValue } = useContext(SiblingValuesProvider);
  const locale = useLocale();
  if (of === undefined) return null;
  const { entity, record } = of;
  const valueAt = (name: string): Json | undefined => {
    const entered = fieldValue(name);
    if (entered !== undefined) return entered;
    if (record !== null) return getValue(record, name);
    const field = entity.fields.find((one) => one.name === name);
    return field?.maker === true ? initialValue(field, locale) : undefined;
  };
  return { entity, valueAt, except: record?.id ?? null };
};

/** As `CollidingRecords`, for the record of the form around it. */
export const CollidingWithForm = ({ clause }: { readonly clause: string | null }) => {
  const values = useFormValues();
  return values && <CollidingRecords {...values} clause={clause} />;
};

/** Milliseconds after the last key. */
const PAUSE = 300;

/** Names the records in the way at a field while a form is filled in, before anything is refused. */
export const CollisionNotes = ({ field }: { readonly field: string }) => {
  const values = useFormValues();
  return values && <NotesAtField {...values} field={field} />;
};

const NotesAtField = ({ field, ...values }: CollidingProps & { readonly field: string }) => (
  // It is there before its words, so that they are read out.
  <div role="status">
    {collisionRules(values.entity)
      .filter(({ at }) => at === field)
      .map((rule) => (
        <CollisionNote key={rule.clause} {...values} rule={rule} />
      ))}
  </div>
);

const CollisionNote = ({ rule, ...values }: CollidingProps & { readonly rule: CollisionRule }) => {
  const read = isOverlapRule(rule) ? [...rule.same, rule.from, rule.to] : rule.same;
  const entered = JSON.stringify(Object.fromEntries(read.map((name) => [name, values.valueAt(name) ?? null])));
  const [saved] = useState(values.except === null ? null : entered);
  const [paused, setPaused] = useState(entered);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(entered), PAUSE);
    return () => clearTimeout(timer);
  }, [entered]);
  const known: { readonly [name: string]: Json } = JSON.parse(paused);
  // The saved values already passed a rule that always applies.
  const isSaved = rule.where === null && paused === saved;
  const { found } = useCollisions(isSaved ? undefined : rule, { ...values, valueAt: (name) => known[name] });
  const isSubject = useIsSubject(rule, values);
  return found && paused === entered && isSubject ? (
    <div className="colliding-note">
      <Icon name="alert" />
      <div className="grow">
        <CollisionLines {...found} />
      </div>
    </div>
  ) : null;
};

/**
 * True if the rule concerns the record of the form as it is, or after the next transition: a request for leave overlaps once
 * it is submitted.
 */
const useIsSubject = (rule: CollisionRule, { entity, valueAt, except }: CollidingProps): boolean => {
  const { today } = useLocale();
  const evaluator = useModuleIf(rule.where !== null, () => import("./state/computed-values.ts"));
  if (rule.where === null) return true;
  if (evaluator === null) return false;
  const values = Object.fromEntries(
    entity.fields.map((field) => [field.name, toStored(field, valueAt(field.name) ?? null)]),
  );
  const { states } = entity;
  const now = except === null ? findInitialState(entity)?.name : values[states?.field ?? ""];
  const next = (states?.transitions ?? []).filter(({ from }) => from.includes(String(now))).flatMap(({ to }) => to);
  const reached = states === null ? [values] : [now, ...next].map((state) => ({ ...values, [states.field]: state }));
  return reached.some((record) =>
    evaluator.meetsCondition(entity, rule.where, { id: "", version: 0, ...record } as RecordJson, today),
  );
};

/** The value of a control, which is text, as records have it. */
const toStored = ({ type }: FieldJson, value: Json): Json => {
  if (typeof value !== "string") return value;
  if (value === "") return null;
  if (type === "boolean") return value === "true";
  if (type === "integer") return Number(value);
  return type === "reference" ? { id: value, label: "" } : value;
};
