import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import type { SignInAttemptJson, SignInsJson, SignInWay } from "../../core/wire/accounts/sign-ins.ts";
import type { Database, Row } from "../../postgres/database.ts";
import { BatchedLog, type LogTable } from "../telemetry/batched-log.ts";

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

interface SignInLine extends Required<SignInEvent> {
  readonly at: Date;
  readonly address: string;
  readonly agent: string;
}

const MAX_AGE_DAYS = 90;
/** Maximum number of entries: of failed attempts, which strangers can produce, and of all. */
const MAX_FAILED_ENTRIES = 200_000;
const MAX_ENTRIES = 1_000_000;

/** Stores only a valid address, because people sometimes type their password into the wrong field. */
const toStoredAddress = (typed: string): string =>
  /^[^\s@]{1,64}@[^\s@]{1,189}$/u.test(typed.trim()) ? typed.trim().toLowerCase() : "";

/** The line of a sign-in or of an attempt. */
export const signInLine = (request: FastifyRequest, { account = "", ...event }: SignInEvent, at: Date): SignInLine => {
  const agent = (request.headers["user-agent"] ?? "").slice(0, 300);
  return { ...event, account: toStoredAddress(account), at, address: request.ip, agent };
};

const PAGE_SIZE = 50;
/** Number of their own entries that people see. */
const OWN_ENTRIES = 10;

const table: LogTable<SignInLine> = {
  name: "sign-ins",
  insert: (lines) => ({
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
  }),
  trim: {
    text: `with last as (select max(id) as id from ninefold.sign_in)
           delete from ninefold.sign_in s using last
           where s.at < now() - make_interval(days => $1) or s.id <= last.id - $3 or (s.refused is not null and s.id <= last.id - $2)`,
    values: [MAX_AGE_DAYS, MAX_FAILED_ENTRIES, MAX_ENTRIES],
  },
};

/** The log of sign-ins. Entries are written outside requests, so that response times reveal nothing about accounts. */
export class SignInLog extends BatchedLog<SignInLine> {
  constructor(database: Database, log: FastifyBaseLogger) {
    super(database, log, table);
  }
}

/** Deletes the lines that are too old or too many. */
export const trimSignIns = async (database: Database): Promise<void> => {
  await database.query(table.trim);
};

const toSignInAttempt = (row: Row): SignInAttemptJson => ({
  at: String(row.at),
  way: row.way as SignInWay,
  refused: row.refused === null ? null : String(row.refused),
  address: String(row.address),
  agent: String(row.agent),
});

/** The person's own recent entries. */
export const listOwnSignIns = async (database: Database, person: string): Promise<readonly SignInAttemptJson[]> => {
  const rows = await database.query({
    text: `select at, way, refused, address, agent from ninefold.sign_in where person = $1 order by id desc limit ${OWN_ENTRIES}`,
    values: [person],
  });
  return rows.map(toSignInAttempt);
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
           order by s.id desc limit ${PAGE_SIZE + 1}`,
    values: [after, failed, search.trim()],
  });
  const shown = rows.slice(0, PAGE_SIZE);
  return {
    items: shown.map((row) => ({
      ...toSignInAttempt(row),
      id: String(row.id),
      person: row.person === null ? null : { id: String(row.person), label: String(row.name) },
      account: String(row.account),
    })),
    next: rows.length > PAGE_SIZE ? String(shown.at(-1)?.id) : null,
  };
};
