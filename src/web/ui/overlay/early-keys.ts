import { isSingleCharacter } from "../../app/keyboard.ts";

/** Does what the key would have done to the control that has the focus. Events of scripts have no effect of their own. */
const pressLate = (key: string): void => {
  const control = document.activeElement;
  if (!(control instanceof HTMLElement)) return;
  const isText = control.matches("input:not([type=checkbox], [type=radio]), textarea");
  if (isText && isSingleCharacter(key)) document.execCommand("insertText", false, key);
  else if (isText && key === "Backspace") document.execCommand("delete");
  else {
    const stays = control.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    if (!stays || (key !== "Enter" && key !== " ")) return;
    if (isText) control.closest("form")?.requestSubmit();
    else control.click();
  }
};

/**
 * Keeps the keys that are pressed after a panel was opened and before a control in it has the focus, because its content
 * may have to be loaded, and gives them to this control. Otherwise they would be shortcuts, or lost. A control that Tab
 * reaches gets none: they were not meant for it. Returns how to stop.
 */
export const keepEarlyKeys = (panel: HTMLElement): (() => void) => {
  const keys: string[] = [];
  const over = new AbortController();
  const onKey = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, isComposing } = event;
    if (key === "Tab") return over.abort();
    if (ctrlKey || metaKey || altKey || isComposing) return;
    if (!isSingleCharacter(key) && key !== "Enter" && key !== "Backspace") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) keys.push(key);
  };
  const onFocus = ({ target }: FocusEvent) => {
    if (target === panel) return;
    over.abort();
    // Once the component that moved the focus is done, and before the next key.
    queueMicrotask(() => {
      for (const key of keys) pressLate(key);
    });
  };
  window.addEventListener("keydown", onKey, { capture: true, signal: over.signal });
  window.addEventListener("pointerdown", () => over.abort(), { capture: true, signal: over.signal });
  panel.addEventListener("focusin", onFocus, { signal: over.signal });
  return () => over.abort();
};
