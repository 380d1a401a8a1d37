import type { LayoutJson } from "../../core/wire/screens.ts";
import { createStore, type Store } from "./store.ts";

export type Theme = "light" | "dark";

export interface Preferences {
  /** Null follows the system. */
  readonly theme: Store<Theme | null>;
  /** The language of the document to read in; null follows the browser. */
  readonly language: Store<string | null>;
  /** Whether keys that print a character act on the page. */
  readonly singleKeys: Store<boolean>;
  /** Whether rows stand further apart. */
  readonly roomy: Store<boolean>;
  /** How a person likes a screen, by its path. */
  readonly screen: (path: string) => Store<ScreenPreference>;
}

export interface ScreenPreference {
  /** The layout that was looked at last. */
  readonly layout?: LayoutJson["kind"];
  /** The columns that are shown, in their order, in the place of the document's. */
  readonly columns?: readonly string[];
  /** Widths in pixels, of the columns that were pulled. */
  readonly widths?: { readonly [column: string]: number };
}

/** What was kept by an earlier visit, as far as it can be understood. */
const readPreference = (text: string | null): ScreenPreference => {
  try {
    const kept: unknown = JSON.parse(text ?? "{}");
    return typeof kept === "object" && kept !== null ? kept : {};
  } catch {
    return {};
  }
};

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
  const language = createStore(kept("language"));
  language.subscribe(() => keep("language", language.get()));
  const singleKeys = createStore(kept("single keys") !== "off");
  theme.subscribe(() => keep("theme", theme.get()));
  singleKeys.subscribe(() => keep("single keys", singleKeys.get() ? null : "off"));
  const screens = new Map<string, Store<ScreenPreference>>();
  const screen = (path: string): Store<ScreenPreference> => {
    const known = screens.get(path);
    if (known) return known;
    const made = createStore(readPreference(kept(`screen ${path}`)));
    made.subscribe(() => keep(`screen ${path}`, JSON.stringify(made.get())));
    screens.set(path, made);
    return made;
  };
  const roomy = createStore(kept("roomy") === "on");
  roomy.subscribe(() => keep("roomy", roomy.get() ? "on" : null));
  return { theme, language, singleKeys, roomy, screen };
};
