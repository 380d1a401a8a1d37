import {
  type AccessTrace,
  clauseKnowledge,
  disclosureOfCondition,
  type GrantTrace,
} from "../../../core/derive/authorization/access-trace.ts";
import { isAdministrator, type Principal } from "../../../core/derive/authorization/grants.ts";
import type { Phrases } from "../../../core/explain/language.ts";
import { findExcludedPerson, findHolders } from "../../../core/explain/role-holders.ts";
import { describeAllGrantees, describeGrantees, type Grantees } from "../../../core/explain/who-may.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import { toDeputyRole } from "../../../core/model/permissions.ts";
import { type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import { asValue, asValues, type ResultColumn, readColumn, resultColumn, selectAs } from "../result-columns.ts";
import { type LabelEnv, labelText } from "../row/labels.ts";

/** Maximum number of persons named. */
const MAX_NAMED = 3;

/** True if the reader can see the conditions of a role that the person lacks; for administrators only. */
export const isRoleDisclosed = ({ mayApply }: GrantTrace, reader: Principal): boolean =>
  mayApply || isAdministrator(reader);

/**
 * The columns of the condition with index `k` of the clause with index `i`: the excluded person, and the persons or
 * lists of persons that it names.
 */
const exceptedColumn = (i: number, k: number): ResultColumn<unknown> => resultColumn(`not:${i}:${k}`, asValue);
const personColumn = (i: number, k: number, n: number): ResultColumn<unknown> =>
  resultColumn(`whom:${i}:${k}:${n}`, asValue);
const personLabelColumn = (i: number, k: number, n: number): ResultColumn<unknown> =>
  resultColumn(`who:${i}:${k}:${n}`, asValue);

/**
 * Columns with the persons that each clause permits: their labels in the reader's read scope, their ids, and the
 * excluded persons. All of them are missing where the reader cannot read them. Conditions whose fields the reader cannot
 * know have no columns.
 */
export const peopleColumns = ({ grants }: AccessTrace, reader: Principal, env: LabelEnv): readonly Sql[] => {
  return grants.flatMap((grant, i) =>
    !isRoleDisclosed(grant, reader)
      ? []
      : grant.conditions.flatMap(({ condition, isDisclosed, isNamed }, k) => {
          if (!isDisclosed && !isNamed) return [];
          const excepted = findExcludedPerson(condition);
          return [
            ...(excepted === undefined
              ? []
              : [selectAs(sql`(${toSql(excepted, env).value})::text`, exceptedColumn(i, k))]),
            ...findHolders(condition).flatMap((who, n) => {
              const { value } = toSql(who, env);
              return [
                selectAs(sql`to_jsonb(${value})`, personColumn(i, k, n)),
                selectAs(env.labelOf("User", value, who.type.kind === "list"), personLabelColumn(i, k, n)),
              ];
            }),
          ];
        }),
  );
};

/** The label of the first person whom somebody represents by the clause with index `i`, if they are a deputy by it. */
const representedColumn = (i: number): ResultColumn<unknown> => resultColumn(`for:${i}`, asValue);

/** The people represented by each clause for deputies, if the reader can know who has the role that is represented. */
export const representedColumns = (
  { model, entity, reader }: Asked,
  { grants }: AccessTrace,
  env: LabelEnv,
): readonly Sql[] =>
  grants.flatMap(({ role, mayApply }, i) => {
    const represented = (entity.roles.get(role) ?? model.roles.get(role))?.represented;
    const own = [...entity.roles.values()].find(({ name }) => toDeputyRole(name) === role);
    const isKnown = own === undefined || disclosureOfCondition(model, entity, reader, own.condition).isDisclosed;
    return represented === undefined || !mayApply || !isKnown
      ? []
      : [selectAs(env.labelOf("User", sql`(${toSql(represented, env).value})[1]`, false), representedColumn(i))];
  });

/**
 * The name of the person whom somebody represents, if the reader can know that only clauses for deputies permit the
 * operation. `verdicts`: whether each clause permits it, and what the reader can know of that.
 */
export const findRepresentedName = (
  { model, format, phrases, entity }: Asked,
  { grants }: AccessTrace,
  verdicts: readonly { readonly isOpen: boolean; readonly known: boolean | null }[],
  sees: (field: string) => boolean,
  row: Row,
): string | undefined => {
  const user = model.entities.get("User");
  if (user === undefined) return undefined;
  const isDeputy = grants.map(({ role }) => phrases.isDeputy(role, entity));
  if (verdicts.some(({ known }, i) => isDeputy[i] === false && known !== false)) return undefined;
  const i = grants.findIndex(
    ({ conditions }, nth) =>
      isDeputy[nth] === true &&
      verdicts[nth]?.isOpen === true &&
      conditions.every(({ sometimesReadable }) => sometimesReadable.every(sees)),
  );
  const label = i === -1 ? null : readColumn(row, representedColumn(i));
  return label === null || label === undefined ? undefined : labelText(user.label, label, format);
};

/**
 * The names of the persons whom a clause permits. Empty unless all of them can be disclosed: by the permissions of the
 * reader alone, or because the reader reads them on this record, like the manager of their own account.
 */
const readNames = (model: Model, grant: GrantTrace, i: number, row: Row, format: Format): readonly string[] => {
  const user = model.entities.get("User");
  const k = grant.conditions.findIndex(({ condition }) => findHolders(condition).length > 0);
  const holderCondition = grant.conditions[k];
  if (user === undefined || holderCondition === undefined) return [];
  const excepting = grant.conditions.flatMap((condition, at) =>
    findExcludedPerson(condition.condition) === undefined
      ? []
      : [{ isDisclosed: condition.isDisclosed, id: readColumn(row, exceptedColumn(i, at)) }],
  );
  if (excepting.some(({ isDisclosed, id }) => !isDisclosed && id === null)) return [];
  const excluded = new Set(excepting.map(({ id }) => id));
  const names: string[] = [];
  for (const [n, who] of findHolders(holderCondition.condition).entries()) {
    const many = who.type.kind === "list";
    // Of a list that the reader cannot read here, or reads in part, others may be permitted too.
    if (many && !holderCondition.isDisclosed) return [];
    const listOf = (column: ResultColumn<unknown>): readonly unknown[] => {
      const one = readColumn(row, column);
      return many ? asValues(one) : [one];
    };
    const labels = listOf(personLabelColumn(i, k, n));
    for (const [at, id] of listOf(personColumn(i, k, n)).entries()) {
      if ((id === null || id === undefined) && !holderCondition.isDisclosed) return [];
      if (id === null || id === undefined || excluded.has(id)) continue;
      const label = labels[at];
      if (label === null || label === undefined) return [];
      names.push(labelText(user.label, label, format));
    }
  }
  const uniqueNames = [...new Set(names)];
  return uniqueNames.length > MAX_NAMED ? [] : uniqueNames;
};

/** The context of the question. */
interface Asked {
  readonly model: Model;
  readonly entity: Entity;
  readonly reader: Principal;
  readonly phrases: Phrases;
  readonly format: Format;
}

/** The persons whom the clauses permit, with names if a record was read. */
export const permittedPeople = (
  { model, entity, reader, phrases, format }: Asked,
  { grants }: AccessTrace,
  row: Row | undefined,
): readonly Grantees[] => {
  const knowledge = clauseKnowledge(model, entity, reader);
  return grants.map((grant, i) => ({
    ...describeGrantees(phrases, entity, grant, knowledge),
    names: row === undefined || !isRoleDisclosed(grant, reader) ? [] : readNames(model, grant, i, row, format),
  }));
};

/** The permitted persons in words: "the employee (Ada) or Payroll". Null for nobody. */
export const permittedPeopleText = (phrases: Phrases, grantees: readonly Grantees[]): string | null => {
  const { who } = describeAllGrantees(
    phrases,
    grantees.map((grantee) => ({ ...grantee, states: null })),
  );
  return who.length === 0 ? null : phrases.or(who).replace(/,$/u, "");
};
