import type { Grant } from "../../../core/derive/authorization/grants.ts";
import type { SqlEnv } from "../../../core/expression/compile/to-sql.ts";
import { identifier, join, type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import { asCondition, grantsToSql } from "../row/read-scope.ts";
import { CHECKED, checkColumns } from "./check.ts";

/** Whether a gate is open, by its place. */
type GateHolds = (nth: number) => Sql;

/** Each gate on the record; which of them is open says which fields may be written. */
export const grantColumns = (grants: readonly Grant[], env: SqlEnv): readonly Sql[] =>
  checkColumns(grants.map((grant, i) => ({ column: `gate:${i}`, condition: asCondition(grantsToSql([grant], env)) })));

const gateColumn: GateHolds = (nth) => sql`${identifier(CHECKED)}.${identifier(`gate:${nth}`)}`;

/** The same asked of the record at hand, where it was not judged before. */
export const heldGrants =
  (grants: readonly Grant[], env: SqlEnv): GateHolds =>
  (nth) =>
    asCondition(
      grantsToSql(
        grants.filter((_, i) => i === nth),
        env,
      ),
    );

/** Some gate is open, and each field that is written goes through an open one. */
export const areGranted = (grants: readonly Grant[], fields: Iterable<string>, holds: GateHolds = gateColumn): Sql => {
  const all = grants.map((_, i) => i);
  const through = (field: string) => all.filter((i) => grants[i]?.fields?.has(field) !== false);
  // Most fields go through the same gates.
  const ways = new Map([all, ...[...fields].map(through)].map((open) => [open.join(), open]));
  return join(
    [...ways.values()].map((open) => (open.length === 0 ? sql`FALSE` : sql`(${join(open.map(holds), " OR ")})`)),
    " AND ",
  );
};

/** Of the fields written, those that no open gate takes; undefined when no gate is open at all. */
export const refusedFields = (
  grants: readonly Grant[],
  fields: Iterable<string>,
  row: Row,
): readonly string[] | undefined => {
  const open = grants.filter((_, i) => row[`gate:${i}`] === true);
  return open.length === 0
    ? undefined
    : [...fields].filter((field) => !open.some((grant) => grant.fields === null || grant.fields.has(field)));
};
