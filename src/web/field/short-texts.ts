import { useMemo } from "react";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { useApplication } from "../app/app-context.tsx";
import { findDateRangeFields } from "../format/date-range-fields.ts";
import { type FieldSummary, fewWords } from "../format/record-summary.ts";
import { useWords } from "../i18n/words.tsx";
import { findListScreen } from "../routing/routes.ts";
import { useNow } from "../ui/relative-time.tsx";
import { useDeadlineWords } from "./record-value.tsx";

/** Short texts of fields without column headers. */
export const useShortTexts = (entity: EntityJson) => {
  const { show } = useWords();
  const { screens } = useApplication();
  const span = useMemo(() => findDateRangeFields(screens, entity), [screens, entity]);
  const deadlineOf = useDeadlineWords();
  const now = useNow();
  return (columns: readonly FieldJson[], record: RecordJson): readonly FieldSummary[] =>
    fewWords(columns, record, show, span, (field) => deadlineOf(field, record, now));
};

/** The columns of the record’s list as short texts, without the state and without what `label` and `besides` show. */
export const useRecordFacts = (
  entity: EntityJson,
  record: RecordJson,
  label: string,
  besides: readonly string[],
): readonly FieldSummary[] => {
  const { screens } = useApplication();
  const columns = findListScreen(screens, entity.name)?.columns ?? [];
  const facts = entity.fields.filter(
    ({ name, type }) => columns.includes(name) && type !== "state" && !besides.includes(name),
  );
  return useShortTexts(entity)(facts, record).filter(({ shown }) => !label.includes(shown));
};
