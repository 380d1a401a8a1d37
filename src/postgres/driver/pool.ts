import type { Connection } from "./connection.ts";

/** How busy it is. */
export interface Load {
  readonly connections: number;
  readonly idle: number;
  /** Those that wait for a connection. */
  readonly waiting: number;
}

export interface PoolOptions {
  readonly open: () => Promise<Connection>;
  /** Connections at most. */
  readonly max: number;
  /** How many of them writes may have at once: they wait for one another, and those who read do not wait with them. */
  readonly writers: number;
  /**
   * In milliseconds: how long somebody waits for one while nobody gets one (who is served slowly waits in a queue that moves,
   * ten times as long), how long one may be silent when it is asked, and how long it is kept idle.
   */
  readonly wait: number;
  readonly silence: number;
  readonly idle: number;
  /** What is told to who waited in vain. */
  readonly late: () => Error;
}

interface Waiting {
  readonly since: number;
  readonly writes: boolean;
  /** How often the clock found it waiting. */
  seen: number;
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
}

/** How often the clock is looked at, in milliseconds. */
const TICK = 50;

/** Nobody has waited in vain before the clock found them so often: a process that was halted has not looked for a connection. */
const LOOKS = 4;

/** How long nobody tries to open one after it failed, in milliseconds: twice as long each time in a row, up to the longest. */
const SOONEST = 50;
const LATEST = 400;

/**
 * Connections, each lent to one at a time, those first who asked first. One clock watches over all of them: a timer for each
 * request and each statement outlives them by seconds, and what it holds on to with it.
 *
 * While none can be opened, one at a time is tried, and what comes of it is told to all who wait: a database that is starting
 * would have to turn each of them away by itself, and comes up the later for it.
 */
export class Pool {
  readonly #options: PoolOptions;
  /** The one that was given back last stands last, and is lent first. */
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();
  /** Those that are lent to writes. */
  readonly #writing = new Set<Connection>();
  #waiting: Waiting[] = [];
  #opening = 0;
  /** How often in a row none could be opened, and when it is tried again. */
  #failed = 0;
  #next = 0;
  /** When somebody got one the last time. */
  #served = 0;
  #clock: NodeJS.Timeout | undefined;
  /** Called when the last is gone. */
  #ended: (() => void) | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  load(): Load {
    return { connections: this.#all.size + this.#opening, idle: this.#idle.length, waiting: this.#waiting.length };
  }

  /** At once where one is idle. `writes`: for what may wait for the writes of others. */
  lend(writes = false): Connection | Promise<Connection> {
    if (this.#isOpenTo(writes))
      for (let one = this.#idle.pop(); one !== undefined; one = this.#idle.pop()) {
        if (one.isOpen) return this.#lent(one, writes);
        this.#leave(one);
      }
    return new Promise((resolve, reject) => {
      this.#clock ??= setInterval(() => this.#look(), TICK).unref();
      this.#waiting.push({ since: performance.now(), writes, seen: 0, resolve, reject });
      this.#open();
    });
  }

  giveBack(connection: Connection): void {
    this.#writing.delete(connection);
    if (!connection.isOpen || connection.isAsked || this.#ended !== undefined) {
      this.#leave(connection);
      this.#open();
      return;
    }
    connection.since = performance.now();
    this.#serve(connection);
  }

  /** Whoever waits is turned away; those that are lent are closed when they are given back. */
  async end(): Promise<void> {
    const gone = new Promise<void>((resolve) => {
      this.#ended = resolve;
    });
    for (const { reject } of this.#waiting.splice(0)) reject(this.#options.late());
    for (const one of this.#idle.splice(0)) this.#leave(one);
    if (this.#all.size > 0) await gone;
    clearInterval(this.#clock);
  }

  #isOpenTo(writes: boolean): boolean {
    return !writes || this.#writing.size < this.#options.writers;
  }

  #lent(connection: Connection, writes: boolean): Connection {
    if (writes) this.#writing.add(connection);
    return connection;
  }

  #leave(connection: Connection): void {
    this.#all.delete(connection);
    // Nobody waits for its goodbye: there may be no answer to it.
    connection.end().catch(() => undefined);
    if (this.#all.size === 0) this.#ended?.();
  }

  #serve(connection: Connection): void {
    const next = this.#waiting.findIndex(({ writes }) => this.#isOpenTo(writes));
    const [first] = next < 0 ? [] : this.#waiting.splice(next, 1);
    if (first === undefined) {
      this.#idle.push(connection);
      return;
    }
    this.#served = performance.now();
    first.resolve(this.#lent(connection, first.writes));
  }

  /** As many as somebody waits for, while there is room. */
  #open(): void {
    while (
      this.#ended === undefined &&
      this.#opening < (this.#failed > 0 ? Math.min(this.#waiting.length, 1) : this.#waiting.length) &&
      this.#all.size + this.#opening < this.#options.max &&
      this.#next <= performance.now()
    ) {
      this.#opening += 1;
      this.#options.open().then(
        (connection) => {
          this.#opening -= 1;
          this.#failed = 0;
          this.#all.add(connection);
          this.giveBack(connection);
          this.#open();
        },
        (error: unknown) => {
          this.#opening -= 1;
          this.#next = performance.now() + Math.min(SOONEST * 2 ** this.#failed, LATEST);
          this.#failed += 1;
          // Where there are others, whoever waits has one of those.
          if (this.#all.size === 0) for (const { reject } of this.#waiting.splice(0)) reject(error);
        },
      );
    }
  }

  #look(): void {
    const now = performance.now();
    const { idle, wait, silence, late } = this.#options;
    for (const one of this.#waiting) one.seen += 1;
    const isLate = ({ since, seen }: Waiting): boolean =>
      seen >= LOOKS && (Math.max(since, this.#served) + wait <= now || since + wait * 10 <= now);
    for (let first = this.#waiting[0]; first !== undefined && isLate(first); first = this.#waiting[0]) {
      this.#waiting.shift();
      first.reject(late());
    }
    for (const one of this.#all) if (one.isAsked && one.since + silence < now) one.cut();
    this.#open();
    // The first of them is idle the longest.
    for (let first = this.#idle[0]; first !== undefined && first.since + idle < now; first = this.#idle[0]) {
      this.#idle.shift();
      this.#leave(first);
    }
  }
}
