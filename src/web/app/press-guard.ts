/** What is pressed, as opposed to typed in or chosen from. */
const controls = "button, a[href], label, summary";

/** In pixels: a hand is no steadier. Who draws the pointer away from a control does not want it. */
const steady = 8;

const isPlain = ({ button, isPrimary, pointerType, ctrlKey, metaKey, shiftKey, altKey }: PointerEvent): boolean =>
  button === 0 && isPrimary && pointerType !== "touch" && !ctrlKey && !metaKey && !shiftKey && !altKey;

/**
 * While a page fills, what stands on it may move under a hand that has pressed and not let go: the browser then takes the
 * press for one of whatever both places have in common, and nothing happens. It is the control's on which it began.
 */
export const keepPresses = (page: Document): void => {
  let begun: { readonly control: HTMLElement; readonly x: number; readonly y: number } | null = null;
  const began = (event: PointerEvent) => {
    const control = event.target instanceof Element ? event.target.closest<HTMLElement>(controls) : null;
    begun = control && isPlain(event) ? { control, x: event.clientX, y: event.clientY } : null;
  };
  const ended = ({ target, clientX, clientY }: PointerEvent) => {
    const press = begun;
    begun = null;
    if (press === null || Math.hypot(clientX - press.x, clientY - press.y) > steady) return;
    const { control } = press;
    if (target instanceof Node && control.contains(target)) return;
    // After what the browser itself makes of it, such as closing what floats.
    setTimeout(() => {
      if (control.isConnected) control.click();
    });
  };
  const cancelled = () => {
    begun = null;
  };
  page.addEventListener("pointerdown", began, { capture: true });
  page.addEventListener("pointerup", ended, { capture: true });
  page.addEventListener("pointercancel", cancelled, { capture: true });
};
