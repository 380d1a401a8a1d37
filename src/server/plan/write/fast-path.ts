import { findKeptAt } from "../../../core/model/facts/kept-fields.ts";
import { findParents } from "../../../core/model/facts/parts.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import { CANDIDATE, CURRENT, WRITTEN_ROWS } from "../aliases.ts";
import { actingForSql } from "../checks/acting-for.ts";
import { allChecksTrue } from "../checks/check.ts";
import { isFileField } from "../checks/files.ts";
import { areGranted, grantConditions } from "../checks/permissions.ts";
import { generatedValue } from "../input/generated-values.ts";
import { selectAs } from "../result-columns.ts";
import { findGeneratedColumns } from "../row/audit-line.ts";
import { callerLabelSql } from "../row/labels.ts";
import { sessionHolds } from "../row/own-session.ts";
import { candidateValues } from "../row/proposed-row.ts";
import { asCondition, grantsImplyRead, type ReadScope, readScope, staysReadable } from "../row/read-scope.ts";
import { type RowReader, recordColumns, rowReader } from "../row/record-columns.ts";
import { type ColumnValues, replacedRows, rowEnv } from "../row/sql-env.ts";
import { insertRowsSql } from "../transaction/insert-rows.ts";
import { updateRowsSql } from "../transaction/update-rows.ts";
import { writeStatementSql } from "../transaction/write-statement.ts";
import { assignedValue, type Change, changedCheck, locksWithinChange, updateChecks } from "./change-spec.ts";
import { type Creation, candidateSelect, insertChecks, locksWithinCreation } from "./creation-spec.ts";
import { rememberKeySql } from "./idempotency.ts";
import { READABLE } from "./write-spec.ts";

/*
 * The fast path of a write. Most writes succeed, and the checked form (`checked-write.ts`) costs as much as the write
 * itself: it materializes the record before and after, a column per check, and the texts of all refusals. So the same
 * conditions are first tried in the WHERE clause of a plain statement. If it returns no row, the checked form runs and
 * decides on its own.
 */

interface Statement {
  readonly sql: Sql;
  readonly more: RowReader;
}

const columnValues =
  (alias: string): ColumnValues =>
  (name) =>
    sql`${identifier(alias)}.${identifier(name)}`;

const ownSession = ({ context, session }: Change | Creation): readonly Sql[] =>
  session === undefined ? [] : [sessionHolds(context.model)];

/** The writer's read scope on the written row. */
const readScopeAfter = ({ context: { model }, entity, caller: { principal } }: Change | Creation): ReadScope => {
  const { table } = replacedRows(model, entity, sql`${slot("id", "uuid")}`, columnValues(WRITTEN_ROWS.alias));
  return readScope(model, entity, principal, WRITTEN_ROWS.alias, table);
};

/** True if all checks of an update fit into the WHERE clause of one UPDATE. */
export const hasFastUpdate = (change: Change): boolean => {
  const { context, entity } = change;
  const elsewhere = [
    ...change.affectedRules,
    ...change.files,
    ...change.uniquenessRules,
    ...change.series,
    ...change.defaulted,
    ...findParents(context.model, entity),
  ];
  return (
    !change.hasAfterWrite &&
    change.grants.length > 0 &&
    elsewhere.length === 0 &&
    findKeptAt(entity, change.action, change.changed).length === 0 &&
    locksWithinChange(change).length === 0
  );
};

const ofEveryWrite = ["version", "updated_at", "state_since"] as const;

const before = (field: string): Sql => identifier(`was:${field}`);

/**
 * Updates the record if all conditions hold. After waiting for a concurrent write, Postgres evaluates the WHERE clause
 * again on the new row, so the checks always apply to the written row.
 */
