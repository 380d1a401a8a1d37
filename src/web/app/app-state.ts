import type { InvalidateQueryFilters, QueryClient } from "@tanstack/react-query";
import { DEPUTY } from "../../core/model/permissions.ts";
import type { PreferencesJson } from "../../core/wire/accounts/preferences.ts";
import type { Application, PersonJson } from "../../core/wire/application.ts";
import type { StateMarkJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson, ReferenceJson } from "../../core/wire/records.ts";
import { type ApiClient, createCalls } from "../api/api.ts";
import { type Failure, toFailure } from "../api/api-error.ts";
import { createPictures, type PictureOf } from "../api/avatar-loader.ts";
import { type ChangeFeed, createLive, invalidatePaths } from "../api/change-feed.ts";
import { takePreloaded, withPreloaded } from "../api/preloaded.ts";
import { createQueries, keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { createTrials, type TrialOf } from "../api/trial-loader.ts";
import { createNavigation, type Navigation } from "../routing/navigation.ts";
import { createPagerSource, type PagerSource } from "../routing/record-pager.ts";
import { createStore, type Store } from "../util/store.ts";
import { type CommandList, createCommandList } from "./command-list.ts";
import { createDrafts, type Drafts } from "./draft-store.ts";
import { createPreferences, type Preferences } from "./preferences.ts";

/** State of the connection. `offline` is reported by the browser. */
export type ConnectionState = "reached" | "away" | "unreachable" | "offline";

/** A sentence for screen readers; repeating it announces it again. */
export interface Announcement {
  readonly text: string;
  readonly at: number;
}

/** The result of the user's own action, with undo if possible. */
export interface Toast extends Announcement {
  readonly undo?: () => void;
  /** The name of the action that takes it back, if not in one press: “Reopen…”. */
  readonly undoLabel?: string;
  /** True if it undoes an action on several records. */
  readonly isBulk?: boolean;
  /** The state that the record is in now. Without one, the note has a check. */
  readonly mark?: StateMarkJson;
  /** True if it says how far an act on several records is. It stays until the act ends. */
  readonly isRunning?: boolean;
  /** If it says why something is impossible, or that nothing happened. Otherwise, something was done. */
  readonly icon?: "lock" | "undo";
  /** The page of the record, which may have left the list in which it was changed. */
  readonly href?: string;
  /** True if something else was done since, or it is long ago: only a menu that names it still undoes it. */
  readonly isPast?: boolean;
}

/** A question about permissions on an entity or a record. */
export interface PermissionQuestion {
  readonly entity: string;
  readonly record: string | null;
  /** The action asked about first: `grant`, or reading or changing one field. */
  readonly what?: string;
  /** Only this field; empty for the record as a whole. */
  readonly field?: string;
}

/** A key, with the visit of the page on which it was pressed. */
interface EarlyKey {
  readonly visit: number;
  readonly event: KeyboardEvent;
}

/** A transition that was not made, with the reason. */
export interface RefusedTransitionNote {
  readonly record: string;
  readonly transition: TransitionJson;
  readonly failure: Failure;
}

/** A transition that leads back from one that was just made, and asks for input. */
export interface WayBack {
  readonly entity: string;
  readonly record: RecordJson;
  readonly transition: TransitionJson;
}

/** A record to be created for a choice of records, in a dialog above the form that asks for it. */
export interface RecordCreation {
  readonly entity: string;
  /** The text by which it was searched in vain. */
  readonly typed: string;
  readonly onCreated: (created: ReferenceJson) => void;
}

/** State of the interface that outlives a screen. */
export interface Client {
  readonly calls: ApiClient;
  readonly queries: QueryClient;
  readonly navigation: Navigation;
  readonly preferences: Preferences;
  readonly drafts: Drafts;
  readonly pictureOf: PictureOf;
  readonly trialOf: TrialOf;
  readonly trail: Store<PagerSource | null>;
  /** The last record shown: a list starts there when the user returns. */
  readonly lastRecord: Store<string | null>;
  /** The latest keys that were pressed on a page without rows, each with its visit. */
  readonly earlyKeys: Store<readonly EarlyKey[]>;
  /** True while a page loads what is not on the screen, to print it. */
  readonly printing: Store<boolean>;
  readonly connection: Store<ConnectionState>;
  /** Tries again at once to reach the server, for everything that waits for it. */
  readonly reconnect: () => void;
  /** True if the command palette is open. */
  readonly palette: Store<boolean>;
  /** The part with which the open help begins: the keys or the page; null while it is closed. */
  readonly help: Store<"keys" | "page" | null>;
  /** True while the user names a deputy. */
  readonly namingDeputy: Store<boolean>;
  /** The current question about permissions; null if there is none. */
  readonly permissionQuestion: Store<PermissionQuestion | null>;
  /** Records that are being created for choices, each above the previous one. */
  readonly creations: Store<readonly RecordCreation[]>;
  /** The transition that the user has chosen instead of an undo; null if there is none. */
  readonly wayBack: Store<WayBack | null>;
  /** A transition that should have followed a save and was refused: reported on the record's page. */
  readonly unmade: Store<RefusedTransitionNote | null>;
  /** Commands of the current page; refused ones give a reason. */
  readonly commands: CommandList;
  /** The feed of changes by others. */
  readonly live: ChangeFeed;
  /** Number of forms with unsaved input: while there are any, no page is reloaded automatically. */
  readonly atWork: Store<number>;
  /** True if the session has ended. */
  readonly signedOut: Store<boolean>;
  /** True if the server has a newer build than this page. */
  readonly renewed: Store<boolean>;
  /** The note shown after the user's own action. */
  readonly toast: Store<Toast | null>;
  /** The last note with something to undo, also after it is gone. */
  readonly undoable: Store<Toast | null>;
  readonly polite: Store<Announcement | null>;
  readonly assertive: Store<Announcement | null>;
}

export const createAnnouncement = (text: string): Announcement => ({ text, at: Date.now() });

const personNow = (queries: QueryClient): PersonJson | null =>
  queries.getQueryData<Application>(keys.application)?.person ?? null;

/** The person's preferences, unless somebody else has signed in. */
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

/** Everything except plans: each is of a text and the version that this began with. */
const WITHOUT_PLANS: InvalidateQueryFilters = {
  predicate: ({ queryKey: [of, what] }) => of !== "document" || what !== "plan",
};

/** Waits until no form has unsaved input: a form that is no longer permitted would disappear with it. */
const afterWork = (atWork: Store<number>, act: () => void): void => {
  if (atWork.get() === 0) {
    act();
    return;
  }
  const unsubscribe = atWork.subscribe(() => {
    if (atWork.get() > 0) return;
    unsubscribe();
    act();
  });
};

/** The feed of changes by others, after which their data is loaded again. */
const createFeed = (
  changes: ApiClient["changes"],
  queries: QueryClient,
  atWork: Store<number>,
  page: Document,
): ChangeFeed => {
  let isAwaited = false;
  /** The roles of the person may have changed. Screens are loaded first, so that none waits for data of another. */
  const reloadAll = () => {
    // Meanwhile, a form learns of changes by others.
    if (atWork.get() > 0) invalidatePaths(queries, null);
    if (isAwaited) return;
    isAwaited = true;
    afterWork(atWork, () => {
      isAwaited = false;
      void reload(queries, { queryKey: keys.application }).then(() => queries.invalidateQueries(WITHOUT_PLANS));
    });
  };
  return createLive(
    changes,
    (changed) => {
      // The manifest says who stands in for whom.
      if (changed === null || changed.includes(DEPUTY)) {
        reloadAll();
        return;
      }
      const entities = queries.getQueryData<Application>(keys.application)?.entities ?? {};
      const paths = changed.flatMap((name) => entities[name]?.calls ?? []);
      invalidatePaths(queries, paths);
    },
    page,
  );
};

/** Sends again at once what waits for its next try. A query that has no data yet cannot be invalidated. */
const retryWaiting = (queries: QueryClient): void => {
  for (const query of queries.getQueryCache().findAll({ fetchStatus: "fetching" })) {
    const { fetchFailureCount, fetchMeta } = query.state;
    if (fetchFailureCount === 0) continue;
    void query.cancel({ silent: true });
    void query.fetch(undefined, fetchMeta === null ? {} : { meta: fetchMeta }).catch(() => undefined);
  }
};

/** Follows the browser, and calls `onReached` when the connection is back. */
const followNetwork = (
  browser: Window,
  connection: Store<ConnectionState>,
  queries: QueryClient,
  onReached: () => void,
): void => {
  browser.addEventListener("offline", () => connection.set("offline"));
  browser.addEventListener("online", () => {
    connection.set("reached");
    void queries.invalidateQueries();
  });
  let before = connection.get();
  connection.subscribe(() => {
    const isBack = before !== "reached" && connection.get() === "reached";
    before = connection.get();
    if (isBack) onReached();
  });
};

/** Asks for something small, because a proxy also gives up on a single call that takes too long. */
const createProbe = (
  connection: Store<ConnectionState>,
  ask: () => Promise<unknown>,
  unreached: () => ConnectionState,
): (() => void) => {
  let isProbing = false;
  return () => {
    if (isProbing || connection.get() !== "reached") return;
    isProbing = true;
    const fail = (thrown: unknown) => {
      if (toFailure(thrown).kind === "unreachable") connection.set(unreached());
    };
    void ask()
      .catch(fail)
      .finally(() => {
        isProbing = false;
      });
  };
};

export const createClient = (browser: Window & typeof globalThis): Client => {
  const connection = createStore<ConnectionState>(browser.navigator.onLine ? "reached" : "offline");
  const queries = createQueries(() => connection.get() === "reached");
  const signedOut = createStore(false);
  const renewed = createStore(false);
  const atWork = createStore(0);
  let version: number | null = null;
  const unreached = () => (browser.navigator.onLine ? "unreachable" : "offline");

  const reconnect = () => {
    live.retry();
    retryWaiting(queries);
  };
  followNetwork(browser, connection, queries, reconnect);
  const preferences = createPreferences(
    () => browser.localStorage,
    async (chosen) => {
      const personId = personNow(queries)?.id;
      try {
        await calls.savePreferences(chosen);
      } catch (thrown) {
        // A refused preference is not sent again; it applies until the page is closed.
        if (toFailure(thrown).kind === "refused") return;
        throw thrown;
      }
      likes(queries, personId, (before) => ({ ...before, ...chosen }));
    },
  );
  // Applies the preferences of the person whose manifest is shown.
  queries.getQueryCache().subscribe((event) => {
    if (event.type === "updated" && event.action.type === "success" && event.query.queryKey[0] === keys.application[0])
      preferences.belongTo(personNow(queries));
  });
  takePreloaded(queries, browser.document, preferences.language.get());
  browser.addEventListener("pagehide", () => void preferences.saved());
  browser.document.addEventListener("visibilitychange", async () => {
    const before = personNow(queries);
    if (browser.document.visibilityState === "hidden" || before === null) return;
    // Preferences may have changed in another browser. Without a response, nothing changes.
    const now = await preferences
      .saved()
      .then(calls.preferences, () => null)
      .catch(() => null);
    if (now === null) return;
    likes(queries, before.id, () => now);
    if (now.language !== before.preferences.language) await queries.invalidateQueries();
  });
  // Content and interface must be in one language: the chosen one, or that of the first manifest.
  const fetchInLanguage: typeof fetch = (address, options) => {
    const getLocale = () => queries.getQueryData<Application>(keys.application)?.locale;
    const language = preferences.language.get() ?? (address === "/_/application" ? undefined : getLocale());
    const headers = new Headers(options?.headers);
    if (language !== undefined) headers.set("Accept-Language", language);
    return browser.fetch(address, { ...options, headers });
  };
  const calls = createCalls(withPreloaded(fetchInLanguage, browser, preferences.language.get), {
    // A new version of the document may change everything shown.
    version: (answered) => {
      if (version !== null && version !== answered) void queries.invalidateQueries(WITHOUT_PLANS);
      version = answered;
    },
    isOffline: () => !browser.navigator.onLine,
    reached: (how) => connection.set(how === "unreachable" ? unreached() : how),
    answeredByProxy: createProbe(connection, () => calls.changes(null, AbortSignal.timeout(10_000)), unreached),
    signedOut: () => signedOut.set(true),
    previewEnded: () => browser.location.reload(),
  });
  const own = browser.document.querySelector<HTMLMetaElement>("meta[name=program]")?.content;
  const changes: typeof calls.changes = async (after, signal) => {
    const answer = await calls.changes(after, signal);
    if (own !== undefined && answer.program !== own) renewed.set(true);
    return answer;
  };
  // A chunk failed to load: perhaps a newer build no longer has it, so reload.
  browser.addEventListener("vite:preloadError", () => {
    const isNewPage = browser.performance.now() < 10_000;
    void changes(null, AbortSignal.timeout(10_000)).then(
      // Behind a load balancer the new page may be of the old build again; do not reload endlessly.
      () => renewed.get() && atWork.get() === 0 && !isNewPage && browser.location.reload(),
      () => undefined,
    );
  });
  const live = createFeed(changes, queries, atWork, browser.document);

  return {
    calls,
    queries,
    navigation: createNavigation(browser, () => renewed.get() && atWork.get() === 0),
    preferences,
    drafts: createDrafts(() => browser.localStorage),
    pictureOf: createPictures(calls.pictures),
    trialOf: createTrials(calls.tryTransitions),
    trail: createPagerSource(),
    lastRecord: createStore<string | null>(null),
    earlyKeys: createStore<readonly EarlyKey[]>([]),
    printing: createStore(false),
    palette: createStore(false),
    help: createStore<"keys" | "page" | null>(null),
    namingDeputy: createStore(false),
    permissionQuestion: createStore<PermissionQuestion | null>(null),
    creations: createStore<readonly RecordCreation[]>([]),
    wayBack: createStore<WayBack | null>(null),
    unmade: createStore<RefusedTransitionNote | null>(null),
    commands: createCommandList(),
    live,
    connection,
    reconnect,
    atWork,
    signedOut,
    renewed,
    toast: createStore<Toast | null>(null),
    undoable: createStore<Toast | null>(null),
    polite: createStore<Announcement | null>(null),
    assertive: createStore<Announcement | null>(null),
  };
};
