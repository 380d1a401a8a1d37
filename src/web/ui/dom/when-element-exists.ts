/** How long an element is waited for, in milliseconds. */
const MOST_WAITED = 60_000;

/** Calls `use` with the first element that matches, now or once it is there. Returns a function that ends the waiting. */
export const whenElementExists = <E extends HTMLElement>(
  root: HTMLElement,
  selector: string,
  use: (element: E) => void,
): (() => void) => {
  const now = root.querySelector<E>(selector);
  if (now !== null) {
    use(now);
    return () => {};
  }
  const observer = new MutationObserver(() => {
    const element = root.querySelector<E>(selector);
    if (element === null) return;
    end();
    use(element);
  });
  const timer = setTimeout(() => observer.disconnect(), MOST_WAITED);
  const end = () => {
    clearTimeout(timer);
    observer.disconnect();
  };
  observer.observe(root, { childList: true, subtree: true });
  return end;
};
