import { createStore, type Store } from "../util/store.ts";

/** A path and a query string (without the question mark). */
export interface Address {
  readonly path: string;
  readonly search: string;
  /** Identifies a visit, even to the same address. */
  readonly visit: number;
}

/**
 * The browser's history as a store. Screens come from the document at run time, so a router's static tree would be of
 * no use; this is the rest of a router.
 */
export interface Navigation extends Pick<Store<Address>, "get" | "subscribe"> {
  go(to: string, how?: "push" | "replace"): void;
  back(): void;
  /** Scroll position when this visit was last left; null on a first visit. */
  scrolled(): number | null;
}

/** If `anew` returns true, the next navigation reloads the page. */
export const createNavigation = (browser: Window, anew: () => boolean): Navigation => {
  const { history, location } = browser;
  history.scrollRestoration = "manual";
  let visits = 0;
  const left = new Map<number, number>();
  const visitIn = (state: unknown): number | null =>
    typeof state === "object" && state !== null && "visit" in state && typeof state.visit === "number"
      ? state.visit
      : null;
  const currentAddress = (visit: number): Address => ({
    path: location.pathname,
    search: location.search.slice(1),
    visit,
  });

  visits = (visitIn(history.state) ?? 0) + 1;
  history.replaceState({ visit: visits }, "");
  const store = createStore<Address>(currentAddress(visits));
  const leave = () => left.set(store.get().visit, browser.scrollY);

  browser.addEventListener("popstate", (event) => {
    leave();
    const visit = visitIn(event.state) ?? ++visits;
    store.set(currentAddress(visit));
  });

  return {
    get: store.get,
    subscribe: store.subscribe,
    go: (to, how = "push") => {
      leave();
      if (anew()) location[how === "push" ? "assign" : "replace"](to);
      else if (how === "push") {
        visits += 1;
        history.pushState({ visit: visits }, "", to);
        store.set(currentAddress(visits));
      } else {
        const { visit } = store.get();
        history.replaceState({ visit }, "", to);
        store.set(currentAddress(visit));
      }
    },
    back: () => history.back(),
    scrolled: () => left.get(store.get().visit) ?? null,
  };
};
