/** The parts of a keyboard event that decide whether it is a shortcut. */
export interface Stroke {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly defaultPrevented: boolean;
  readonly target: EventTarget | null;
}

const typesText = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";

/** The key of a shortcut: not while typing, in a dialog or menu, or with a modifier. */
export const readStroke = (event: Stroke): string | null => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return null;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.matches(typesText) || target?.closest("dialog, [popover]")) return null;
  return event.key;
};

/** The direction of Ctrl+Z and its counterparts: not while typing, or in a dialog or menu, where the field has its own. */
export const readUndoStroke = (event: Stroke & { readonly shiftKey: boolean }): "undo" | "redo" | null => {
  const key = event.key.toLowerCase();
  if (!(event.ctrlKey || event.metaKey) || event.altKey || (key !== "z" && key !== "y")) return null;
  if (readStroke({ ...strokeOf(event), ctrlKey: false, metaKey: false }) === null) return null;
  return key === "y" || event.shiftKey ? "redo" : "undo";
};

const strokeOf = ({ key, ctrlKey, metaKey, altKey, defaultPrevented, target }: Stroke): Stroke => ({
  key,
  ctrlKey,
  metaKey,
  altKey,
  defaultPrevented,
  target,
});

/** The direction of F6, which moves between the parts of a page, also while typing. */
export const readRegionStroke = (event: Stroke & { readonly shiftKey: boolean }): 1 | -1 | null => {
  const { key, ctrlKey, metaKey, altKey, defaultPrevented, target, shiftKey } = event;
  if (key !== "F6" || ctrlKey || metaKey || altKey || defaultPrevented) return null;
  if (target instanceof Element && target.closest("dialog, [popover]") !== null) return null;
  return shiftKey ? -1 : 1;
};

/** True for keys used by an input method during composition. Safari ends the composition first, with key code 229. */
export const isComposing = ({ nativeEvent }: { readonly nativeEvent: KeyboardEvent }): boolean =>
  nativeEvent.isComposing || nativeEvent.keyCode === 229;

/** Shortcuts of a printable character interfere with speech input and must be optional (WCAG 2.1.4). */
export const isSingleCharacter = (key: string): boolean => [...key].length === 1;
