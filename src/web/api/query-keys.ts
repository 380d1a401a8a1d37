import { notifyManager, QueryClient } from "@tanstack/react-query";
import { type Failure, toFailure } from "./api-error.ts";
import type { PeopleFilter } from "./people-calls.ts";

/** Keys of the query cache. All data of an entity's calls share a prefix. */
export const keys = {
  application: ["application"],
  openPoints: ["open points"],
  views: (person: string) => ["views", person],
  notifications: (person: string) => ["notifications", person],
  notificationsPage: (person: string, unread: boolean) => ["notifications", person, unread ? "unread" : "all"],
  overviews: ["overview"],
  overview: (screen: string) => ["overview", screen],
  /** Invalidated with the records of the entity; `path` is that of its calls. */
  letter: (path: string, screen: string, id: string, language: string) => ["of", path, "letter", screen, id, language],
  document: ["document"],
  trash: (search: string) => ["trash", search],
  previews: ["previews"],
  proposals: ["proposals"],
  proposal: (number: number) => ["proposals", "one", number],
  versions: ["versions"],
  job: ["job"],
  retired: ["retired"],
  retiredSample: (name: string, version: number) => ["retired", "sample", name, version],
  version: (number: number) => ["versions", "one", number],
  questions: ["questions"],
  undecidedAt: (where: string) => ["undecided", where] as const,
  stateCounts: ["states"],
  why: (what: string, record: string, field = "", as = "") => ["why", what, record, field, as],
  permissions: (of: string, record: string, as: string) => ["permissions", of, record, as],
  missingRoles: (entities: readonly string[]) => ["people", "missing roles", entities],
  people: ["people"],
  peopleFound: (filter: PeopleFilter) => ["people", "found", filter],
  /** A single page for choosing people; `peopleFound` has all pages. */
  signIns: (search: string, failed: boolean) => ["people", "sign-ins", search, failed],
  peopleOffered: ["people", "offered"],
  accounts: (ids: readonly string[]) => ["people", "several", ...ids],
  personAccount: (id: string) => ["people", "one", id],
  account: ["account"],
  registrations: ["people", "registrations"],
  outboundHold: ["people", "held"],
  unsent: ["people", "unsent"],
  mailedTransition: (token: string) => ["mailed transition", token] as const,
  mailsOfLink: (token: string) => ["mails of a link", token],
  registration: (token: string) => ["registration", token],
  of: (path: string) => ["of", path],
  list: (path: string, search: string) => ["of", path, "list", search],
  groups: (path: string, search: string) => ["of", path, "groups", search],
  pivot: (path: string, search: string) => ["of", path, "pivot", search],
  /** Rows on a board or calendar. */
  drawn: (path: string, search: string) => ["of", path, "drawn", search],
  /** The records that are in the way of another. */
  colliding: (path: string, search: string) => ["of", path, "colliding", search],
  /** Those of other people at the same time. */
  overlapped: (path: string, search: string) => ["of", path, "overlapped", search],
  /** All records of an entity, for the formulas of forms. */
  all: (path: string) => ["of", path, "all"],
  /** `screen`: the path of the record's screen, if its answer names what that hides. Other answers must not replace it. */
  record: (path: string, id: string, screen: string | null = null) =>
    screen === null ? (["of", path, "record", id] as const) : (["of", path, "record", id, screen] as const),
  /** A record with its parts. */
  recordWithParts: (path: string, id: string) => ["of", path, "record", id, "parts"],
  /** The records whose deletion would be refused. */
  removal: (path: string, ids: readonly string[]) => ["removal", path, ids],
  /** The transitions of a record that rules on other records refuse in a state, of all versions. */
  trials: (path: string, id: string, state: string) => ["of", path, "trial", id, state],
  trial: (path: string, id: string, state: string, version: number) => ["of", path, "trial", id, state, version],
  history: (path: string, id: string) => ["of", path, "history", id],
  /** The picture of a person. */
  picture: (path: string, id: string) => ["of", path, "picture", id],
  visit: (of: string, record: string) => ["visit", of, record],
  roleHolders: (path: string) => ["of", path, "holders"],
  candidates: (path: string, typed: string, limits = "") => ["of", path, "candidates", typed, limits],
} as const;

/** Temporary failures, worth retrying. */
const isTemporary = ({ kind }: Failure) => ["away", "put off", "unreachable"].includes(kind);

/** Retries of a call that a proxy gives up on, while the server answers others. */
const MOST_BY_PROXY = 5;

/** Retries of a write after a temporary failure. */
const retryLimits: { readonly [kind in Failure["kind"]]?: number } = { away: 20, "put off": 3 };

const pause = (attempt: number, thrown: unknown): number => {
  const failure = toFailure(thrown);
  return failure.kind === "away" || failure.kind === "put off"
    ? failure.seconds * 1000
    : Math.min(1000 * 2 ** attempt, 15_000);
};

// The library would tell the page of an answer in a timer, which a browser delays in a page that is hidden or busy.
notifyManager.setScheduler(queueMicrotask);

/** `isReached` is true if the server answered last. */
export const createQueries = (isReached: () => boolean): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        // The library would pause calls while the browser reports being offline, which is often wrong.
        networkMode: "always",
        staleTime: 5_000,
        gcTime: 10 * 60_000,
        retry: (count, thrown) => {
          const failure = toFailure(thrown);
          const isRefusedByProxy = failure.kind === "unreachable" && failure.byProxy === true && isReached();
          return isTemporary(failure) && !(isRefusedByProxy && count >= MOST_BY_PROXY);
        },
        retryDelay: pause,
      },
      mutations: {
        networkMode: "always",
        // Retry if the server said so; a write without any response is for the user to repeat.
        retry: (count, thrown) => count < (retryLimits[toFailure(thrown).kind] ?? 0),
        retryDelay: pause,
      },
    },
  });
