/** Controls that are pressed, rather than typed in or chosen from. */
const controls = "button, a[href], label, summary";

/** Tolerance in pixels for an unsteady hand. Moving further away cancels the press. */
const steady = 8;

const isPlain = ({ button, isPrimary, pointerType, ctrlKey, metaKey, shiftKey, altKey }: PointerEvent): boolean =>
  button === 0 && isPrimary && pointerType !== "touch" && !ctrlKey && !metaKey && !shiftKey && !altKey;

/**
 * While a page is loading, its content may move between pressing and releasing; the browser then sends the click to a
 * common ancestor, and nothing happens. This sends it to the control that was pressed.
 */
export const keepPresses = (page: Document): void => {
  let pressed: { readonly control: HTMLElement; readonly x: number; readonly y: number } | null = null;
  const began = (event: PointerEvent) => {
    const control = event.target instanceof Element ? event.target.closest<HTMLElement>(controls) : null;
    pressed = control && isPlain(event) ? { control, x: event.clientX, y: event.clientY } : null;
  };
  const endPress = ({ target, clientX, clientY }: PointerEvent) => {
    const press = pressed;
    pressed = null;
    if (press === null || Math.hypot(clientX - press.x, clientY - press.y) > steady) return;
    const { control } = press;
    if (target instanceof Node && control.contains(target)) return;
    // After the browser's own handling, such as closing popovers.
    setTimeout(() => {
      if (control.isConnected) control.click();
    });
  };
  const cancelPress = () => {
    pressed = null;
  };
  page.addEventListener("pointerdown", began, { capture: true });
  page.addEventListener("pointerup", endPress, { capture: true });
  page.addEventListener("pointercancel", cancelPress, { capture: true });
};

const layers = "dialog, [popover]";

const isOpen = (layer: Element): boolean => layer.isConnected && layer.matches(":modal, :popover-open, dialog[open]");

/**
 * The second click of a double click on a button that closes its dialog, menu or popover would reach the element
 * underneath, such as a row's link. It is dropped together with its mouse press, which would move the focus there.
 */
export const dropClicksThroughClosedLayers = (page: Document): void => {
  let first: Element | null = null;
  const guard = (event: MouseEvent) => {
    if (event.detail > 1) {
      if (first === null || isOpen(first)) return;
      event.preventDefault();
      event.stopPropagation();
    } else if (event.type === "mousedown") {
      first = event.target instanceof Element ? event.target.closest(layers) : null;
    }
  };
  for (const type of ["mousedown", "click", "dblclick"] as const) page.addEventListener(type, guard, { capture: true });
};

/**
 * A held Enter presses only once: repeated, it would answer the question that its first press has opened. In texts, it
 * makes lines.
 */
export const pressOnceWhileHeld = (page: Document): void =>
  page.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Enter" || !event.repeat) return;
      if (event.target instanceof Element && event.target.closest("textarea, [contenteditable]") === null)
        event.preventDefault();
    },
    { capture: true },
  );
