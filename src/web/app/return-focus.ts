/** The link of a row. While rows are selected on a phone, they have a box instead. */
export const ROW = "[data-row], label.selecting > [data-select]";

const rowsIn = (scope: Element | null | undefined): readonly HTMLElement[] => [
  ...(scope?.querySelectorAll<HTMLElement>(ROW) ?? []),
];

const hasFocus = (element: Element): boolean => document.activeElement === element;

/** The tiles as they are read, line by line: in the page, those of the first column come before all of the second. */
const listTilesAsRead = (): readonly (Element | null | undefined)[] => {
  const places = [...document.querySelectorAll("#main section")].map((tile) => ({
    tile,
    place: tile.getBoundingClientRect(),
  }));
  const isRtl = document.documentElement.dir === "rtl";
  return places
    .toSorted(
      ({ place: one }, { place: other }) =>
        Math.round(one.top - other.top) || (isRtl ? other.right - one.right : one.left - other.left),
    )
    .map(({ tile }) => tile);
};

/** The first row with an action in the tiles after this one, or else in those before it. */
const findNextWaiting = (tile: Element | null | undefined): HTMLElement | undefined => {
  const tiles = listTilesAsRead();
  const at = tiles.indexOf(tile);
  return [...tiles.slice(at + 1), ...tiles.slice(0, Math.max(0, at))]
    .flatMap(rowsIn)
    .find((link) => link.closest("tr, li")?.querySelector(".tile-actions button:not([aria-disabled])"));
};

/**
 * Remembers where a control is, and returns a function that gives it the focus back. If it is gone, because its action
 * was performed, the row that has taken the place of its row gets the focus: its link, not a button, where another key
 * press could act. Without rows, it is the next row of another tile that waits for an action, then the link of their tile,
 * the heading of the section, that of a record, and the page. Anything that has taken the focus meanwhile keeps it.
 */
export const rememberFocus = (control: Element | null): (() => void) => {
  const row = control?.closest("tr, li");
  const scope = row?.closest("section, #main");
  const heading = control?.closest("section")?.querySelector("h2[tabindex]");
  const at = row ? rowsIn(scope).findIndex((link) => row.contains(link)) : -1;
  return () => {
    if (control instanceof HTMLElement && control !== document.body && control.isConnected) {
      control.focus({ preventScroll: true });
      if (hasFocus(control)) return;
    }
    const remaining = at < 0 ? [] : rowsIn(scope);
    const page = document.getElementById("main");
    const goals = [
      remaining[Math.min(at, remaining.length - 1)],
      at < 0 ? null : findNextWaiting(scope),
      at < 0 ? null : scope?.querySelector("a"),
      heading,
      page?.querySelector("h1[tabindex]"),
      page,
    ];
    for (const goal of goals) {
      if (!hasFocus(document.body)) return;
      if (!(goal instanceof HTMLElement && goal.isConnected)) continue;
      goal.focus({ preventScroll: true });
      // After a tap or a click, the page stays where it is: people look for the next row themselves.
      if (goal !== page && goal.matches(":focus-visible"))
        (goal.closest("tr, li") ?? goal).scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  };
};

/**
 * For an action that may remove the row of its control: the returned function moves the focus on whenever it is lost. The
 * row may go some frames after the new data has come. It ends with the next press, by which somebody goes elsewhere.
 */
export const followFocus = (area: Element | null): (() => void) => {
  const moveOn = rememberFocus(area);
  let isTaken = area === null;
  const wait = (framesLeft: number, end: AbortController): void => {
    if (end.signal.aborted) return;
    // A dialog that closes before the row goes leaves the focus to the page, from which it is taken once.
    const page = document.getElementById("main");
    if (!isTaken && page !== null && hasFocus(page)) {
      isTaken = true;
      page.blur();
    }
    const isLost = hasFocus(document.body);
    if (isLost) moveOn();
    const isReplaced = isLost && area?.isConnected === false && !hasFocus(document.body);
    // A row that has the focus again may still go.
    if (framesLeft > 0 && !isReplaced) requestAnimationFrame(() => wait(framesLeft - 1, end));
    else end.abort();
  };
  return () => {
    const end = new AbortController();
    for (const press of ["pointerdown", "keydown"])
      addEventListener(press, () => end.abort(), { capture: true, signal: end.signal });
    wait(120, end);
  };
};
