/** Maximum number of requests in progress per client. */
const MAX_PER_CLIENT = 4;

/**
 * Maximum number of long reads, such as searches, per client and in total. Two connections always remain for everything
 * else.
 */
const MAX_LONG_PER_CLIENT = 2;
const MAX_LONG = 4;

/** Maximum number of waiting requests per client and in total, and maximum wait in milliseconds. */
const MAX_WAITING_PER_CLIENT = 500;
const MAX_WAITING = 2_000;
const MAX_WAIT_MS = 10_000;

/** Thrown if the client has too many requests waiting. Nothing was done. */
export class TooManyRequests extends Error {
  override readonly name = "TooManyRequests";
  constructor() {
    super("One client has too many requests waiting.");
  }
}

/** Ends a turn. */
export type EndTurn = () => void;

/** Interval of the clock, in milliseconds. */
const TICK_MS = 100;

interface Waiting {
  readonly isLong: boolean;
  /** When its wait is too long. */
  readonly until: number;
  readonly begin: (end: EndTurn) => void;
  readonly fail: (error: unknown) => void;
  /** Removes the request from its queue. */
  readonly leave: () => void;
}

/** A client's requests in progress. */
interface InProgress {
  all: number;
  long: number;
}

/**
 * Shares the server among its clients. A client is a signed-in person, or the network of everybody else. Each has a few
 * turns; further requests wait in the client's own queue, and the queues take turns. So a client that sends requests
 * without end delays only itself.
 */
export class Turns {
  readonly #underWay = new Map<string, InProgress>();
  /** Non-empty queues; the client served last is at the end. */
  readonly #queues = new Map<string, Waiting[]>();
  #long = 0;
  #waiting = 0;
  /** Runs while requests wait: one clock for all of them, because a timer for each takes a microsecond to set and clear. */
  #clock: NodeJS.Timeout | undefined;

  /** Returns at once if there is room. Rejects with `TooManyRequests` if too many wait or the wait is too long. */
  begin(client: string, isLong: boolean): EndTurn | Promise<EndTurn> {
    // Waiting requests are only long reads without room, so a short one need not queue behind them.
    if (this.#hasRoom(client, isLong)) return this.#start(client, isLong);
    const queue = this.#queues.get(client) ?? [];
    if (queue.length >= MAX_WAITING_PER_CLIENT || this.#waiting >= MAX_WAITING)
      return Promise.reject(new TooManyRequests());
    this.#queues.set(client, queue);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting--;
        queue.splice(queue.indexOf(waiting), 1);
        if (queue.length === 0) this.#queues.delete(client);
        if (this.#waiting > 0) return;
        clearInterval(this.#clock);
        this.#clock = undefined;
      };
      const until = performance.now() + MAX_WAIT_MS;
      const waiting: Waiting = { isLong, until, begin: resolve, fail: reject, leave };
      this.#waiting++;
      this.#clock ??= setInterval(() => this.#rejectLate(), TICK_MS);
      queue.push(waiting);
    });
  }

  /** The first of a queue has waited the longest. */
  #rejectLate(): void {
    const now = performance.now();
    for (const queue of [...this.#queues.values()])
      for (let first = queue[0]; first !== undefined && first.until <= now; first = queue[0]) {
        first.leave();
        first.fail(new TooManyRequests());
      }
  }

  /** Rejects all waiting requests with an error that concerns all of them. */
  failAll(error: unknown): void {
    for (const queue of [...this.#queues.values()])
      for (const waiting of [...queue]) {
        waiting.leave();
        waiting.fail(error);
      }
  }

  #hasRoom(client: string, isLong: boolean): boolean {
    const { all, long } = this.#underWay.get(client) ?? { all: 0, long: 0 };
    return all < MAX_PER_CLIENT && (!isLong || (long < MAX_LONG_PER_CLIENT && this.#long < MAX_LONG));
  }

  #start(client: string, isLong: boolean): EndTurn {
    const inProgress = this.#underWay.get(client) ?? { all: 0, long: 0 };
    this.#underWay.set(client, inProgress);
    inProgress.all++;
    if (isLong) inProgress.long++;
    if (isLong) this.#long++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      inProgress.all--;
      if (isLong) inProgress.long--;
      if (isLong) this.#long--;
      if (inProgress.all === 0) this.#underWay.delete(client);
      this.#serve();
    };
  }

  /** Starts waiting requests while there is room, one per client in turn. */
  #serve(): void {
    for (const [client, queue] of [...this.#queues]) {
      const next = queue.find(({ isLong }) => this.#hasRoom(client, isLong));
      if (next === undefined) continue;
      next.leave();
      if (this.#queues.delete(client)) this.#queues.set(client, queue);
      next.begin(this.#start(client, next.isLong));
    }
  }
}
