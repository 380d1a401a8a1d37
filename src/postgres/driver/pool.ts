import type { Connection } from "./connection.ts";

/** The load of the pool. */
export interface Load {
  readonly connections: number;
  readonly idle: number;
  /** Requests waiting for a connection. */
  readonly waiting: number;
}

export interface PoolOptions {
  readonly open: () => Promise<Connection>;
  /** Maximum number of connections. */
  readonly max: number;
  /**
   * Maximum number of connections used by writes. Writes wait for each other's locks; reads must not wait with them.
   */
  readonly writers: number;
  /**
   * In milliseconds: how long to wait for a connection while none becomes free (ten times as long while the queue
   * moves), how long a connection may stay silent when asked, and how long an idle one is kept.
   */
  readonly wait: number;
  readonly silence: number;
  readonly idle: number;
  /** The error for a request that waited in vain. */
  readonly late: () => Error;
}

interface Waiting {
  readonly since: number;
  readonly writes: boolean;
  /** Number of clock ticks during which it was waiting. */
  seen: number;
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
}

/** Interval of the clock, in milliseconds. */
const TICK = 50;

/** Minimum number of ticks before a wait times out: a process that was suspended did not actually wait. */
const LOOKS = 4;

/**
 * Delay before the next attempt to connect after a failure, in milliseconds. It doubles with each failure in a row, up
 * to a maximum.
 */
const SOONEST = 50;
const LATEST = 400;

/**
 * A pool of connections. Each is lent to one user at a time, in the order of requests. One clock supervises all of
 * them, because a timer for each request and statement would outlive it by seconds, together with everything it
 * references. While no connection can be opened, only one attempt is made at a time, and its result is shared by all
 * waiting requests: a starting database would otherwise have to refuse each of them, and take longer to start.
 */
export class Pool {
  readonly #options: PoolOptions;
  /** Idle connections; the one returned last is lent first. */
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();
  /** Connections lent to writes. */
  readonly #writing = new Set<Connection>();
  #waiting: Waiting[] = [];
  #opening = 0;
  /** Failed attempts in a row, and the time of the next attempt. */
  #failed = 0;
  #next = 0;
  /** When a connection was last lent. */
  #served = 0;
  #clock: NodeJS.Timeout | undefined;
  /** Called when the last connection has closed. */
  #ended: (() => void) | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  load(): Load {
    return { connections: this.#all.size + this.#opening, idle: this.#idle.length, waiting: this.#waiting.length };
  }

  /** Lends a connection, at once if one is idle. Pass `writes` if the statements may wait for locks. */
  lend(writes = false): Connection | Promise<Connection> {
    if (this.#isOpenTo(writes))
      for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
        if (connection.isOpen) return this.#lent(connection, writes);
        this.#leave(connection);
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

  /** Rejects all waiting requests. Lent connections are closed when they are returned. */
  async end(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#ended = resolve;
    });
    for (const { reject } of this.#waiting.splice(0)) reject(this.#options.late());
    for (const connection of this.#idle.splice(0)) this.#leave(connection);
    if (this.#all.size > 0) await ended;
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
    // Not awaited: the server may never answer.
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

  /** Opens as many connections as requests are waiting, within the limit. */
  #open(): void {
    while (
      this.#ended === undefined &&
      this.#opening < (this.#failed > 0 ? Math.min(this.#waiting.length, 1) : this.#waiting.length) &&
      this.#all.size + this.#opening < this.#options.max &&
      this.#next <= performance.now()
    ) {
      this.#opening += 1;
      const began = performance.now();
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
          // While other connections exist, waiting requests will get one of them.
          if (this.#all.size === 0) this.#rejectAll(began, error);
        },
      );
    }
  }

  /**
   * Rejects all waiting requests with the error of an attempt to connect. If the attempt hung, those that came after it
   * began wait for the next one, because the database may have come back since.
   */
  #rejectAll(began: number, error: unknown): void {
    const hung = performance.now() - began > this.#options.wait / 2;
    const all = this.#waiting;
    this.#waiting = hung ? all.filter(({ since }) => since > began) : [];
    for (const waiting of all) if (!hung || waiting.since <= began) waiting.reject(error);
  }

  #look(): void {
    const now = performance.now();
    const { idle, wait, silence, late } = this.#options;
    for (const waiting of this.#waiting) waiting.seen += 1;
    const isLate = ({ since, seen }: Waiting): boolean =>
      seen >= LOOKS && (Math.max(since, this.#served) + wait <= now || since + wait * 10 <= now);
    for (let first = this.#waiting[0]; first !== undefined && isLate(first); first = this.#waiting[0]) {
      this.#waiting.shift();
      first.reject(late());
    }
    for (const connection of this.#all) if (connection.isAsked && connection.since + silence < now) connection.cut();
    this.#open();
    // The first has been idle the longest.
    for (let first = this.#idle[0]; first !== undefined && first.since + idle < now; first = this.#idle[0]) {
      this.#idle.shift();
      this.#leave(first);
    }
  }
}
