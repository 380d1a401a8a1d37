import { IconButton } from "../control/button.tsx";
import { useUndoLast } from "./use-undo-last.ts";

/** Undoes what was just done, once its note is gone. */
export const UndoButton = () => {
  const undo = useUndoLast();
  if (undo === null || undo.isPast) return null;
  return <IconButton icon="undo" small label={undo.label} aria-keyshortcuts="Control+Z" onClick={undo.act} />;
};
