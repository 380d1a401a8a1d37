import { grantsFor, writableFields } from "../../../core/derive/authorization/grants.ts";
import type { RefusedRow, RowError } from "../../../core/import/group-refusals.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { fill, identifier, render, slot, sql } from "../../../core/sql.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { Database, Query } from "../../../postgres/database.ts";
import type { Service } from "../../execution/service.ts";
import type { Values } from "../../intent.ts";
import type { Caller } from "../../plan/context.ts";
import type { Plan } from "../../plan/plan.ts";
import { fromHistory } from "../../plan/row/audit-line.ts";
import { tableSql } from "../../plan/row/sql-env.ts";
import { toProblem } from "../../problems/to-problem.ts";
import { isRefusal, type Refusal } from "../../refusal.ts";
import type { RowResult } from "../import-store.ts";
import { attemptTogether } from "./attempt-together.ts";
import { type ImportTransaction, type RecordMove, RecordMover } from "./move-records.ts";

type Written = Extract<RowResult, { id: string }>;

/** A record as it was before the import. */
interface Former {
  readonly values: Values;
  /** Undefined if the import did not change it. */
  readonly state: string | undefined;
}

/** Reads the values that the import replaced, by record, from its audit lines. */
const readFormer = async (
  send: Database["batch"],
  entity: Entity,
  id: string,
  records: readonly string[],
): Promise<ReadonlyMap<string, Former>> => {
  if (records.length === 0) return new Map();
  const [rows = []] = await send([
    {
      name: "import former values",
      text: `select record, changes from ninefold.audit where import = $1 and record = any($2) and entity = $3 and action <> 'create' and cause is null order by id`,
      values: [id, [...records], entity.name],
    },
  ]);
  const former = new Map<string, Record<string, Json>>();
  for (const row of rows) {
    const values = former.get(String(row.record)) ?? {};
    former.set(String(row.record), values);
    // The first line has the value from before the import.
    for (const [name, [before]] of Object.entries(row.changes as Readonly<Record<string, readonly [Json, Json]>>)) {
      const field = entity.fields.get(name);
      if (field !== undefined && !(name in values)) values[name] = fromHistory(field, before) as Json;
    }
  }
  const stateField = entity.states?.field;
  return new Map(
    [...former].map(([record, values]) => {
      const state = stateField === undefined ? undefined : values[stateField];
      return [record, { values, state: typeof state === "string" ? state : undefined }];
    }),
  );
};

const toErrors = ({ model }: Service, entity: Entity, refusal: Refusal, { phrases }: Caller): readonly RowError[] => {
  const { code, clause, detail } = toProblem(model, refusal, phrases, { entity: entity.name });
  return [{ code, clause: clause ?? null, field: null, message: detail }];
};

/** Undoes the writes of some rows: takes records back to their former states, and then restores or deletes them. */
const undoTogether = async (
  service: Service,
  entity: Entity,
  written: readonly Written[],
  former: ReadonlyMap<string, Former>,
  caller: Caller,
  transaction: ImportTransaction,
): Promise<readonly (Refusal | undefined)[]> => {
  const { states } = entity;
  const journeys = written.flatMap(({ id, version }): readonly RecordMove[] => {
    const to = former.get(id)?.state;
    return to === undefined ? [] : [{ id, to, from: undefined, version, values: {}, left: new Set() }];
  });
  const ends =
    states === null || journeys.length === 0
      ? []
      : await new RecordMover(service, entity, states).move(journeys, caller, transaction);
  const endOf = new Map(journeys.map(({ id }, at) => [id, ends[at]]));
  const editable = writableFields(entity, grantsFor(service.model, entity, "update", caller.principal));
  const plans = written.map((item): Plan | Refusal | null => {
    const end = endOf.get(item.id);
    if (isRefusal(end)) return end;
    const of = { entity: entity.name, id: item.id, version: end === undefined ? item.version : null };
    if (item.did === "added") return service.plan({ kind: "delete", ...of }, caller);
    const values = Object.fromEntries(
      Object.entries(former.get(item.id)?.values ?? {}).filter(([name]) => editable.has(name)),
    );
    if (end !== undefined && Object.keys(values).length === 0) return null;
    return service.plan({ kind: "update", ...of, values, label: false }, caller);
  });
  const outcomes = await transaction.run(plans.filter((plan) => plan !== null));
  let next = 0;
  return plans.map((plan) => {
    const outcome = plan === null ? undefined : outcomes[next++];
    return isRefusal(outcome) ? outcome : undefined;
  });
};

/**
 * Undoes an import: deletes the records that it added, and gives the others their former states and values. Each is
 * checked like a transition, an update or a deletion by the person, in the version that the import left.
 */
export const undoRows = async (
  service: Service,
  entity: Entity,
  { id, results }: { readonly id: string; readonly results: readonly RowResult[] },
  caller: Caller,
  transaction: ImportTransaction,
): Promise<{ readonly results: readonly RowResult[]; readonly refused: readonly RefusedRow[] }> => {
  const written = results
    .filter((result): result is Written => result.did === "added" || result.did === "updated")
    .toReversed();
  const changed = written.filter(({ did }) => did === "updated").map((item) => item.id);
  const former = await readFormer(transaction.send, entity, id, changed);
  const attempt = (items: readonly Written[]) => undoTogether(service, entity, items, former, caller, transaction);
  const isMoved = [...former.values()].some(({ state }) => state !== undefined);
  const refusals = isMoved
    ? await attemptTogether(transaction.send, written, attempt, isRefusal)
    : await attempt(written);
  const refused = written.flatMap((one, at) => {
    const refusal = refusals[at];
    return refusal === undefined ? [] : [{ one, refusal }];
  });
  const ids = new Set(refused.map(({ one }) => one.id));
  return {
    results: results.filter((result) => result.did === "refused" || result.did === "unchanged" || ids.has(result.id)),
    refused: refused.map(({ one, refusal }) => ({ row: one.row, errors: toErrors(service, entity, refusal, caller) })),
  };
};

/** Counts the records of an import that somebody has since changed or deleted. */
export const countTouchedQuery = (entity: Entity, id: string): Query => {
  const statement = render(sql`SELECT count(*)::int AS "count" FROM ninefold.import_part AS "p",
    jsonb_to_recordset("p".results) AS "r"("did" text, "id" uuid, "version" integer)
    LEFT JOIN ${tableSql(entity)} AS "t" ON "t"."id" = "r"."id"
    WHERE "p".import = ${slot("import", "uuid")} AND "r"."did" IN ('added', 'updated') AND "r"."version" IS NOT NULL
      AND "t".${identifier("version")} IS DISTINCT FROM "r"."version"`);
  return { text: statement.text, values: fill(statement, { import: id }) };
};
