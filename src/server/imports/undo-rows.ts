import type { RefusedRow, RowError } from "../../core/import/group-refusals.ts";
import type { Entity } from "../../core/model/entity.ts";
import { fill, identifier, render, slot, sql } from "../../core/sql.ts";
import type { Json } from "../../core/wire/json.ts";
import type { Database, Query } from "../../postgres/database.ts";
import type { Service } from "../execution/service.ts";
import type { Intent } from "../intent.ts";
import type { Caller } from "../plan/context.ts";
import type { Outcome } from "../plan/outcome.ts";
import type { Plan } from "../plan/plan.ts";
import { fromHistory } from "../plan/row/audit-line.ts";

import { tableSql } from "../plan/row/sql-env.ts";
import { type Refusal, toProblem } from "../refusal.ts";
import type { RowResult } from "./import-store.ts";

type Written = Extract<RowResult, { id: string }>;

/** Reads the values that the import replaced, by record, from its audit lines. */
const readFormerValues = async (
  send: Database["batch"],
  entity: Entity,
  id: string,
  records: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Record<string, Json>>>> => {
  if (records.length === 0) return new Map();
  const [rows = []] = await send([
    {
      name: "import former values",
      text: `select record, changes from ninefold.audit where import = $1 and record = any($2) and entity = $3 and action = 'update' and cause is null order by id desc`,
      values: [id, [...records], entity.name],
    },
  ]);
  return new Map(
    rows.map((row) => {
      const changes = row.changes as Readonly<Record<string, readonly [Json, Json]>>;
      const former = Object.entries(changes).flatMap(([name, [before]]) => {
        const field = entity.fields.get(name);
        return field === undefined || field.storage.as !== "column" || field.set !== null
          ? []
          : [[name, fromHistory(field, before) as Json] as const];
      });
      return [String(row.record), Object.fromEntries(former)];
    }),
  );
};

const toErrors = ({ model }: Service, entity: Entity, refusal: Refusal, { phrases }: Caller): readonly RowError[] => {
  const { code, clause, detail } = toProblem(model, refusal, phrases, { entity: entity.name });
  return [{ code, clause: clause ?? null, field: null, message: detail }];
};

/**
 * Undoes an import: deletes the records that it added, and restores the former values of the others. Each is checked
 * like a deletion or an update by the person, in the version that the import left.
 */
export const undoRows = async (
  service: Service,
  entity: Entity,
  { id, results }: { readonly id: string; readonly results: readonly RowResult[] },
  caller: Caller,
  {
    run,
    send,
  }: {
    readonly run: (plans: readonly (Plan | Refusal)[]) => Promise<readonly (Outcome | Refusal)[]>;
    readonly send: Database["batch"];
  },
): Promise<{ readonly results: readonly RowResult[]; readonly refused: readonly RefusedRow[] }> => {
  const written = results
    .filter((result): result is Written => result.did === "added" || result.did === "updated")
    .toReversed();
  const changed = written.filter(({ did }) => did === "updated").map((item) => item.id);
  const former = await readFormerValues(send, entity, id, changed);
  const intents = written.map((item): Intent => {
    const of = { entity: entity.name, id: item.id, version: item.version };
    return item.did === "added"
      ? { kind: "delete", ...of }
      : { kind: "update", ...of, values: former.get(item.id) ?? {}, label: false };
  });
  const outcomes = await run(intents.map((intent) => service.plan(intent, caller)));
  const refusedRows = written.flatMap((item, at) => {
    const outcome = outcomes[at];
    return outcome?.kind === "refusal" ? [{ one: item, outcome }] : [];
  });
  const ids = new Set(refusedRows.map(({ one }) => one.id));
  return {
    results: results.filter((result) => result.did === "refused" || result.did === "unchanged" || ids.has(result.id)),
    refused: refusedRows.map(({ one, outcome }) => ({
      row: one.row,
      errors: toErrors(service, entity, outcome, caller),
    })),
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
