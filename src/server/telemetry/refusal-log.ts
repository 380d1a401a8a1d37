import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import { isId } from "../../core/field/reference.ts";
import type { Problem } from "../../core/wire/problems.ts";
import type { Database } from "../../postgres/database.ts";
import type { PlanContext } from "../plan/context.ts";
import { toProblem } from "../problems/to-problem.ts";
import type { Refusal } from "../refusal.ts";
import { BatchedLog, type LogTable } from "./batched-log.ts";

/** A refused request and the deciding clause. Never contains the input. */
export interface RefusalEntry {
  readonly at: Date;
  readonly person: string | null;
  /** Version of the document. */
  readonly document: number;
  readonly status: number;
  readonly code: string;
  readonly clause: string | null;
  readonly entity: string | null;
  readonly record: string | null;
  /** `read`, `update` or the name of a transition; or a platform call such as `POST /_/session`. */
  readonly action: string;
  /** Request id; empty without a request. */
  readonly request: string;
}

/** An automatic action that was refused by a clause, or that failed in the database, which is a program error. */
export interface AutomaticRefusal {
  readonly context: Pick<PlanContext, "model" | "version">;
  readonly entity: string;
  readonly transition: string;
  readonly clause: string;
  readonly record: string;
  readonly refusal: Refusal | { readonly code: "FAULT" };
}

export const toAutomaticRefusal = (
  { context: { model, version }, entity, transition, clause, record, refusal }: AutomaticRefusal,
  at: Date,
): RefusalEntry => {
  const problem: Pick<Problem, "status" | "code" | "clause"> =
    "kind" in refusal ? toProblem(model, refusal, undefined, { entity }) : { status: 500, code: refusal.code };
  const { status, code } = problem;
  const of = { entity, record, action: transition, request: "" };
  return { at, person: null, document: version, status, code, clause: problem.clause ?? clause, ...of };
};

export const toRefusalEntry = (
  request: FastifyRequest,
  { status, code, clause }: Problem,
  document: number,
  at: Date,
): RefusalEntry => {
  // An invalid address has no route.
  const { config: { entity, action } = {}, url } = request.routeOptions as Partial<FastifyRequest["routeOptions"]>;
  const { id = "" } = (request.params ?? {}) as { readonly id?: string };
  return {
    at,
    person: request.who ?? null,
    document,
    status,
    code,
    clause: clause ?? null,
    entity: entity ?? null,
    record: isId(id.toLowerCase()) ? id.toLowerCase() : null,
    action: action ?? `${request.method} ${url ?? "(elsewhere)"}`,
    request: request.id,
  };
};

const MAX_ENTRIES = 500_000;
const MAX_AGE_DAYS = 90;

const table: LogTable<RefusalEntry> = {
  name: "refusals",
  insert: (lines) => ({
    text: `insert into ninefold.refusal (at, person, document, status, code, clause, entity, record, action, request)
           select at, person, document, status, code, clause, entity, record, action, request
           from unnest($1::timestamptz[], $2::uuid[], $3::int[], $4::text[], $5::text[], $6::text[], $7::uuid[], $8::text[], $9::text[], $10::int[])
             as line (at, person, status, code, clause, entity, record, action, request, document)`,
    values: [
      lines.map(({ at }) => at.toISOString()),
      lines.map(({ person }) => person),
      lines.map(({ status }) => status),
      lines.map(({ code }) => code),
      lines.map(({ clause }) => clause),
      lines.map(({ entity }) => entity),
      lines.map(({ record }) => record),
      lines.map(({ action }) => action),
      lines.map(({ request }) => request),
      lines.map(({ document }) => document),
    ],
  }),
  trim: {
    text: `delete from ninefold.refusal where at < now() - make_interval(days => $1)
           or id <= (select max(id) from ninefold.refusal) - $2`,
    values: [MAX_AGE_DAYS, MAX_ENTRIES],
  },
};

/**
 * The log of refusals. Unlike the audit, whose lines are written with their change or not at all, it can lose lines.
 */
export class RefusalLog extends BatchedLog<RefusalEntry> {
  constructor(database: Database, log: FastifyBaseLogger) {
    super(database, log, table);
  }
}
