/** Controls that are pressed, rather than typed in or chosen from. */
const controls = "button, a[href], label, summary";

/** Tolerance in pixels for an unsteady hand. Moving further away cancels the press, or drags what can be dragged. */
export const PRESS_TOLERANCE = 8;

const isPlain = ({ button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean =>
  button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey;

interface Press {
  readonly control: HTMLElement;
  readonly x: number;
  readonly y: number;
}

const toPress = (event: MouseEvent): Press | null => {
  const control = event.target instanceof Element ? event.target.closest<HTMLElement>(controls) : null;
  return control && isPlain(event) ? { control, x: event.clientX, y: event.clientY } : null;
};

/**
 * Content may move between pressing and releasing: while a page is loading, or because the field that loses the focus
 * shows an error above the button. The browser then sends the click to a common ancestor, and nothing happens. This
 * sends it to the control that was pressed. A finger presses when it is lifted, since until then it may scroll.
 */
export const keepPresses = (page: Document): void => {
  let pressed: Press | null = null;
  const beginPointer = (event: PointerEvent) => {
    pressed = event.pointerType === "touch" ? null : toPress(event);
  };
  const beginMouse = (event: MouseEvent) => {
    pressed ??= toPress(event);
  };
  const endPress = ({ target, clientX, clientY }: MouseEvent) => {
    const press = pressed;
    pressed = null;
    if (press === null || Math.hypot(clientX - press.x, clientY - press.y) > PRESS_TOLERANCE) return;
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
  page.addEventListener("pointerdown", beginPointer, { capture: true });
  page.addEventListener("mousedown", beginMouse, { capture: true });
  page.addEventListener("mouseup", endPress, { capture: true });
  page.addEventListener("dragstart", cancelPress, { capture: true });
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