export const fastUpdate = (change: Change): Statement => {
  const { context, caller, entity, grants } = change;
  const { model } = context;
  const news = [...entity.fields.values()].flatMap((field) => {
    const value = assignedValue(change, field);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  const candidate = candidateValues(model, entity, CURRENT.alias, new Map(news), change.action);
  const scope = readScope(model, entity, caller.principal, CURRENT.alias);
  const holds = [
    ...ownSession(change),
    sql`${CURRENT}."id" = ${slot("id", "uuid")}`,
    asCondition(grantsImplyRead(scope, grants) ? undefined : scope.rows),
    areGranted(grants, change.named, grantConditions(grants, rowEnv(model, entity, CURRENT.alias))),
    allChecksTrue([...updateChecks(change, candidate), ...changedCheck(change, candidate)]),
  ];
  const returned = [...change.changed, ...findGeneratedColumns(entity, change.changed)];
  const formerValues = returned.map((name) => sql`old.${identifier(name)} AS ${before(name)}`);
  const was = returned.map((name) => sql`${WRITTEN_ROWS}.${before(name)} AS ${identifier(name)}`);
  const rows = updateRowsSql({
    context,
    entity,
    action: change.action,
    clause: change.clause,
    changed: change.changed,
    changesState: change.stateChange !== null,
    alias: CURRENT.alias,
    value: candidate,
    from: sql`WHERE ${join(holds, " AND ")}`,
    returning: join([sql`new.*`, ...formerValues], ", "),
    actingFor: actingForSql(grants, change.named, rowEnv(model, entity, recordBefore(new Set(returned)))),
    lines: sql`FROM ${WRITTEN_ROWS} CROSS JOIN LATERAL (SELECT ${join(was, ", ")}) AS ${CURRENT}`,
  });
  return buildAnswer(change, sql`${rows}${rememberKeySql(change.hasKey, WRITTEN_ROWS.alias)}`, {
    changed: new Set([...returned, ...ofEveryWrite]),
  });
};

/** The record before the write. The audit line has the former values of the changed columns. */
const recordBefore =
  (changed: ReadonlySet<string>): ColumnValues =>
  (name) =>
    sql`${identifier(changed.has(name) ? CURRENT.alias : WRITTEN_ROWS.alias)}.${identifier(name)}`;

/** True if all checks of a creation fit into the WHERE clause of one INSERT. */
export const hasFastInsert = (creation: Creation): boolean =>
  !creation.hasAfterWrite &&
  creation.affectedRules.length + creation.series.length + creation.computed.size === 0 &&
  [...creation.entity.fields.values()].every(
    (field) =>
      field.storage.as !== "stored" && !isFileField(field) && generatedValue(creation.entity, field) === undefined,
  ) &&
  locksWithinCreation(creation).length === 0;

/** Inserts the record if all conditions hold. */
export const fastInsert = (creation: Creation): Statement => {
  const { context, entity, grants } = creation;
  const { model } = context;
  const candidate = columnValues(CANDIDATE.alias);
  // The candidate's values as parameters of the statement.
  const env = rowEnv(
    model,
    entity,
    CANDIDATE.alias,
    replacedRows(model, entity, sql`${slot("id", "uuid")}`, candidate),
  );
  const holds = [
    ...ownSession(creation),
    areGranted(grants, creation.named, grantConditions(grants, env)),
    allChecksTrue(insertChecks(creation, env)),
  ];
  const rows = insertRowsSql({
    context,
    entity,
    clause: creation.clause,
    actingFor: actingForSql(grants, creation.named, rowEnv(model, entity, WRITTEN_ROWS.alias)),
    from: sql`FROM (${candidateSelect(creation)}) AS ${CANDIDATE} WHERE ${join(holds, " AND ")}`,
  });
  return buildAnswer(creation, sql`${rows}${rememberKeySql(creation.hasKey, WRITTEN_ROWS.alias)}`, {
    labels: callerLabels(creation),
  });
};

/** The labels of references that are set to the caller, who need not be looked up. */
const callerLabels = ({ context: { model }, entity, caller: { principal } }: Creation): ReadonlyMap<string, Sql> =>
  new Map(
    [...entity.fields.values()].flatMap((field) => {
      const target = field.set?.kind === "user" && field.entity !== null ? model.entities.get(field.entity) : undefined;
      const label = target === undefined ? undefined : callerLabelSql(model, principal, target);
      return label === undefined ? [] : [[field.name, label] as const];
    }),
  );

/**
 * The written record in the writer's read scope. `changed`: the written fields, if the record was found with that
 * scope. `labels`: those of references that are known.
 */
const buildAnswer = (
  spec: Change | Creation,
  written: Sql,
  { changed, labels }: { readonly changed?: ReadonlySet<string>; readonly labels?: ReadonlyMap<string, Sql> },
): Statement => {
  const { context, caller, extras, format } = spec;
  const after = readScopeAfter(spec);
  const rows = changed !== undefined && staysReadable(after, changed) ? undefined : after.rows;
  return {
    more: rowReader(context, caller.principal, after, extras, format),
    sql: writeStatementSql({
      written: () => written,
      result: {
        columns: [
          selectAs(asCondition(rows), READABLE),
          recordColumns(context, caller.principal, after, WRITTEN_ROWS.alias, extras, labels),
        ],
        from: sql`FROM ${WRITTEN_ROWS}`,
      },
    }),
  };
};
