import {
  type ConnectOptions,
  connect,
  type Database,
  type LogPosition,
  type Query,
  type Row,
  type Standbys,
  StoreAway,
  StoreRefusal,
  StoreSlow,
} from "./database.ts";

/** Milliseconds between two looks at the end of the primary's log. A standby answers from data of at most two looks ago. */
const EVERY = 500;

/** Milliseconds that a request waits for a connection to a standby, and for its first answer. */
const PATIENCE = 150;

/** Milliseconds without a standby that failed, and without one that lags; doubled each time, up to a maximum. */
const AWAY = { soonest: 250, latest: 10_000 };
const LAGS = { soonest: 20, latest: 500 };

const DIVISION_BY_ZERO = "22012";

/** Parses a position such as `16/B374D848`: two hexadecimal numbers of 32 bits. */
export const parsePosition = (text: string): LogPosition => {
  const [high = "0", low = "0"] = text.split("/");
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
};

const formatPosition = (position: LogPosition): string =>
  `${(position >> 32n).toString(16)}/${(position & 0xffff_ffffn).toString(16)}`;

const PAGE = 8_192n;
/** Lengths of the header of a page of the log, and of the first page of a file. */
const HEADERS: ReadonlySet<LogPosition> = new Set([24n, 40n]);

/**
 * The end of the log as a standby reports it. If the last record fills its page, the primary reports a position behind the
 * header of the next page, which a standby reaches only with the next record.
 */
const beforeHeader = (end: LogPosition): LogPosition => (HEADERS.has(end % PAGE) ? end - (end % PAGE) : end);

/** Not the flushed end: with `synchronous_commit = off`, a commit can be visible before it is flushed. */
const END_OF_LOG: Query = {
  name: "end of log",
  text: "select pg_current_wal_insert_lsn()::text as position",
  values: [],
};

/** Fails unless the server is a standby that has replayed the log up to a position, so that no later statement runs. */
const checkReplayed = (minPosition: LogPosition): Query => ({
  name: "replayed",
  text: "select 1 / (pg_is_in_recovery() and coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false))::integer",
  values: [formatPosition(minPosition)],
});

/** A period without requests, which doubles with each failure in a row. */
class Pause {
  readonly #limits: typeof AWAY;
  #failures = 0;
  #until = 0;

  constructor(limits: typeof AWAY) {
    this.#limits = limits;
  }

  get isOver(): boolean {
    return performance.now() >= this.#until;
  }

  get isNeeded(): boolean {
    return this.#failures > 0;
  }

  begin(): void {
    const { soonest, latest } = this.#limits;
    this.#until = performance.now() + Math.min(soonest * 2 ** this.#failures, latest);
    this.#failures += 1;
  }

  end(): void {
    this.#failures = 0;
    this.#until = 0;
  }
}

/** One standby. Requests pass it over while it is away, lags, or has no connection to spare. */
class Standby {
  readonly #database: Database;
  readonly #max: number;
  /** Ended by a probe, never at the expense of a request. */
  readonly #away = new Pause(AWAY);
  readonly #lags = new Pause(LAGS);
  #isProbing = false;

  constructor(database: Database, max: number) {
    this.#database = database;
    this.#max = max;
    this.#away.begin();
  }

  get isReady(): boolean {
    const { connections, idle, waiting } = this.#database.load();
    return !this.#away.isNeeded && this.#lags.isOver && (idle > 0 || (connections < this.#max && waiting < this.#max));
  }

  async read(queries: readonly Query[], minPosition: LogPosition): Promise<readonly (readonly Row[])[] | undefined> {
    try {
      const [, ...rows] = await this.#database.batch([checkReplayed(minPosition), ...queries]);
      this.#lags.end();
      return rows;
    } catch (error) {
      // The statement itself takes too long; the primary would need as long.
      if (error instanceof StoreSlow) throw error;
      if (error instanceof StoreAway) this.#away.begin();
      else if (error instanceof StoreRefusal && error.code === DIVISION_BY_ZERO) this.#lags.begin();
      // The primary decides about any other error: a statement of a newer version, a conflict with the replay, …
      return undefined;
    }
  }

  /** Looks if a standby that was away has returned. */
  async probe(minPosition: LogPosition): Promise<void> {
    if (!this.#away.isNeeded || !this.#away.isOver || this.#isProbing) return;
    this.#isProbing = true;
    try {
      await this.#database.batch([checkReplayed(minPosition)]);
      this.#away.end();
    } catch (error) {
      // A standby that lags is there.
      if (error instanceof StoreRefusal && error.code === DIVISION_BY_ZERO) this.#away.end();
      else this.#away.begin();
    } finally {
      this.#isProbing = false;
    }
  }

  end(): Promise<void> {
    return this.#database.end();
  }
}

export interface StandbyOptions {
  readonly connections: readonly ConnectOptions["connection"][];
  readonly pooled?: boolean;
  /** Maximum number of connections to each. */
  readonly max?: number;
  readonly measured?: (seconds: number) => void;
  /** Receives the number of the standby that answered a read, from 1; null if the primary must. */
  readonly answered?: (standby: number | null) => void;
  /** Milliseconds between two looks at the primary. */
  readonly every?: number;
}

/**
 * Connects to standbys, which take turns. A standby must have replayed what the reader wrote, and what the primary had
 * committed one or two looks ago: that bounds the age of everything that it answers.
 */
export const connectStandbys = (
  primary: Database,
  { connections, pooled = false, max = 6, measured, answered, every = EVERY }: StandbyOptions,
): Standbys => {
  const standbys = connections.map((connection) => {
    const patience = { wait: PATIENCE, firstAnswer: PATIENCE };
    const database = connect({ connection, max, pooled, ...patience, ...(measured === undefined ? {} : { measured }) });
    return new Standby(database, max);
  });
  let turn = 0;
  /** The ends of the log at the last look and at the one before it; undefined before the first. */
  let seen: { readonly last: LogPosition; readonly before: LogPosition } | undefined;

  const position = async (): Promise<LogPosition> => {
    const [row] = await primary.query(END_OF_LOG);
    return beforeHeader(parsePosition(String(row?.position)));
  };
  const look = async (): Promise<void> => {
    const last = await position().catch(() => seen?.last);
    if (last === undefined) return;
    seen = { last, before: seen?.last ?? last };
    const after = seen.before;
    await Promise.all(standbys.map((standby) => standby.probe(after)));
  };
  const read: Standbys["read"] = async (queries, minPosition) => {
    if (seen === undefined) return undefined;
    const wanted = minPosition > seen.before ? minPosition : seen.before;
    for (let tried = 0; tried < standbys.length; tried++) {
      turn = (turn + 1) % standbys.length;
      const at = turn;
      const standby = standbys[at];
      if (standby?.isReady !== true) continue;
      const rows = await standby.read(queries, wanted);
      if (rows === undefined) continue;
      answered?.(at + 1);
      return rows;
    }
    return undefined;
  };
  let isLooking = false;
  const lookOnce = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    await look().finally(() => {
      isLooking = false;
    });
  };
  const clock = setInterval(() => void lookOnce(), every);
  clock.unref();
  void lookOnce();

  return {
    position,
    read: async (queries, minPosition) => {
      const rows = await read(queries, minPosition);
      if (rows === undefined) answered?.(null);
      return rows;
    },
    end: async () => {
      clearInterval(clock);
      await Promise.all(standbys.map((standby) => standby.end()));
    },
  };
};
