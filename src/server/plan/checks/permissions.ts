import type { Grant } from "../../../core/derive/authorization/grants.ts";
import type { SqlEnv } from "../../../core/expression/compile/to-sql.ts";
import { join, type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import { CHECKED } from "../aliases.ts";
import { type BooleanColumn, booleanColumn, readColumn, resultColumnSql } from "../result-columns.ts";
import { asCondition, rowFilterSql } from "../row/read-scope.ts";
import { checkColumns } from "./check.ts";

/** The condition that a grant covers the record, by index of the grant. */
type GrantCondition = (nth: number) => Sql;

/** True if the grant covers the record. */
export const grantColumn = (nth: number): BooleanColumn => booleanColumn(`grant:${nth}`);

/** A column for each grant. The covering grants determine the writable fields. */
export const grantColumns = (grants: readonly Grant[], env: SqlEnv): readonly Sql[] =>
  checkColumns(
    grants.map((grant, i) => ({ column: grantColumn(i), condition: asCondition(rowFilterSql([grant], env)) })),
  );

const checkedGrant: GrantCondition = (nth) => resultColumnSql(CHECKED, grantColumn(nth));

/** The conditions of the grants as expressions instead of columns. */
export const grantConditions =
  (grants: readonly Grant[], env: SqlEnv): GrantCondition =>
  (nth) =>
    asCondition(
      rowFilterSql(
        grants.filter((_, i) => i === nth),
        env,
      ),
    );

/** Some grant covers the record, and each written field is covered by such a grant. */
export const areGranted = (
  grants: readonly Grant[],
  fields: Iterable<string>,
  holds: GrantCondition = checkedGrant,
): Sql => {
  const all = grants.map((_, i) => i);
  const grantsForField = (field: string) => all.filter((i) => grants[i]?.fields?.has(field) !== false);
  // Groups fields by their grants, since most share them.
  const grantLists = new Map([all, ...[...fields].map(grantsForField)].map((open) => [open.join(), open]));
  return join(
    [...grantLists.values()].map((open) => (open.length === 0 ? sql`FALSE` : sql`(${join(open.map(holds), " OR ")})`)),
    " AND ",
  );
};

/** The grants that cover the record of the row. */
export const coveringGrants = (grants: readonly Grant[], row: Row): readonly Grant[] =>
  grants.filter((_, i) => readColumn(row, grantColumn(i)) === true);

/** The written fields that no covering grant includes; undefined if no grant covers the record. */
export const refusedFields = (
  grants: readonly Grant[],
  fields: Iterable<string>,
  row: Row,
): readonly string[] | undefined => {
  const open = coveringGrants(grants, row);
  return open.length === 0
    ? undefined
    : [...fields].filter((field) => !open.some((grant) => grant.fields === null || grant.fields.has(field)));
};
