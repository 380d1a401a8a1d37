import type { PersonJson } from "../../core/wire/application.ts";
import type { Json } from "../../core/wire/json.ts";
import type { ListPreferenceJson, PreferencesJson } from "../../core/wire/preferences.ts";
import { createStore, type Store } from "../util/store.ts";

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
  /** How a person likes a list, by the path of its screen. */
  readonly screen: (path: string) => Store<ListPreferenceJson>;
  /**
   * From now on this person's hold, which are kept with their account; of what they never chose, and where nobody is signed
   * in, the browser's own.
   */
  belongTo(person: Pick<PersonJson, "id" | "preferences" | "looked"> | null): void;
  /** Resolves when what was chosen is kept with the account, or could not be. */
  kept(): Promise<void>;
}

/** What was chosen a moment ago goes together. */
const pause = 200;

/** By a word for each, and the path of each list. */
type Chosen = { readonly [name: string]: Json };

/** Of what a list is liked to be, as much as can be understood. */
const readList = (kept: Json | undefined): ListPreferenceJson =>
  typeof kept === "object" && kept !== null ? (kept as ListPreferenceJson) : {};

/**
 * What somebody chose while nobody was signed in stays in the browser; where that may keep nothing, it lasts as long as the
 * page. `send` keeps what was chosen with the account of whoever is signed in, and says so by `belongTo` before it resolves.
 */
export const createPreferences = (
  shelf: () => Storage,
  send: (chosen: PreferencesJson) => Promise<void>,
): Preferences => {
  const keyOf = (name: string) => (name.startsWith("/") ? `screen ${name}` : name);
  const onShelf = (name: string): Json | undefined => {
    try {
      const text = shelf().getItem(keyOf(name));
      return text === null ? undefined : parsed(text);
    } catch {
      return undefined;
    }
  };
  const putOnShelf = (key: string, text: string | null) => {
    try {
      if (text === null) shelf().removeItem(key);
      else shelf().setItem(key, text);
    } catch {
      // Nothing may be kept here; the choice lasts as long as the page.
    }
  };

  let person: { readonly id: string; readonly keeps: boolean } | null = null;
  let account: Chosen = {};
  /** What was chosen since, and is not kept with it yet. */
  const chosen = new Map<string, Json>();
  const unsent = new Set<string>();
  let sending: Promise<void> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const inForce = (name: string): Json | undefined => chosen.get(name) ?? account[name] ?? onShelf(name);

  /** A page that is opened before the account knows of it goes on from here. */
  const noteChosen = () => {
    if (person?.keeps)
      putOnShelf(`chosen ${person.id}`, chosen.size === 0 ? null : JSON.stringify(Object.fromEntries(chosen)));
  };

  const sendAll = async (): Promise<void> => {
    while (unsent.size > 0) {
      const now = Object.fromEntries([...unsent].map((name) => [name, chosen.get(name) ?? null]));
      unsent.clear();
      try {
        await send(now as PreferencesJson);
        for (const [name, value] of Object.entries(now)) if (chosen.get(name) === value) chosen.delete(name);
        noteChosen();
      } catch {
        // It holds on this page all the same, and goes with the next choice.
        for (const name of Object.keys(now)) if (chosen.has(name)) unsent.add(name);
        return;
      }
    }
  };
  const kept = (): Promise<void> => {
    clearTimeout(timer);
    sending ??= sendAll().finally(() => {
      sending = null;
    });
    return sending;
  };
  const sendSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void kept(), pause);
  };
  const keep = (name: string, value: Json) => {
    if (person === null) {
      putOnShelf(keyOf(name), JSON.stringify(value));
      return;
    }
    chosen.set(name, value);
    if (!person.keeps) return;
    unsent.add(name);
    noteChosen();
    sendSoon();
  };

  const readAgain: (() => void)[] = [];
  const one = <T>(name: string, read: (kept: Json | undefined) => T, write: (value: T) => Json): Store<T> => {
    const store = createStore(read(inForce(name)));
    readAgain.push(() => {
      const now = read(inForce(name));
      if (JSON.stringify(now) !== JSON.stringify(store.get())) store.set(now);
    });
    return {
      ...store,
      set: (value) => {
        if (Object.is(value, store.get())) return;
        keep(name, write(value));
        store.set(value);
      },
    };
  };

  const theme = one<Theme | null>(
    "theme",
    (value) => (value === "light" || value === "dark" ? value : null),
    (value) => value ?? "system",
  );
  // The page reads this before anything is painted, and before it can know who is there.
  const paint = () => putOnShelf("theme shown", theme.get());
  theme.subscribe(paint);
  const lists = new Map<string, Store<ListPreferenceJson>>();
  return {
    theme,
    language: one<string | null>(
      "language",
      (value) => (typeof value === "string" ? value : null),
      (value) => value,
    ),
    singleKeys: one(
      "singleKeys",
      (value) => value !== false,
      (value) => value,
    ),
    roomy: one(
      "roomy",
      (value) => value === true,
      (value) => value,
    ),
    screen: (path) => {
      const known = lists.get(path);
      if (known) return known;
      const made = one<ListPreferenceJson>(path, readList, (value) => ({ ...value }) as Json);
      lists.set(path, made);
      return made;
    },
    belongTo: (told) => {
      const isAnother = told?.id !== person?.id;
      person = told && { id: told.id, keeps: told.looked === undefined };
      if (isAnother) {
        chosen.clear();
        unsent.clear();
        const left = person?.keeps ? onShelf(`chosen ${person.id}`) : undefined;
        for (const [name, value] of Object.entries(left ?? {})) {
          chosen.set(name, value);
          unsent.add(name);
        }
        if (unsent.size > 0) sendSoon();
      }
      account = (told?.preferences ?? {}) as Chosen;
      for (const again of readAgain) again();
      paint();
    },
    kept,
  };
};

/** A shelf's text may be from before texts were JSON. */
const parsed = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
};
