import { type Caller, principalKey } from "../plan/context.ts";
import { toReaderId } from "../plan/row/change-visibility.ts";
import { groupBy } from "../util/group-by.ts";

/** A page that waits for a change which its person sees. */
export interface WaitingPage {
  readonly caller: Caller;
  /** Entities of changes that the person sees. */
  readonly noticed: Set<string>;
  /** True if the person has other roles now. */
  isOutdated: boolean;
  /** Resolves at the timeout, the abort or `end`. */
  readonly over: Promise<void>;
  readonly isOver: boolean;
  end(): void;
}

/** People with the same roles, whose permissions one statement reads. */
interface RoleGroup {
  /** Of the page that came last. */
  readonly caller: Caller;
  /** The pages of each person. */
  readonly pages: ReadonlyMap<string, readonly WaitingPage[]>;
}

/** The pages that wait at this server. */
export class WaitingPages {
  readonly #pages = new Set<WaitingPage>();

  get size(): number {
    return this.#pages.size;
  }

  add(caller: Caller, milliseconds: number, signal: AbortSignal): WaitingPage {
    let isOver = false;
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      end = () => {
        isOver = true;
        clearTimeout(limit);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const limit = setTimeout(() => end(), milliseconds);
      signal.addEventListener("abort", end);
    });
    if (signal.aborted) end();
    const page = {
      caller,
      noticed: new Set<string>(),
      isOutdated: false,
      over,
      end,
      get isOver(): boolean {
        return isOver;
      },
    };
    this.#pages.add(page);
    return page;
  }

  delete(page: WaitingPage): void {
    page.end();
    this.#pages.delete(page);
  }

  [Symbol.iterator](): Iterator<WaitingPage> {
    return this.#pages[Symbol.iterator]();
  }

  /** The pages that wait now, by roles and person. */
  groupByRoles(): readonly RoleGroup[] {
    const groups = groupBy([...this.#pages], ({ caller }) => principalKey(caller.principal));
    return [...groups.values()].flatMap((pages) => {
      const newest = pages.at(-1);
      return newest === undefined
        ? []
        : [{ caller: newest.caller, pages: groupBy(pages, ({ caller }) => toReaderId(caller.principal)) }];
    });
  }
}
