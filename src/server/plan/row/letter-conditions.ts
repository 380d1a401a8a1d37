import { type Principal, seesScreen } from "../../../core/derive/authorization/grants.ts";
import { guardRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { findStatesIn } from "../../../core/explain/role-holders.ts";
import { otherState } from "../../../core/explain/who-may.ts";
import { splitConjuncts } from "../../../core/expression/boolean-exprs.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Model } from "../../../core/model/model.ts";
import type { LetterScreen } from "../../../core/model/screen.ts";
import { type Sql, sql } from "../../../core/sql.ts";
import type { WhyNot } from "../../../core/wire/records.ts";
import type { Row } from "../../../postgres/database.ts";
import type { Caller } from "../context.ts";
import {
  asTextOrNull,
  type BooleanColumn,
  booleanColumn,
  readColumn,
  resultColumn,
  selectAs,
} from "../result-columns.ts";
import { readerEnv } from "./labels.ts";

/** A letter that only some records have. */
type ConditionalLetter = LetterScreen & { readonly where: Expr };

const isConditional = (letter: LetterScreen): letter is ConditionalLetter => letter.where !== null;

/** The letters about an entity that the caller sees, and that only some records have. */
export const conditionalLetters = (model: Model, entity: Entity, principal: Principal): readonly ConditionalLetter[] =>
  model.screens.flatMap((screen) =>
    screen.kind === "letter" &&
    screen.entity === entity.name &&
    isConditional(screen) &&
    seesScreen(model, screen, principal)
      ? [screen]
      : [],
  );

/** By the index of the letter, because addresses can be longer than aliases. */
const existsColumn = (nth: number): BooleanColumn => booleanColumn(`letter:${nth}`);
const STATE = resultColumn("letter:", asTextOrNull);

/** For each letter, a column that is true if the record has it; and the state, if the caller can read it. */
export const letterColumns = (
  model: Model,
  entity: Entity,
  principal: Principal,
  letters: readonly ConditionalLetter[],
  alias: string,
): readonly Sql[] => {
  if (letters.length === 0) return [];
  const env = readerEnv(model, entity, principal, alias);
  return [
    ...letters.map(({ where }, i) => selectAs(sql`COALESCE(${toSql(where, env).truth}, FALSE)`, existsColumn(i))),
    ...(entity.states === null ? [] : [selectAs(env.field(entity.states.field).sql, STATE)]),
  ];
};

/** Why the record of a row does not have some of the letters, by their addresses. */
export const absentLetters = (
  { phrases }: Pick<Caller, "phrases">,
  entity: Entity,
  letters: readonly ConditionalLetter[],
  row: Row,
): ReadonlyMap<string, WhyNot> => {
  const state = letters.length === 0 ? null : readColumn(row, STATE);
  return new Map(
    letters.flatMap(({ path, title, where, clause }, i): readonly (readonly [string, WhyNot])[] => {
      if (readColumn(row, existsColumn(i)) === true) return [];
      const from = statesOf(entity, where);
      const isOther = state !== null && from.length > 0 && !from.includes(state);
      const because = isOther
        ? otherState(phrases, entity, { title, from }, state)
        : phrases.sentences.notNow(phrases.say(title));
      return [[path, { ...guardRefusal({ clause }), because }]];
    }),
  );
};

/** The states in which the condition can hold, as far as parts of it test the state alone; all states if none does. */
const statesOf = (entity: Entity, where: Expr): readonly string[] =>
  splitConjuncts(where).reduce<readonly string[]>(
    (possible, condition) => {
      const states = statesIn(entity, condition);
      return states === undefined ? possible : possible.filter((name) => states.includes(name));
    },
    (entity.states?.states ?? []).map(({ name }) => name),
  );

/** The states of a condition that tests nothing else: all but `draft` for `status != draft`. */
const statesIn = (entity: Entity, condition: Expr): readonly string[] | undefined => {
  if (condition.kind !== "call" || condition.row !== "same != same") return findStatesIn(entity, condition);
  const others = findStatesIn(entity, { ...condition, row: "same == same" });
  return others && entity.states?.states.map(({ name }) => name).filter((name) => !others.includes(name));
};
