import type { ListPreferenceJson, MailPreferenceJson, PreferencesJson } from "../../core/wire/accounts/preferences.ts";
import type { PersonJson } from "../../core/wire/application.ts";
import type { Json } from "../../core/wire/json.ts";
import { createStore, type Store } from "../util/store.ts";

export type Theme = "light" | "dark";

export interface Preferences {
  /** Null follows the system. */
  readonly theme: Store<Theme | null>;
  /** Language of the document; null follows the browser. */
  readonly language: Store<string | null>;
  /** False if shortcuts of a printable character are turned off. */
  readonly singleKeys: Store<boolean>;
  /** True for larger row spacing. */
  readonly roomy: Store<boolean>;
  /** When notifications are sent by mail. */
  readonly mail: Store<MailPreferenceJson>;
  /** Preferences for a list, by the path of its screen. */
  readonly screen: (path: string) => Store<ListPreferenceJson>;
  /**
   * Loads the preferences of an account. Anything not set there, and everything for visitors, comes from the browser.
   */
  belongTo(person: Pick<PersonJson, "id" | "preferences" | "looked"> | null): void;
  /** Resolves when changes have been stored with the account, or that failed. */
  saved(): Promise<void>;
}

/** Changes within this time are sent together, in milliseconds. */
const pause = 200;

/** Settings by name; those of lists by path. */
type Settings = { readonly [name: string]: Json };

/** The valid part of a list's preferences. */
const readList = (stored: Json | undefined): ListPreferenceJson =>
  typeof stored === "object" && stored !== null ? (stored as ListPreferenceJson) : {};

/** Settings in the browser's storage. Where that is unavailable, a choice lasts until the page is closed. */
interface BrowserSettings {
  readonly read: (name: string) => Json | undefined;
  /** Null removes the setting. */
  readonly write: (name: string, text: string | null) => void;
}

const openBrowserSettings = (getStorage: () => Storage): BrowserSettings => {
  const toKey = (name: string) => (name.startsWith("/") ? `screen ${name}` : name);
  return {
    read: (name) => {
      try {
        const text = getStorage().getItem(toKey(name));
        return text === null ? undefined : parseStored(text);
      } catch {
        return undefined;
      }
    },
    write: (name, text) => {
      try {
        if (text === null) getStorage().removeItem(toKey(name));
        else getStorage().setItem(toKey(name), text);
      } catch {
        // The choice lasts until the page is closed.
      }
    },
  };
};

/** Changes on their way to the account, by the name of the setting. */
interface UnsentChanges {
  readonly get: (name: string) => Json | undefined;
  readonly add: (name: string, value: Json) => void;
  /** Continues with the changes of another person, which a page opened before could not send. */
  readonly changePerson: (person: PreferenceOwner | null) => void;
  /** Sends everything now. Resolves when it is stored, or that failed. */
  readonly flush: () => Promise<void>;
}

/** `savesChanges`: false for an administrator who views the app as this person, and changes nothing. */
interface PreferenceOwner {
  readonly id: string;
  readonly savesChanges: boolean;
}

