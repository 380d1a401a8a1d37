import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { useApplication } from "../app/app-context.tsx";
import { findDateRangeFields } from "../format/date-range-fields.ts";
import { type FieldSummary, fewWords, splitTitle } from "../format/record-summary.ts";
import { getValue } from "../format/record-values.ts";
import { useWords } from "../i18n/words.tsx";
import { findListScreen } from "../routing/routes.ts";
import { useNow } from "../ui/relative-time.tsx";
import { useDeadlineWords } from "./record-value.tsx";

/** Short texts of fields without column headers. */
export const useShortTexts = (entity: EntityJson) => {
  const { say, show } = useWords();
  const span = findDateRangeFields(entity);
  const deadlineOf = useDeadlineWords();
  const now = useNow();
  return (columns: readonly FieldJson[], record: RecordJson): readonly FieldSummary[] =>
    fewWords(columns, record, show, span, {
      nameValue: ({ label, type }, value) =>
        say(type === "date" || type === "datetime" ? "label.time" : "label.value", { label, value }),
      deadlineOf: (field) => deadlineOf(field, record, now),
    });
};

/** A record in a few words. */
interface RecordFacts {
  readonly name: string;
  /** The amount, on which a decision depends most. */
  readonly amount: FieldSummary | null;
  readonly others: readonly FieldSummary[];
}

/** The columns of the record’s list as short texts, without the state and without what `label` and `besides` show. */
export const useRecordFacts = (
  entity: EntityJson,
  record: RecordJson,
  label: string,
  besides: readonly string[],
): RecordFacts => {
  const { show } = useWords();
  const { screens } = useApplication();
  const words = useShortTexts(entity);
  const columns = (findListScreen(screens, entity.name)?.columns ?? []).flatMap(
    (name) => entity.fields.find((field) => field.name === name) ?? [],
  );
  const { title, rest } = splitTitle(columns);
  const named = title?.type === "text" || title?.type === "reference";
  const name = title && named ? show.value(title, getValue(record, title.name)) : null;
  const facts = words(
    (name === null ? columns : rest).filter((field) => field.type !== "state" && !besides.includes(field.name)),
    record,
  ).filter(({ shown }) => !(name ?? label).includes(shown));
  const amount = facts.find(({ field }) => field.type === "money") ?? null;
  return { name: name ?? label, amount, others: facts.filter((fact) => fact !== amount) };
};
