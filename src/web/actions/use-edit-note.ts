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

/** Says that a field was edited in place, with “Undo”: Ctrl+Z would otherwise undo what was done before. */
export const useEditNote = (entity: EntityJson) => {
  const { say, show } = useWords();
  const context = useLocale();
  const toast = useToast();
  const { restore } = useUndo(entity);
  return (before: RecordJson, after: RecordJson, field: FieldJson): void => {
    const restored = toRestored(before, after, [field], context);
    if (after.version === before.version || restored === null) return;
    const value = show.value(field, getValue(after, field.name)) ?? say("value.none");
    const words = value.length > MOST_LETTERS ? field.label : say("label.value", { label: field.label, value });
    toast(words, () => void restore([restored]));
  };
};
