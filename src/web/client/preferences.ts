import { createStore, type Store } from "./store.ts";

export type Theme = "light" | "dark";

export interface Preferences {
  /** Null follows the system. */
  readonly theme: Store<Theme | null>;
  /** Whether keys that print a character act on the page. */
  readonly singleKeys: Store<boolean>;
}

/** Kept in the browser; where it may keep nothing, they last as long as the page. */
export const createPreferences = (shelf: () => Storage): Preferences => {
  const kept = (key: string): string | null => {
    try {
      return shelf().getItem(key);
    } catch {
      return null;
    }
  };
  const keep = (key: string, value: string | null) => {
    try {
      if (value === null) shelf().removeItem(key);
      else shelf().setItem(key, value);
    } catch {
      // Nothing may be kept here; the choice lasts as long as the page.
    }
  };
  const asked = kept("theme");
  const theme = createStore<Theme | null>(asked === "light" || asked === "dark" ? asked : null);
  const singleKeys = createStore(kept("single keys") !== "off");
  theme.subscribe(() => keep("theme", theme.get()));
  singleKeys.subscribe(() => keep("single keys", singleKeys.get() ? null : "off"));
  return { theme, singleKeys };
};
