import { useClient, useStore } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import type { MenuItem } from "./menu.tsx";

type LastUndo = Required<Pick<MenuItem, "key" | "label" | "icon" | "act">> & { readonly isPast: boolean };

/**
 * Undoes the last action that can be undone, for as long as the page is open: the server says if the records have changed
 * since. `isPast`: something else was done since, or it is long ago. Null if there is none.
 */
export const useUndoLast = (): LastUndo | null => {
  const { toast, undoable } = useClient();
  const { say } = useWords();
  const last = useStore(undoable);
  if (last?.undo === undefined) return null;
  const { undo, text, undoLabel = say("toast.undo") } = last;
  return {
    key: "undo",
    label: say("label.value", { label: undoLabel, value: text }),
    icon: "undo",
    isPast: last.isPast === true,
    act: () => {
      toast.set(null);
      undoable.set(null);
      undo();
    },
  };
};
