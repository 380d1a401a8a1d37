import type { QueryClient } from "@tanstack/react-query";
import type { Application, PersonJson } from "../../core/wire/application.ts";
import type { TransitionJson } from "../../core/wire/entities.ts";
import type { PreferencesJson } from "../../core/wire/preferences.ts";
import type { WhyNot } from "../../core/wire/records.ts";
import { type Calls, createCalls } from "../api/api.ts";
import { type Failure, failureOf } from "../api/api-error.ts";
import { createPictures, type PictureOf } from "../api/avatar-loader.ts";
import { createLive, type Live, makeStale } from "../api/change-feed.ts";
import { takeGiven, withGiven } from "../api/preloaded.ts";
import { createQueries, keys } from "../api/query-keys.ts";
import { createNavigation, type Navigation } from "../routing/navigation.ts";
import { createTrail, type Trail } from "../routing/record-pager.ts";
import { createStore, type Store } from "../util/store.ts";
import { createDrafts, type Drafts } from "./draft-store.ts";
import { createPreferences, type Preferences } from "./preferences.ts";

/** How the server was last found. `offline` is what the browser itself says. */
export type Connection = "reached" | "away" | "unreachable" | "offline";

/** A sentence to be said aloud; the same one twice is said twice. */
export interface Saying {
  readonly text: string;
  readonly at: number;
}

/** What the person's own act came to, and the way back where there is one. */
export interface Toast extends Saying {
  readonly undo?: () => void;
}

/** Something that can be done on a page, by its name. */
export interface Command {
  readonly label: string;
  readonly run: () => void;
  readonly refused?: WhyNot;
  /** What it is called in a question about it: `grant`. */
  readonly what?: string;
}

/** What somebody wants to know: what may be done with an entity's records, or with one, and why not. */
export interface Asking {
  readonly entity: string;
  readonly record: string | null;
  /** What it is about first of all: `grant`, or reading or changing one field. */
  readonly what?: string;
  /** About this alone; empty is the record as a whole. */
  readonly field?: string;
}

/** A transition of a record that was not made, and why. */
export interface Unmade {
  readonly record: string;
  readonly transition: TransitionJson;
  readonly failure: Failure;
}

/** All state of the interface that outlives a screen. */
export interface Client {
  readonly calls: Calls;
  readonly queries: QueryClient;
  readonly navigation: Navigation;
  readonly preferences: Preferences;
  readonly drafts: Drafts;
  readonly pictureOf: PictureOf;
  readonly trail: Store<Trail | null>;
  /** The record that was looked at last: a list that one returns to begins there. */
  readonly lastRecord: Store<string | null>;
  readonly connection: Store<Connection>;
  /** Whether the palette is open. */
  readonly palette: Store<boolean>;
  /** What is being asked about permissions; null: nothing. */
  readonly asking: Store<Asking | null>;
  /** The transition that was to follow a save and was not made: told on the record's page, to which one comes then. */
  readonly unmade: Store<Unmade | null>;
  /** What can be done on the page that is open; refused ones say why. */
  readonly commands: Store<readonly Command[]>;
  /** What others change while one looks. */
  readonly live: Live;
  /** How many forms hold what was typed and is not saved: no page goes from under them by itself. */
  readonly atWork: Store<number>;
  /** Whether the session ended under one's feet. */
  readonly signedOut: Store<boolean>;
  /** Whether the server has a newer program than this page is of. */
  readonly renewed: Store<boolean>;
  /** What is shown for a moment after one's own act. */
  readonly toast: Store<Toast | null>;
  readonly polite: Store<Saying | null>;
  readonly assertive: Store<Saying | null>;
}

export const saying = (text: string): Saying => ({ text, at: Date.now() });

const personNow = (queries: QueryClient): PersonJson | null =>
  queries.getQueryData<Application>(keys.application)?.person ?? null;

/** How the person likes the interface, unless it is another one by now. */
const likes = (
  queries: QueryClient,
  person: string | undefined,
  now: (before: PreferencesJson) => PreferencesJson,
): void => {
  queries.setQueryData<Application>(keys.application, (application) =>
    application?.person == null || application.person.id !== person
      ? application
      : { ...application, person: { ...application.person, preferences: now(application.person.preferences) } },
  );
};

