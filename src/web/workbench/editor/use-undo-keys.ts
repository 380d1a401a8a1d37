import { useEffect } from "react";
import { readUndoStroke } from "../../app/keyboard.ts";
import type { EditorActions } from "./assist.ts";

/**
 * Undoes and redoes changes of the text while the focus is elsewhere on the page: an answer, a fix and a step of the guide are
 * steps of the same history as typed text.
 */
export const useUndoKeys = (actions: EditorActions | null): void => {
  useEffect(() => {
    if (actions === null) return;
    const onKey = (event: KeyboardEvent): void => {
      const direction = readUndoStroke(event);
      if (direction === null) return;
      event.preventDefault();
      actions[direction]();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [actions]);
};
