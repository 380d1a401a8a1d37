import type { Query, QueryClient } from "@tanstack/react-query";
import type { ChangesJson } from "../../core/wire/changes.ts";
import { createStore, type Store } from "../util/store.ts";

/** Number of changes per entity since the page was opened; `all` counts changes of unknown entities. */
interface ChangeCounts {
  readonly all: number;
  readonly of: { readonly [entity: string]: number };
}

/** Number of possible changes of an entity. */
export const countChanges = ({ all, of }: ChangeCounts, entity: string): number => all + (of[entity] ?? 0);

export interface ChangeFeed {
  readonly counts: Store<ChangeCounts>;
  /** Starts listening; returns a function that stops it. */
  start(): () => void;
  /** Listens again at once if it waits after a failure. */
  retry(): void;
  /**
   * Keeps back what changes, until the function that it returns is called. An act on many records changes one after another:
   * nobody wants to see each step, with rows in two groups and a selection that shrinks under the question about it.
   */
  hold(): () => void;
}

const pause = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/**
 * One long poll for each visible page. On a change, the data of that entity is refetched with the permissions of the
 * user.
 */
export const createLive = (
  ask: (after: string | null, signal: AbortSignal) => Promise<ChangesJson>,
  stale: (entities: readonly string[] | null) => void,
  page: Document,
): ChangeFeed => {
  const counts = createStore<ChangeCounts>({ all: 0, of: {} });
  let holds = 0;
  /** The changes that are kept back; `null` stands for unknown entities. */
  let kept: readonly ChangesJson["changed"][] = [];
  const tell = (changed: ChangesJson["changed"]): void => {
    stale(changed);
    const { all, of } = counts.get();
    const more = (changed ?? []).map((entity) => [entity, (of[entity] ?? 0) + 1] as const);
    counts.set({ all: changed === null ? all + 1 : all, of: { ...of, ...Object.fromEntries(more) } });
  };
  const tellKept = (): void => {
    const all = kept;
    kept = [];
    if (all.length > 0) tell(all.includes(null) ? null : [...new Set(all.flatMap((changed) => changed ?? []))]);
  };
  /** Ends the pause after a failure. */
  let resume = new AbortController();

  const listen = async (signal: AbortSignal, heard: { at: string | null }) => {
    let failed = 0;
    while (!signal.aborted) {
      try {
        const answer: ChangesJson = await ask(heard.at, signal);
        heard.at = answer.at;
        failed = 0;
        if (answer.changed?.length === 0) continue;
        if (holds > 0) kept = [...kept, answer.changed];
        else tell(answer.changed);
        // Combines many writes into one refresh.
        await pause(300, signal);
      } catch {
        failed += 1;
        // At different moments, because a server that restarts loses all of its pages at once.
        resume = new AbortController();
        const milliseconds = Math.min(30_000, 1000 * 2 ** failed) * (0.5 + Math.random());
        await pause(milliseconds, AbortSignal.any([signal, resume.signal]));
      }
    }
  };

  return {
    counts,
    retry: () => resume.abort(),
    hold: () => {
      holds += 1;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        holds -= 1;
        if (holds === 0) tellKept();
      };
    },
    start: () => {
      let listening: AbortController | null = null;
      // A page that was hidden hears what it has missed.
      const heard = { at: null };
      const follow = () => {
        if (page.visibilityState === "visible") {
          if (listening) return;
          listening = new AbortController();
          void listen(listening.signal, heard);
        } else {
          listening?.abort();
          listening = null;
        }
      };
      page.addEventListener("visibilitychange", follow);
      follow();
      return () => {
        page.removeEventListener("visibilitychange", follow);
        listening?.abort();
      };
    },
  };
};

/** True for a trial that a change of these entities can alter; one that does not name them, by any. */
const isAltered = ({ queryKey: [, , what], meta }: Query, paths: readonly string[] | null): boolean => {
  const by = meta?.alteredBy;
  return what === "trial" && (paths === null || !Array.isArray(by) || by.some((path) => paths.includes(path)));
};

/** The records on the page whose transitions depend on changed records, as path and id. */
const listDependentRecords = (queries: QueryClient, paths: readonly string[] | null): ReadonlySet<string> =>
  new Set(
    queries
      .getQueryCache()
      .findAll({ predicate: (query) => query.meta?.alteredBy !== undefined && isAltered(query, paths) })
      .map(({ queryKey: [, path, , id] }) => `${path} ${id}`),
  );

/**
 * Invalidates the data of an entity, except the rows of lists, which update themselves in place. A change may also decide
 * if a transition of another entity is refused, because rules read other records: by a trial, or already in the record.
 */
export const invalidatePaths = (queries: QueryClient, paths: readonly string[] | null): void => {
  const dependent = listDependentRecords(queries, paths);
  void queries.invalidateQueries({
    predicate: (query) => {
      const [kind, path, what, id] = query.queryKey;
      if (kind !== "of") return kind === "overview" || kind === "notifications";
      if (what === "trial") return isAltered(query, paths);
      if (what === "record" && dependent.has(`${path} ${id}`)) return true;
      return what !== "list" && what !== "candidates" && (paths === null || paths.includes(String(path)));
    },
  });
};
