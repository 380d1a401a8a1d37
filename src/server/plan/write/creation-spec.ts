import { factsAfterCreate, mayCollide } from "../../../core/derive/consistency/possible-violations.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Field } from "../../../core/model/field.ts";
import { type Sql, slot, sql } from "../../../core/sql.ts";
import { CANDIDATE } from "../aliases.ts";
import type { WriteCheck } from "../checks/check.ts";
import { boundChecks } from "../checks/field-bounds.ts";
import { fieldChecks, initialChecks } from "../checks/field-conditions.ts";
import { fileChecks, fileInputValue, isFileField } from "../checks/files.ts";
import { referenceChecks } from "../checks/references.ts";
import { ruleChecks } from "../checks/rules.ts";
import { uniquenessChecks } from "../checks/uniqueness.ts";
import { generatedValue } from "../input/generated-values.ts";
import { inputParam } from "../input/parse-input.ts";
import { initialEnv } from "../row/initial-env.ts";
import { columnTypeSql } from "../row/proposed-row.ts";
import { newRowsSql } from "../transaction/insert-rows.ts";
import {
  findUniqueFields,
  generatedValueLocks,
  type LockedWrite,
  type LockRows,
  uniqueFieldLocks,
} from "../transaction/locks.ts";
import { lockParents } from "../transaction/parent-versions.ts";
import { firstUse } from "./idempotency.ts";
import { getLocks, locksBefore, roundsBefore, type WriteSpec } from "./write-spec.ts";

export interface Creation extends WriteSpec {
  /** Fields to write. */
  readonly fields: readonly Field[];
  /** Defaults that read other records. */
  readonly computed: ReadonlyMap<string, Expr>;
}

export const lockedByInsert = ({ context: { model }, entity }: Creation): LockedWrite => ({
  model,
  entity,
  changed: null,
  sides: { was: null, is: CANDIDATE.alias },
  states: entity.states === null ? null : new Set([entity.states.initial]),
  single: true,
});

export const locksWithinCreation = (creation: Creation): readonly LockRows[] =>
  getLocks(creation, lockedByInsert(creation), uniqueLocksOfCreation(creation));

/** All locks of a creation. */
export const locksOfCreation = (creation: Creation): readonly LockRows[] => [
  ...roundsBefore(creation, lockedByInsert(creation), uniqueLocksOfCreation(creation)).flat(),
  ...locksWithinCreation(creation),
];

/** Lock statements before the write, in order. */
export const locksBeforeCreation = (creation: Creation): readonly Sql[] =>
  locksBefore(creation, lockedByInsert(creation), uniqueLocksOfCreation(creation), () => [
    sql`${CANDIDATE} AS (${candidateSelect(creation)})`,
  ]);

/** Locks against concurrent equal records and equal generated values. */
const uniqueLocksOfCreation = (creation: Creation): readonly LockRows[] => {
  const { context, entity, sentFields } = creation;
  const uniqueFields = findUniqueFields(entity, null);
  const known = factsAfterCreate(context.model, entity, new Set(entity.fields.keys()));
  const rules = uniqueFields.rules.filter((rule) => mayCollide(known, rule, new Set()));
  return [
    ...uniqueFieldLocks(lockedByInsert(creation), { ...uniqueFields, rules }),
    ...generatedValueLocks(entity, sentFields, CANDIDATE.alias),
  ];
};

/** The row of the candidate. */
export const candidateSelect = (creation: Creation): Sql => {
  const { model } = creation.context;
  return newRowsSql(model, creation.entity, {
    id: NEW_ID,
    value: (field) => initialValueSql(creation, field),
    from: sql`WHERE ${lockParents(model, creation.entity, (name) => sql`${slot(`v:${name}`, "uuid")}`)}`,
  });
};

const NEW_ID = sql`${slot("id", "uuid")}`;

/** A field's value in the candidate: a sent value or a default. */
const initialValueSql = (creation: Creation, field: Field): Sql => {
  const { context, caller, entity } = creation;
  const expr = creation.computed.get(field.name);
  if (expr !== undefined) {
    const newRecord = { id: NEW_ID, value: (other: Field) => initialValueSql(creation, other) };
    const env = initialEnv(context.model, entity, newRecord, field.set === null ? caller.principal : null);
    return sql`(${toSql(expr, env).value})::${columnTypeSql(field)}`;
  }
  if (isFileField(field)) return fileInputValue(field, null);
  const generated = generatedValue(entity, field);
  return generated === undefined ? inputParam(field) : sql`COALESCE(${inputParam(field)}, ${generated})`;
};

/** The checks on the candidate and on related records. */
export const insertChecks = (creation: Creation, env: SqlEnv): readonly WriteCheck[] => {
  const { context, caller, entity } = creation;
  const { model } = context;
  return [
    ...(creation.hasKey ? [firstUse] : []),
    ...initialChecks(entity, creation.computed.keys()),
    ...ruleChecks(creation.rules, env),
    ...referenceChecks(context, caller, entity, creation.references, null),
    ...fileChecks(creation.files),
    ...boundChecks(creation.bounded, CANDIDATE.alias),
    ...fieldChecks(model, entity, creation.conditionalFields, CANDIDATE.alias, env),
    ...uniquenessChecks(model, entity, creation.uniquenessRules),
  ];
};
