import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { useLocale } from "../app/app-context.tsx";
import { toRestored } from "../form/state/restoring-body.ts";
import { getValue } from "../format/record-values.ts";
import { useWords } from "../i18n/words.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { useUndo } from "./use-undo.ts";

/** Longer values are not repeated in a note. */
export const MOST_LETTERS = 60;

/**
 * Says that fields of a record were edited, with “Undo” where they can get back the values that they had; they cannot if
 * `fields` is null, or if somebody else changed the record meanwhile. Ctrl+Z would otherwise undo what was done before.
 */
export const useEditNote = (entity: EntityJson) => {
  const { say, show } = useWords();
  const context = useLocale();
  const toast = useToast();
  const { restore } = useUndo(entity);
  const describe = (after: RecordJson, fields: readonly FieldJson[] | null): string => {
    const [field, another] = fields ?? [];
    if (field === undefined || another !== undefined) return say("form.saved");
    const value = show.value(field, getValue(after, field.name)) ?? say("value.none");
    return value.length > MOST_LETTERS ? field.label : say("label.value", { label: field.label, value });
  };
  return (before: RecordJson, after: RecordJson, fields: readonly FieldJson[] | null): void => {
    if (after.version === before.version) return;
    const isOwn = after.version === before.version + 1;
    const restored = fields === null || !isOwn ? null : toRestored(before, after, fields, context);
    toast(describe(after, fields), restored === null ? undefined : () => void restore([restored]));
  };
};
