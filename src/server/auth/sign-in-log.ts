import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import type { SignInJson, SignInsJson, SignInWay } from "../../core/wire/sign-ins.ts";
import { type Database, inLog, type Row } from "../../postgres/database.ts";

/** A sign-in or an attempt. */
export interface SignInEvent {
  readonly way: SignInWay;
  /** Null if nobody was found; the address may still belong to an account. */
  readonly person: string | null;
  /** The address entered, for an unknown person. */
  readonly account?: string;
  /** The error code; null if it succeeded. */
  readonly refused: string | null;
}

interface Line extends Required<SignInEvent> {
  readonly at: Date;
  readonly address: string;
  readonly agent: string;
}

const EVERY = 1_000;
const WAITING = 2_000;
const TRIM_EVERY = 60_000;
const DAYS = 90;
/** Maximum number of failed attempts kept, which strangers can produce, and of all entries. */
const FAILED = 200_000;
const ALL = 1_000_000;

/** Keeps only a valid address: people sometimes type their password into the wrong field. */
const accountIn = (typed: string): string =>
  /^[^\s@]{1,64}@[^\s@]{1,189}$/u.test(typed.trim()) ? typed.trim().toLowerCase() : "";

const PAGE = 50;
const OWN = 10;

/**
 * The log of sign-ins. Entries are buffered in memory and written in batches, outside requests, so that response times
 * reveal nothing about accounts. If too many arrive, the newest are dropped and counted.
 */
export class SignInLog {
  readonly #database: Database;
  readonly #log: FastifyBaseLogger;
  readonly #timer: NodeJS.Timeout;
  #waiting: Line[] = [];
  #dropped = 0;
  #trimmed = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(database: Database, log: FastifyBaseLogger) {
    this.#database = database;
    this.#log = log;
    this.#timer = setInterval(() => void this.write(), EVERY);
    this.#timer.unref();
  }

  add(request: FastifyRequest, { account = "", ...event }: SignInEvent, at: Date): void {
    if (this.#waiting.length >= WAITING) this.#dropped++;
    else {
      const agent = (request.headers["user-agent"] ?? "").slice(0, 300);
      this.#waiting.push({ ...event, account: accountIn(account), at, address: request.ip, agent });
    }
  }

  /** Writes the buffer; resolves when that has succeeded or failed. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#flush());
    return this.#writing;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }

  async #flush(): Promise<void> {
    if (this.#dropped > 0) this.#log.warn({ dropped: this.#dropped }, "sign-ins that were not kept");
    this.#dropped = 0;
    const lines = this.#waiting;
    if (lines.length === 0) return;
    this.#waiting = [];
    try {
      await this.#database.query({
        name: "sign-ins",
        text: `insert into ninefold.sign_in (at, person, account, way, refused, address, agent)
               select at, coalesce(person, (select u."id" from app."user" u where lower(u."email") = account)), account, way, refused, address, agent
               from unnest($1::timestamptz[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
                 as line (at, person, account, way, refused, address, agent)`,
        values: [
          lines.map(({ at }) => at.toISOString()),
          lines.map(({ person }) => person),
          lines.map(({ account }) => account),
          lines.map(({ way }) => way),
          lines.map(({ refused }) => refused),
          lines.map(({ address }) => address),
          lines.map(({ agent }) => agent),
        ],
      });
      if (Date.now() - this.#trimmed > TRIM_EVERY) {
        this.#trimmed = Date.now();
        await trimSignIns(this.#database);
      }
    } catch (error) {
      this.#log.warn({ ...inLog(error), lost: lines.length }, "sign-ins could not be written");
    }
  }
}

/** Deletes entries that are too old or too many. */
export const trimSignIns = async (database: Database): Promise<void> => {
  await database.query({
    text: `with last as (select max(id) as id from ninefold.sign_in)
           delete from ninefold.sign_in s using last
           where s.at < now() - make_interval(days => $1) or s.id <= last.id - $3 or (s.refused is not null and s.id <= last.id - $2)`,
    values: [DAYS, FAILED, ALL],
  });
};

const lineIn = (row: Row): SignInJson => ({
  at: String(row.at),
  way: row.way as SignInWay,
  refused: row.refused === null ? null : String(row.refused),
  address: String(row.address),
  agent: String(row.agent),
});

/** The person's own recent entries. */
export const ownSignIns = async (database: Database, person: string): Promise<readonly SignInJson[]> => {
  const rows = await database.query({
    text: `select at, way, refused, address, agent from ninefold.sign_in where person = $1 order by id desc limit ${OWN}`,
    values: [person],
  });
  return rows.map(lineIn);
};

export interface SignInSearch {
  /** Part of the name, the address or the network address. */
  readonly search: string;
  /** Failed attempts only. */
  readonly failed: boolean;
  /** `next` of the previous page; null for the first. */
  readonly after: string | null;
}

/** All entries for administrators, page by page. */
export const listSignIns = async (
  database: Database,
  { search, failed, after }: SignInSearch,
): Promise<SignInsJson> => {
  const rows = await database.query({
    text: `select s.id, s.at, s.way, s.refused, s.address, s.agent, u."id" as person, u."name", coalesce(u."email", s.account) as account
           from ninefold.sign_in s left join app."user" u on u."id" = s.person
           where ($1::bigint is null or s.id < $1) and (not $2 or s.refused is not null)
             and ($3 = '' or s.address = $3 or position(lower($3) in lower(u."name")) > 0 or position(lower($3) in lower(coalesce(u."email", s.account))) > 0)
           order by s.id desc limit ${PAGE + 1}`,
    values: [after, failed, search.trim()],
  });
  const shown = rows.slice(0, PAGE);
  return {
    items: shown.map((row) => ({
      ...lineIn(row),
      id: String(row.id),
      person: row.person === null ? null : { id: String(row.person), label: String(row.name) },
      account: String(row.account),
    })),
    next: rows.length > PAGE ? String(shown.at(-1)?.id) : null,
  };
};