export const createClient = (browser: Window & typeof globalThis): Client => {
  const queries = createQueries();
  const connection = createStore<Connection>(browser.navigator.onLine ? "reached" : "offline");
  const signedOut = createStore(false);
  const renewed = createStore(false);
  const atWork = createStore(0);
  let version: number | null = null;

  browser.addEventListener("offline", () => connection.set("offline"));
  browser.addEventListener("online", () => {
    connection.set("reached");
    void queries.invalidateQueries();
  });

  const preferences = createPreferences(
    () => browser.localStorage,
    async (chosen) => {
      const whose = personNow(queries)?.id;
      try {
        await calls.prefer(chosen);
      } catch (thrown) {
        // What is refused is not sent again: it holds for as long as the page.
        if (failureOf(thrown).kind === "refused") return;
        throw thrown;
      }
      likes(queries, whose, (before) => ({ ...before, ...chosen }));
    },
  );
  // Whosever application is drawn, it is drawn as they like it.
  queries.getQueryCache().subscribe((event) => {
    if (event.type === "updated" && event.action.type === "success" && event.query.queryKey[0] === keys.application[0])
      preferences.belongTo(personNow(queries));
  });
  takeGiven(queries, browser.document, preferences.language.get());
  browser.addEventListener("pagehide", () => void preferences.kept());
  browser.document.addEventListener("visibilitychange", async () => {
    const before = personNow(queries);
    if (browser.document.visibilityState === "hidden" || before === null) return;
    // They may have been at another browser meanwhile. Where nobody answers, all stays as it is.
    const now = await preferences
      .kept()
      .then(calls.preferences, () => null)
      .catch(() => null);
    if (now === null) return;
    likes(queries, before.id, () => now);
    if (now.language !== before.preferences.language) await queries.invalidateQueries();
  });
  // What is shown and what is said of it are in one language: as chosen, or as the application was given first.
  const fetchInLanguage: typeof fetch = (address, asked) => {
    const given = () => queries.getQueryData<Application>(keys.application)?.locale;
    const language = preferences.language.get() ?? (address === "/_/application" ? undefined : given());
    const headers = new Headers(asked?.headers);
    if (language !== undefined) headers.set("Accept-Language", language);
    return browser.fetch(address, { ...asked, headers });
  };
  const calls = createCalls(withGiven(fetchInLanguage, browser, preferences.language.get), {
    // Under another document everything that is shown may be otherwise.
    version: (answered) => {
      if (version !== null && version !== answered) void queries.invalidateQueries();
      version = answered;
    },
    reached: (how) => {
      if (how !== "unreachable") connection.set(how);
      else connection.set(browser.navigator.onLine ? "unreachable" : "offline");
    },
    signedOut: () => signedOut.set(true),
  });
  const own = browser.document.querySelector<HTMLMetaElement>("meta[name=program]")?.content;
  const changes: typeof calls.changes = async (after, signal) => {
    const answer = await calls.changes(after, signal);
    if (own !== undefined && answer.program !== own) renewed.set(true);
    return answer;
  };
  // A part of the program did not come: perhaps a newer one no longer has it, and then the page begins anew.
  browser.addEventListener("vite:preloadError", () => {
    const begun = browser.performance.now() < 10_000;
    void changes(null, AbortSignal.timeout(10_000)).then(
      // Behind a balancer a new page may be of the other program again: it does not begin anew for ever.
      () => renewed.get() && atWork.get() === 0 && !begun && browser.location.reload(),
      () => undefined,
    );
  });

  return {
    calls,
    queries,
    navigation: createNavigation(browser, () => renewed.get() && atWork.get() === 0),
    preferences,
    drafts: createDrafts(() => browser.localStorage),
    pictureOf: createPictures(calls.pictures),
    trail: createTrail(),
    lastRecord: createStore<string | null>(null),
    palette: createStore(false),
    asking: createStore<Asking | null>(null),
    unmade: createStore<Unmade | null>(null),
    commands: createStore<readonly Command[]>([]),
    live: createLive(
      changes,
      (changed) => {
        const entities = queries.getQueryData<Application>(keys.application)?.entities ?? {};
        makeStale(queries, changed === null ? null : changed.flatMap((name) => entities[name]?.calls ?? []));
      },
      browser.document,
    ),
    connection,
    atWork,
    signedOut,
    renewed,
    toast: createStore<Toast | null>(null),
    polite: createStore<Saying | null>(null),
    assertive: createStore<Saying | null>(null),
  };
};
