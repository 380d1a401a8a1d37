/** The part of a keyboard event that decides whether a single key was meant. */
export interface Stroke {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly defaultPrevented: boolean;
  readonly target: EventTarget | null;
}

const typesText = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";

/** The key struck on the page itself: not while typing, in a dialog or menu, or with a modifier held. */
export const strokeOn = (event: Stroke): string | null => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return null;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.matches(typesText) || target?.closest("dialog, [popover]")) return null;
  return event.key;
};

/** Keys that are struck while characters are composed are the input method's. Safari ends the composition first, with key code 229. */
export const isComposing = ({ nativeEvent }: { readonly nativeEvent: KeyboardEvent }): boolean =>
  nativeEvent.isComposing || nativeEvent.keyCode === 229;

/** Keys that print a character get in the way of speech input and must be possible to turn off (WCAG 2.1.4). */
export const isSingleCharacter = (key: string): boolean => [...key].length === 1;