const createUnsentChanges = (
  inBrowser: BrowserSettings,
  send: (chosen: PreferencesJson) => Promise<void>,
): UnsentChanges => {
  let person: PreferenceOwner | null = null;
  const chosen = new Map<string, Json>();
  const unsent = new Set<string>();
  let sending: Promise<void> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Lets a page opened before the account has the change continue from here. */
  const storeUnsent = () => {
    if (person?.savesChanges)
      inBrowser.write(`chosen ${person.id}`, chosen.size === 0 ? null : JSON.stringify(Object.fromEntries(chosen)));
  };
  const sendAll = async (): Promise<void> => {
    while (unsent.size > 0) {
      const now = Object.fromEntries([...unsent].map((name) => [name, chosen.get(name) ?? null]));
      unsent.clear();
      try {
        await send(now as PreferencesJson);
        for (const [name, value] of Object.entries(now)) if (chosen.get(name) === value) chosen.delete(name);
        storeUnsent();
      } catch {
        // It still applies on this page, and is sent with the next change.
        for (const name of Object.keys(now)) if (chosen.has(name)) unsent.add(name);
        return;
      }
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    sending ??= sendAll().finally(() => {
      sending = null;
    });
    return sending;
  };
  const sendSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), pause);
  };
  return {
    get: (name) => chosen.get(name),
    add: (name, value) => {
      chosen.set(name, value);
      if (!person?.savesChanges) return;
      unsent.add(name);
      storeUnsent();
      sendSoon();
    },
    changePerson: (next) => {
      const isAnother = next?.id !== person?.id;
      person = next;
      if (!isAnother) return;
      chosen.clear();
      unsent.clear();
      const unsentBefore = person?.savesChanges ? inBrowser.read(`chosen ${person.id}`) : undefined;
      for (const [name, value] of Object.entries(unsentBefore ?? {})) {
        chosen.set(name, value);
        unsent.add(name);
      }
      if (unsent.size > 0) sendSoon();
    },
    flush,
  };
};

/**
 * Visitors' preferences are stored in the browser or, if that is not possible, until the page is closed. `send` stores
 * changes with the account of the signed-in person and calls `belongTo` before it resolves.
 */
export const createPreferences = (
  getStorage: () => Storage,
  send: (chosen: PreferencesJson) => Promise<void>,
): Preferences => {
  const inBrowser = openBrowserSettings(getStorage);
  const changes = createUnsentChanges(inBrowser, send);
  let isVisitor = true;
  let account: Settings = {};
  const inForce = (name: string): Json | undefined => changes.get(name) ?? account[name] ?? inBrowser.read(name);

  const readAgain: (() => void)[] = [];
  const createPreference = <T>(
    name: string,
    read: (stored: Json | undefined) => T,
    write: (value: T) => Json,
  ): Store<T> => {
    const store = createStore(read(inForce(name)));
    readAgain.push(() => {
      const now = read(inForce(name));
      if (JSON.stringify(now) !== JSON.stringify(store.get())) store.set(now);
    });
    return {
      ...store,
      set: (value) => {
        if (Object.is(value, store.get())) return;
        if (isVisitor) inBrowser.write(name, JSON.stringify(write(value)));
        else changes.add(name, write(value));
        store.set(value);
      },
    };
  };

  const theme = createPreference<Theme | null>(
    "theme",
    (value) => (value === "light" || value === "dark" ? value : null),
    (value) => value ?? "system",
  );
  // Read by the page before it is painted and before the user is known.
  const paint = () => inBrowser.write("theme shown", theme.get());
  theme.subscribe(paint);
  const lists = new Map<string, Store<ListPreferenceJson>>();
  return {
    theme,
    language: createPreference<string | null>(
      "language",
      (value) => (typeof value === "string" ? value : null),
      (value) => value,
    ),
    singleKeys: createPreference(
      "singleKeys",
      (value) => value !== false,
      (value) => value,
    ),
    roomy: createPreference(
      "roomy",
      (value) => value === true,
      (value) => value,
    ),
    mail: createPreference<MailPreferenceJson>(
      "mail",
      (value) => (typeof value === "object" && value !== null ? (value as MailPreferenceJson) : {}),
      (value) => ({ ...value }) as Json,
    ),
    screen: (path) => {
      const known = lists.get(path);
      if (known) return known;
      const created = createPreference<ListPreferenceJson>(path, readList, (value) => ({ ...value }) as Json);
      lists.set(path, created);
      return created;
    },
    belongTo: (person) => {
      isVisitor = person === null;
      changes.changePerson(person && { id: person.id, savesChanges: person.looked === undefined });
      account = (person?.preferences ?? {}) as Settings;
      for (const again of readAgain) again();
      paint();
    },
    saved: changes.flush,
  };
};

/** Stored values may predate the JSON format. */
const parseStored = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
};
