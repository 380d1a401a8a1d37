/** Requests of one client that are worked on at once; the others wait. */
const PER_CLIENT = 4;

/** Long reads, such as searches, at once: of one client, and of all. Two connections are always left for everything else. */
const LONG_PER_CLIENT = 2;
const LONG = 4;

/** Requests of one client, and of all, that may wait, and how long, in milliseconds. */
const WAITING_PER_CLIENT = 500;
const WAITING = 2_000;
const LONGEST_WAIT = 10_000;

/** One client asks for more than it has turns. Nothing was done. */
export class TooManyRequests extends Error {
  override readonly name = "TooManyRequests";
  constructor() {
    super("One client asks for too much at once.");
  }
}

/** Ends a turn. */
export type EndTurn = () => void;

interface Waiting {
  readonly isLong: boolean;
  readonly begin: (end: EndTurn) => void;
  readonly fail: (error: unknown) => void;
  /** Takes it out of its queue. */
  readonly leave: () => void;
}

/** Requests of a client under way. */
interface UnderWay {
  all: number;
  long: number;
}

/**
 * Shares the server among its clients. A client is a person who is signed in, or the network of everybody else. Each
 * has a few turns at once; whatever else it asks for waits in a queue of its own, and queues take turns too. So one
 * client that asks without end keeps itself waiting and nobody else.
 */
export class Turns {
  readonly #underWay = new Map<string, UnderWay>();
  /** Those that have somebody waiting; the client that was served last stands last. */
  readonly #queues = new Map<string, Waiting[]>();
  #long = 0;
  #waiting = 0;

  /** At once where there is room; rejects with `TooManyRequests` where too many wait, or one waited too long. */
  begin(client: string, isLong: boolean): EndTurn | Promise<EndTurn> {
    // Whatever waits has no room: a long read that does keeps nothing waiting that is short.
    if (this.#hasRoom(client, isLong)) return this.#start(client, isLong);
    const queue = this.#queues.get(client) ?? [];
    if (queue.length >= WAITING_PER_CLIENT || this.#waiting >= WAITING) return Promise.reject(new TooManyRequests());
    this.#queues.set(client, queue);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(patience);
        this.#waiting--;
        queue.splice(queue.indexOf(waiting), 1);
        if (queue.length === 0) this.#queues.delete(client);
      };
      const patience = setTimeout(() => {
        leave();
        reject(new TooManyRequests());
      }, LONGEST_WAIT);
      const waiting: Waiting = { isLong, begin: resolve, fail: reject, leave };
      this.#waiting++;
      queue.push(waiting);
    });
  }

  /** Tells all who wait what one was told: what they wait for is not there for them either. */
  failAll(error: unknown): void {
    for (const queue of [...this.#queues.values()])
      for (const waiting of [...queue]) {
        waiting.leave();
        waiting.fail(error);
      }
  }

  #hasRoom(client: string, isLong: boolean): boolean {
    const { all, long } = this.#underWay.get(client) ?? { all: 0, long: 0 };
    return all < PER_CLIENT && (!isLong || (long < LONG_PER_CLIENT && this.#long < LONG));
  }

  #start(client: string, isLong: boolean): EndTurn {
    const one = this.#underWay.get(client) ?? { all: 0, long: 0 };
    this.#underWay.set(client, one);
    one.all++;
    if (isLong) one.long++;
    if (isLong) this.#long++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      one.all--;
      if (isLong) one.long--;
      if (isLong) this.#long--;
      if (one.all === 0) this.#underWay.delete(client);
      this.#serve();
    };
  }

  /** Begins what there is room for, one of each client after the other. */
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
