import {
  type AccessTrace,
  clauseKnowledge,
  type GrantTrace,
} from "../../../core/derive/authorization/explain-access.ts";
import { isAdministrator, type Principal } from "../../../core/derive/authorization/grants.ts";
import type { Phrases } from "../../../core/explain/language.ts";
import { findExcludedPerson, findHolders } from "../../../core/explain/role-holders.ts";
import { allThrough, describeGrantees, type Through } from "../../../core/explain/who-may.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Entity, Model } from "../../../core/model/model.ts";
import { identifier, type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import { type LabelEnv, labelText } from "../row/labels.ts";

/** Maximum number of persons named. */
const MOST_NAMED = 3;

/** True if the reader may see the conditions of a role that the person lacks; for administrators only. */
export const isRoleDisclosed = ({ mayApply }: GrantTrace, reader: Principal): boolean =>
  mayApply || isAdministrator(reader);

/**
 * For each clause, columns for the persons that it permits: their labels in the reader's read scope, and by id if there
 * are any and whom it excludes. Conditions that the reader may not know have no columns.
 */
export const peopleColumns = ({ grants }: AccessTrace, reader: Principal, env: LabelEnv): readonly Sql[] => {
  const as = (piece: Sql, name: string): Sql => sql`${piece} AS ${identifier(name)}`;
  return grants.flatMap((way, i) =>
    !isRoleDisclosed(way, reader)
      ? []
      : way.conditions.flatMap(({ condition, isDisclosed }, k) => {
          if (!isDisclosed) return [];
          const excepted = findExcludedPerson(condition);
          return [
            ...(excepted === undefined ? [] : [as(sql`(${toSql(excepted, env).value})::text`, `not:${i}:${k}`)]),
            ...findHolders(condition).flatMap((who, n) => {
              const { value } = toSql(who, env);
              return [
                as(sql`to_jsonb(${value})`, `whom:${i}:${k}:${n}`),
                as(env.called("User", value, who.type.kind === "list"), `who:${i}:${k}:${n}`),
              ];
            }),
          ];
        }),
  );
};

/**
 * The names of the persons whom a clause permits; none unless all of them may be disclosed. `isDisclosed` is that of
 * this record.
 */
const namesOf = (model: Model, way: GrantTrace, i: number, row: Row, format: Format): readonly string[] => {
  const user = model.entities.get("User");
  const k = way.conditions.findIndex(({ condition }) => findHolders(condition).length > 0);
  const need = way.conditions[k];
  if (user === undefined || need === undefined) return [];
  const excepting = way.conditions.flatMap((one, at) =>
    findExcludedPerson(one.condition) === undefined
      ? []
      : [{ isDisclosed: one.isDisclosed, id: row[`not:${i}:${at}`] }],
  );
  if (![need, ...excepting].every(({ isDisclosed }) => isDisclosed)) return [];
  const left = new Set(excepting.map(({ id }) => id));
  const names: string[] = [];
  for (const [n, who] of findHolders(need.condition).entries()) {
    const many = who.type.kind === "list";
    const [ids, labels] = [row[`whom:${i}:${k}:${n}`], row[`who:${i}:${k}:${n}`]].map((one): readonly unknown[] =>
      many ? (Array.isArray(one) ? one : []) : [one],
    );
    for (const [at, id] of (ids ?? []).entries()) {
      if (id === null || id === undefined || left.has(id)) continue;
      const label = labels?.[at];
      if (label === null || label === undefined) return [];
      names.push(labelText(user.label, label, format));
    }
  }
  const told = [...new Set(names)];
  return told.length > MOST_NAMED ? [] : told;
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
): readonly Through[] => {
  const knows = clauseKnowledge(model, entity, reader);
  return grants.map((way, i) => ({
    ...describeGrantees(phrases, entity, way, knows),
    names: row === undefined || !isRoleDisclosed(way, reader) ? [] : namesOf(model, way, i, row, format),
  }));
};

/** The permitted persons in words: "the employee (Ada) or Payroll". Null for nobody. */
export const permittedPeopleText = (phrases: Phrases, throughs: readonly Through[]): string | null => {
  const { who } = allThrough(
    phrases,
    throughs.map((one) => ({ ...one, states: null })),
  );
  return who.length === 0 ? null : phrases.or(who).replace(/,$/u, "");
};
