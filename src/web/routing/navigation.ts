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
  /**
   * While the page is covered, Back is for what covers it: before Back leaves a visit, `use` is called, and the visit stays
   * if it returns true. Returns the function that ends that.
   */
  onBack(use: () => boolean): () => void;
  /** Scroll position when this visit was last left; null on a first visit. */
  scrolled(): number | null;
}

/** If `anew` returns true, the next navigation reloads the page. */
export const createNavigation = (browser: Window, anew: () => boolean): Navigation => {
  const { history, location } = browser;
  history.scrollRestoration = "manual";
  let visits = 0;
  /** The place of the current visit among those of this tab: Back leads to a lower one. */
  let place = 0;
  let takeBack: (() => boolean) | null = null;
  let isReturning = false;
  const left = new Map<number, number>();
  const numberIn = (state: unknown, key: "visit" | "place"): number | null => {
    const found =
      typeof state === "object" && state !== null ? Object.entries(state).find(([name]) => name === key) : undefined;
    return typeof found?.[1] === "number" ? found[1] : null;
  };
  const currentAddress = (visit: number): Address => ({
    path: location.pathname,
    search: location.search.slice(1),
    visit,
  });

  visits = (numberIn(history.state, "visit") ?? 0) + 1;
  place = numberIn(history.state, "place") ?? 0;
  history.replaceState({ visit: visits, place }, "");
  const store = createStore<Address>(currentAddress(visits));
  const leave = () => left.set(store.get().visit, browser.scrollY);

  browser.addEventListener("popstate", (event) => {
    if (isReturning) {
      isReturning = false;
      return;
    }
    const next = numberIn(event.state, "place") ?? place + 1;
    if (next < place && takeBack?.() === true) {
      isReturning = true;
      history.go(place - next);
      return;
    }
    place = next;
    const visit = numberIn(event.state, "visit");
    const now = store.get();
    // A link to a part of the page, such as that which skips the navigation, is no visit.
    if (visit === null && location.pathname === now.path && location.search.slice(1) === now.search) {
      history.replaceState({ visit: now.visit, place }, "");
      return;
    }
    leave();
    store.set(currentAddress(visit ?? ++visits));
  });

  return {
    get: store.get,
    subscribe: store.subscribe,
    go: (to, how = "push") => {
      leave();
      if (anew()) location[how === "push" ? "assign" : "replace"](to);
      else if (how === "push") {
        visits += 1;
        place += 1;
        history.pushState({ visit: visits, place }, "", to);
        store.set(currentAddress(visits));
      } else {
        const { visit } = store.get();
        history.replaceState({ visit, place }, "", to);
        store.set(currentAddress(visit));
      }
    },
    back: () => history.back(),
    onBack: (use) => {
      takeBack = use;
      return () => {
        if (takeBack === use) takeBack = null;
      };
    },
    scrolled: () => left.get(store.get().visit) ?? null,
  };
};
