import type { Check, Column, Table } from "../../derive/tables/table.ts";
import { type Message, say } from "../../i18n/message.ts";
import { constant, definitionText, identifier, sql } from "../../sql.ts";
import { restoreValues } from "../former-values.ts";
import { countedRows, type MigrationStep, type ReplaceInPlace } from "../migration-step.ts";
import { inApp, raw } from "../sql-text.ts";
import { dropCheck } from "./constraints-of-column.ts";
import { addCheckSql, commentCheck, getEntityName, validateConstraintSql } from "./definitions.ts";

/** Constraints that merely restate a type are not reported. */
const checkMessage = (check: Check, before: Check | undefined): Message | null => {
  if (check.of === "type") return null;
  return say(before === undefined ? "step.check" : "step.check.changed", { clause: check.clause });
};

/** The column that a check of values belongs to: a choice or a state. */
const columnOfValues = (table: Table, { condition, clause }: Check): Column | undefined =>
  table.columns.find(
    (column) => column.clause === clause && condition.startsWith(`${definitionText(identifier(column.name))} `),
  );

/** A value can be removed only if no record has it; otherwise the author must name the value that replaces it. */
const refuseRemovedValue = (table: Table, column: Column, { clause, values }: Check, value: string): MigrationStep => {
  const name = identifier(column.name);
  const holds = column.type.endsWith("[]")
    ? sql`${name} @> array[${constant(value)}]`
    : sql`${name} = ${constant(value)}`;
  const example = `{ ${values?.[0] ?? "other"}: { was: ${value} } }`;
  return {
    message: say("step.value.removed", { clause, value }),
    run: "",
    online: { table: table.name, unfit: definitionText(holds), switch: "" },
    unless: {
      clause,
      count: definitionText(sql`select count(*)::int from ${inApp(table.name)} where ${holds}`),
      misfits: countedRows(table, holds),
      missing: { kind: "was", entity: getEntityName(table), field: column.name, value, values: values ?? [] },
      message: (rows) => say("refused.value", { clause, value, rows, example }),
    },
  };
};

/**
 * A check that refuses stored records, with a way on: a rule can leave them alone, and other words can be converted to
 * values of a choice. The states of records are never converted, so their words are corrected in the live version.
 */
const refuseMisfits = (
  table: Table,
  { clause, of, values }: Check,
  column: Column | undefined,
): Pick<NonNullable<MigrationStep["unless"]>, "message" | "missing"> => {
  const entity = getEntityName(table);
  if (values !== null) {
    if (clause.startsWith("4.")) return { message: (rows) => say("refused.words.state", { clause, rows }) };
    const isWritten = column?.fill !== undefined || column?.conversion !== undefined;
    return {
      message: (rows) => say("refused.words", { clause, rows }),
      ...(column?.type === "text" && !isWritten
        ? { missing: { kind: "fill" as const, entity, field: column.name, was: "text" } }
        : {}),
    };
  }
  if (of === "document")
    return {
      message: (rows) => say("refused.violates", { clause, rows }),
      missing: { kind: "during", entity, rule: clause },
    };
  return { message: (rows) => say("refused.unfit", { what: clause, rows }) };
};

export const changeChecks = (
  liveTable: Table,
  table: Table,
  complete: Table,
  {
    hasFormer,
    inPhases,
  }: {
    readonly hasFormer: (table: Table, column: Column) => boolean;
    /** Restores former values of a column in phases, given the checks at that time. */
    readonly inPhases: (column: Column, checks: readonly Check[]) => ReplaceInPlace | undefined;
  },
): readonly MigrationStep[] => {
  let checks = liveTable.checks;
  const old = new Map(liveTable.checks.map((check) => [check.name, check]));
  /** The existing check of a renamed table or column may have another name. */
  const findFormer = (checks: Iterable<Check>, check: Check): Check | undefined => {
    const all = [...checks];
    const column = check.values === null ? undefined : columnOfValues(table, check);
    return (
      all.find(({ name }) => name === check.name) ??
      (column === undefined
        ? undefined
        : all.find(
            (check) =>
              check.values !== null && check.condition.startsWith(`${definitionText(identifier(column.name))} `),
          ))
    );
  };
  const steps: MigrationStep[] = [];
  const drop = (check: Check) => dropCheck(table, check.name);
  for (const check of table.checks) {
    const before = findFormer(old.values(), check);
    if (before !== undefined) old.delete(before.name);
    if (before?.condition === check.condition && before.name === check.name) continue;
    const lost = before?.values?.filter((value) => !check.values?.includes(value)) ?? [];
    const former = findFormer(complete.checks, check)?.values;
    const added = check.values?.filter((value) => former?.includes(value) === false) ?? [];
    const column = check.values === null ? undefined : columnOfValues(table, check);
    if (column !== undefined) steps.push(...lost.map((value) => refuseRemovedValue(table, column, check, value)));
    const addConstraint = (how: "" | " not valid"): string =>
      [
        ...(before === undefined ? [] : [drop(before)]),
        `${addCheckSql(table, check)}${how}`,
        definitionText(commentCheck(table, check)),
      ].join(";\n");
    steps.push({
      message: checkMessage(check, before),
      run: addConstraint(""),
      online: {
        table: table.name,
        unfit: `not (${check.condition})`,
        switch: addConstraint(" not valid"),
        retire: [validateConstraintSql(table, check.name)],
      },
      ...(lost.length > 0 && column !== undefined
        ? {}
        : {
            unless: {
              clause: check.clause,
              count: `select count(*)::int from ${definitionText(inApp(table.name))} where not (${check.condition})`,
              misfits: countedRows(table, raw(`not (${check.condition})`)),
              ...refuseMisfits(table, check, column),
            },
          }),
    });
    checks = [...checks.filter((check) => check !== before), check];
    if (column !== undefined && added.length > 0 && hasFormer(table, column))
      steps.push(...restoreValues(table, column, added, inPhases(column, checks)));
  }
  for (const check of old.values())
    steps.push({ message: say("step.check.removed", { clause: check.clause }), run: drop(check) });
  return steps;
};
