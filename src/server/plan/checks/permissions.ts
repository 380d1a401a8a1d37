import type { Grant } from "../../../core/derive/authorization/grants.ts";
import type { SqlEnv } from "../../../core/expression/compile/to-sql.ts";
import { identifier, join, type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import { asCondition, grantsToSql } from "../row/read-scope.ts";
import { CHECKED, checkColumns } from "./check.ts";

/** The condition that a grant covers the record, by index of the grant. */
type GateHolds = (nth: number) => Sql;

/** A column for each grant; the covering grants determine the writable fields. */
export const grantColumns = (grants: readonly Grant[], env: SqlEnv): readonly Sql[] =>
  checkColumns(grants.map((grant, i) => ({ column: `gate:${i}`, condition: asCondition(grantsToSql([grant], env)) })));

const gateColumn: GateHolds = (nth) => sql`${identifier(CHECKED)}.${identifier(`gate:${nth}`)}`;

/** The condition that a grant covers the record, as an expression instead of a column. */
export const heldGrants =
  (grants: readonly Grant[], env: SqlEnv): GateHolds =>
  (nth) =>
    asCondition(
      grantsToSql(
        grants.filter((_, i) => i === nth),
        env,
      ),
    );

/** Some grant covers the record, and each written field is covered by such a grant. */
export const areGranted = (grants: readonly Grant[], fields: Iterable<string>, holds: GateHolds = gateColumn): Sql => {
  const all = grants.map((_, i) => i);
  const through = (field: string) => all.filter((i) => grants[i]?.fields?.has(field) !== false);
  // Groups fields by their grants, since most share them.
  const ways = new Map([all, ...[...fields].map(through)].map((open) => [open.join(), open]));
  return join(
    [...ways.values()].map((open) => (open.length === 0 ? sql`FALSE` : sql`(${join(open.map(holds), " OR ")})`)),
    " AND ",
  );
};

/** The written fields that no covering grant includes; undefined if no grant covers the record. */
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
