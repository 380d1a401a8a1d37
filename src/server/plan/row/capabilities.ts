import { clauseKnowledge, disclosureOfCondition } from "../../../core/derive/authorization/access-trace.ts";
import { type Addition, additionsTo } from "../../../core/derive/authorization/addable-lists.ts";
import {
  decidingClauseId,
  type Grant,
  grantsFor,
  isAutomatic,
  isUnconditional,
  type Principal,
  showsOnAll,
  transitionGrantsFor,
} from "../../../core/derive/authorization/grants.ts";
import { phraseRule } from "../../../core/derive/client/form-rules.ts";
import { toWording } from "../../../core/derive/client/wording.ts";
import {
  type CallRefusal,
  guardChecks,
  permissionRefusal,
  ruleRefusal,
  stateRefusal,
} from "../../../core/derive/consistency/check-refusals.ts";
import type { Phrases } from "../../../core/explain/language.ts";
import { explainNotAddable, otherState } from "../../../core/explain/who-may.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import { collectReadSet } from "../../../core/expression/inspect/read-set.ts";
import { findBraces } from "../../../core/expression/syntax/braces.ts";
import type { Entity, Transition, ValidationRule } from "../../../core/model/entity.ts";
import { rulesOfTransition } from "../../../core/model/facts/applicable-rules.ts";
import { findPartLists } from "../../../core/model/facts/parts.ts";
import type { Model } from "../../../core/model/model.ts";
import { constant, join, type Sql, sql } from "../../../core/sql.ts";
import type { Capabilities, WhyNot } from "../../../core/wire/records.ts";
import type { Row } from "../../../postgres/database.ts";
import type { Caller } from "../context.ts";
import {
  asNumberOrNull,
  asText,
  type BooleanColumn,
  booleanColumn,
  type ResultColumn,
  type RowForm,
  readColumn,
  resultColumn,
  selectAs,
} from "../result-columns.ts";
import { asCondition, type ReadScope, rowFilterSql, visibilityColumn } from "./read-scope.ts";
import { refusedAction, refusedTransition } from "./refused-access.ts";

const STATE = resultColumn("may:state", asText);
const CAN_DELETE = booleanColumn("may:delete");
/** A grant covers the record, by its index among the grants for updates. */
const canUpdate = (nth: number): BooleanColumn => booleanColumn(`may:update:${nth}`);
/** The column for a transition: a grant covers the record. */
const canMake = (transition: string): BooleanColumn => booleanColumn(`may:${transition}`);
const ruleHolds = (transition: string, nth: number): BooleanColumn => booleanColumn(`rule:${nth}:${transition}`);
const guardHolds = (transition: string, nth: number): BooleanColumn => booleanColumn(`when:${nth}:${transition}`);
const neededBy = (transition: string): ResultColumn<number | null> =>
  resultColumn(`needed:${transition}`, asNumberOrNull);
const canAdd = ({ list, refusal }: Addition): BooleanColumn =>
  booleanColumn(`${refusal.code === "NOT_AMONG" ? "name" : "add"}:${list}`);

/**
 * A boolean column for each grant and each condition of a transition, and the numbers of people that depend on the
 * record. Unconditional grants need none. `state`: the current state, if known. A reader who knows the state learns from
 * it why a transition from another state is impossible, without the grants.
 */
export const capabilityColumns = (
  model: Model,
  principal: Principal,
  scope: ReadScope,
  state?: string,
): readonly Sql[] => {
  const { entity, env } = scope;
  const grant = (column: BooleanColumn, grants: readonly Grant[]): readonly Sql[] => {
    const condition = rowFilterSql(grants, env);
    return grants.length === 0 || condition === undefined ? [] : [selectAs(condition, column)];
  };
  const updates = grantsFor(model, entity, "update", principal);
  const isElsewhere = ({ from }: Transition): boolean =>
    state !== undefined && !from.includes(state) && readsState(model, principal, entity);
  return [
    ...updates.flatMap((update, i) => grant(canUpdate(i), [update])),
    ...grant(CAN_DELETE, grantsFor(model, entity, "delete", principal)),
    ...(entity.states === null ? [] : [selectAs(env.field(entity.states.field).sql, STATE)]),
    ...[...(entity.states?.transitions.values() ?? [])].flatMap((transition) => {
      const grants = transitionGrantsFor(model, entity, transition, principal);
      if (grants.length === 0 || isElsewhere(transition)) return [];
      return [
        ...grant(canMake(transition.name), grants),
        ...guardChecks(transition).map(({ holds }, i) =>
          selectAs(toSql(holds, env).truth, guardHolds(transition.name, i)),
        ),
        ...certainRules(model, principal, entity, transition).map((certain, i) =>
          selectAs(mayHoldSql(certain, scope), ruleHolds(transition.name, i)),
        ),
      ];
    }),
    ...countsOfRecord(model, principal, entity).flatMap(({ transition, count, sometimesReadable }) => {
      if (isElsewhere(transition)) return [];
      const from = join(
        transition.from.map((name) => constant(name)),
        ", ",
      );
      const conditions = [
        sql`${env.field(entity.states?.field ?? "").sql} IN (${from})`,
        ...sometimesReadable.flatMap((field) => scope.visibleWhen(field) ?? []).map((seen) => sql`(${seen})`),
      ];
      const known = sql`CASE WHEN ${join(conditions, " AND ")} THEN ${toSql(count, env).value} END`;
      return [selectAs(known, neededBy(transition.name))];
    }),
    ...additionsTo(model, entity, principal).map((addition) =>
      selectAs(
        asCondition(
          rowFilterSql(
            addition.alternatives.map((conditions) => ({ clause: "", conditions, fields: null })),
            env,
          ),
        ),
        canAdd(addition),
      ),
    ),
  ];
};

/**
 * The transitions whose number of people depends on the record, if the caller can read the state and all that decides.
 */
const countsOfRecord = (model: Model, principal: Principal, entity: Entity) =>
  [...(entity.states?.transitions.values() ?? [])].flatMap((transition) => {
    const count = transition.needs?.count;
    if (count === undefined || count.kind === "constant" || !readsState(model, principal, entity)) return [];
    const { isDisclosed, sometimesReadable } = disclosureOfCondition(model, entity, principal, count);
    return isDisclosed && !collectReadSet(count).user ? [{ transition, count, sometimesReadable }] : [];
  });

interface CertainRule {
  readonly rule: ValidationRule;
  /** The grants to change what it reads. A caller who has one is told at the field what to change, on trying. */
  readonly mending: readonly Grant[];
  /** Fields that it reads and that the caller can read on some records only. */
  readonly sometimesReadable: readonly string[];
}

/**
 * The rules of a transition whose outcome is certain before it, because the transition changes nothing that they read,
 * and disclosed to the caller. The others are checked when the transition is tried.
 */
const certainRules = (
  model: Model,
  principal: Principal,
  entity: Entity,
  transition: Transition,
): readonly CertainRule[] =>
  rulesOfTransition(entity, transition).flatMap(({ rule, isDecidable }) => {
    const mending = grantsFor(model, entity, "update", principal).filter(
      ({ fields }) => fields === null || rule.reads.some((field) => fields.has(field)),
    );
    if (!isDecidable || isUnconditional(mending)) return [];
    const conditions = [rule.rule, ...(rule.when === null ? [] : [rule.when])];
    const disclosures = conditions.map((condition) => disclosureOfCondition(model, entity, principal, condition));
    const isDisclosed = disclosures.every((disclosure) => disclosure.isDisclosed);
    const sometimesReadable = disclosures.flatMap((disclosure) => disclosure.sometimesReadable);
    return isDisclosed ? [{ rule, mending, sometimesReadable }] : [];
  });

/** False if the rule is violated, and the caller can know it on this record and cannot mend it there. */
const mayHoldSql = ({ rule, mending, sometimesReadable }: CertainRule, { env, visibleWhen }: ReadScope): Sql => {
  const alike = { ...env, old: env.field };
  const alternatives = [
    ...sometimesReadable.flatMap((field) => visibleWhen(field) ?? []).map((seen) => sql`(${seen}) IS NOT TRUE`),
    ...(rule.when === null ? [] : [sql`(${toSql(rule.when, alike).falsehood})`]),
    sql`(${toSql(rule.rule, alike).truth})`,
    ...(mending.length === 0 ? [] : [sql`(${asCondition(rowFilterSql(mending, env))})`]),
  ];
  return sql`COALESCE(${join(alternatives, " OR ")}, FALSE)`;
};

/**
 * Decodes the capabilities of a caller from a row. There are few distinct results, one per state and combination of
 * booleans, so they are cached.
 */
export const capabilitiesReader = <R>(
  model: Model,
  entity: Entity,
  principal: Principal,
  { find, toRow }: RowForm<R>,
): ((row: R, phrases: Phrases) => Capabilities) => {
  const findState = find(STATE);
  const verdicts = listVerdicts(model, entity, principal).map((column) => find(column));
  const counts = countsOfRecord(model, principal, entity).map(({ transition }) => find(neededBy(transition.name)));
  const knownIn = new Map<Phrases, Map<string, Capabilities>>();
  return (row, phrases) => {
    const known = knownIn.get(phrases) ?? new Map<string, Capabilities>();
    if (known.size === 0) knownIn.set(phrases, known);
    let key = String(findState(row));
    for (const verdict of verdicts) key += verdict(row) === true ? " 1" : " 0";
    for (const count of counts) key += ` ${count(row)}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const may = readCapabilities(model, { principal, phrases }, entity, toRow(row));
    if (known.size < MAX_CACHED) known.set(key, may);
    return may;
  };
};

const MAX_CACHED = 1_000;

/** The boolean columns that a row can have; constants have none. */
const listVerdicts = (model: Model, entity: Entity, principal: Principal): readonly BooleanColumn[] => [
  ...grantsFor(model, entity, "update", principal).map((_, i) => canUpdate(i)),
  CAN_DELETE,
  ...[...(entity.states?.transitions.values() ?? [])].flatMap((transition) => [
    canMake(transition.name),
    ...guardChecks(transition).map((_, i) => guardHolds(transition.name, i)),
    ...certainRules(model, principal, entity, transition).map((_, i) => ruleHolds(transition.name, i)),
  ]),
  ...additionsTo(model, entity, principal).map(canAdd),
  visibilityColumn(entity.states?.field ?? ""),
];

const readCapabilities = (model: Model, who: Told, entity: Entity, row: Row): Capabilities => {
  const { principal, phrases } = who;
  const passes = (column: BooleanColumn, grants: readonly Grant[]) =>
    grants.length > 0 && (isUnconditional(grants) || readColumn(row, column) === true);
  const knowledge = clauseKnowledge(model, entity, principal);
  const update = new Set<string>();
  const lists = new Set(findPartLists(model, entity).map(({ list }) => list.name));
  for (const [i, grant] of grantsFor(model, entity, "update", principal).entries()) {
    if (!passes(canUpdate(i), [grant])) continue;
    for (const field of grant.fields ?? entity.fields.keys())
      if (lists.has(field) || (!isAutomatic(entity, field) && entity.fields.get(field)?.once !== true))
        update.add(field);
  }
  const transitions: string[] = [];
  const refused: Record<string, WhyNot> = {};
  const state = readColumn(row, STATE);
  const knowsState =
    readsState(model, principal, entity) || readColumn(row, visibilityColumn(entity.states?.field ?? "")) === true;
  for (const transition of entity.states?.transitions.values() ?? []) {
    const grants = transitionGrantsFor(model, entity, transition, principal);
    if (grants.length === 0) continue;
    const isFrom = transition.from.includes(state);
    const isOpenNow = passes(canMake(transition.name), grants);
    // Without read permission on the state, the caller learns only what an attempt would reveal: that the state
    // prevents the transition.
    if (!isFrom && (isOpenNow || knowsState))
      refused[transition.name] = {
        ...stateRefusal(transition),
        because: otherState(phrases, entity, transition, knowsState ? state : null),
      };
    else if (!isOpenNow)
      refused[transition.name] = {
        ...permissionRefusal(transition.clause.id),
        because: refusedTransition(model, who, entity, transition, { here: true, knows: knowledge }),
      };
    else {
      const broken = guardChecks(transition).find((_, i) => readColumn(row, guardHolds(transition.name, i)) !== true);
      const violated = certainRules(model, principal, entity, transition).find(
        (_, i) => readColumn(row, ruleHolds(transition.name, i)) !== true,
      );
      if (broken === undefined && violated === undefined) transitions.push(transition.name);
      else if (broken === undefined && violated !== undefined) {
        const { code, clause } = ruleRefusal(model, violated.rule);
        refused[transition.name] = { code, clause, because: becauseOfRule(model, phrases, transition, violated.rule) };
      } else if (broken !== undefined)
        refused[transition.name] = {
          ...broken.refusal,
          because:
            ownMessage(model, phrases, broken.refusal) ?? phrases.sentences.notNow(phrases.say(transition.title)),
        };
    }
  }
  const mayDelete = passes(CAN_DELETE, grantsFor(model, entity, "delete", principal));
  const whyNot = (action: "update" | "delete", allowed: boolean): WhyNot | undefined =>
    allowed || grantsFor(model, entity, action, principal).length === 0
      ? undefined
      : {
          ...permissionRefusal(decidingClauseId(entity, action)),
          because: refusedAction(model, who, entity, action, { here: true, knows: knowledge }),
        };
  const updateRefused = whyNot("update", update.size > 0);
  const deleteRefused = whyNot("delete", mayDelete);
  const refusedAdditions = additionsTo(model, entity, principal).filter(
    (addition) => readColumn(row, canAdd(addition)) !== true,
  );
  const needed = countsOfRecord(model, principal, entity).flatMap(({ transition: { name } }) => {
    const count = readColumn(row, neededBy(name));
    return count === null ? [] : [[name, count] as const];
  });
  const known = knowsState && entity.states !== null ? state : null;
  const notToThis = ({ list, entity: added, alternatives, refusal }: Addition): readonly [string, WhyNot] => [
    list,
    { ...refusal, because: explainNotAddable(phrases, added, entity, alternatives, known) },
  ];
  return {
    update: [...entity.fields.keys()].filter((name) => update.has(name)),
    delete: mayDelete,
    transitions,
    refused,
    ...(needed.length === 0 ? {} : { needed: Object.fromEntries(needed) }),
    ...(updateRefused === undefined ? {} : { updateRefused }),
    ...(deleteRefused === undefined ? {} : { deleteRefused }),
    ...(refusedAdditions.length === 0 ? {} : { addRefused: Object.fromEntries(refusedAdditions.map(notToThis)) }),
  };
};

/** The document's text for a failed precondition. A message with values is shown when the transition is tried. */
const ownMessage = ({ errors }: Model, { say }: Phrases, { code }: CallRefusal): string | undefined => {
  const entry = code === "GUARD" ? undefined : errors.get(code);
  return entry === undefined || findBraces(entry.message).length > 0 ? undefined : say(entry.message);
};

/**
 * The document's text for a violated rule, or else what it requires: "“Approve” is possible only if the net is at most
 * €2,500.00."
 */
const becauseOfRule = (model: Model, phrases: Phrases, transition: Transition, rule: ValidationRule): string => {
  const { clause } = rule;
  const own = ownMessage(model, phrases, { code: rule.error, clause: clause.id });
  if (own !== undefined) return own;
  const title = phrases.say(transition.title);
  const required = phraseRule(rule, toWording(model, phrases), phrases);
  return required === undefined ? phrases.sentences.notNow(title) : phrases.sentences.onlyWhere(title, required);
};

/** The caller and the language. */
type Told = Pick<Caller, "principal" | "phrases">;

/**
 * "“Take back” is for a loan that is “Lent”, not “Asked”." `state`: its title is shown to readers of the state.
 */
export const wrongStateText = (
  { principal, phrases }: Told,
  model: Model,
  entity: Entity,
  transition: Transition,
  state: string,
): { readonly because: string; readonly state: string } => {
  const known = readsState(model, principal, entity);
  const title = entity.states?.states.find(({ name }) => name === state)?.title;
  return {
    because: otherState(phrases, entity, transition, known ? state : null),
    state: known && title !== undefined ? phrases.say(title) : "…",
  };
};

/** True if the caller can read the state of every readable record; others learn only that it is a different one. */
const readsState = (model: Model, principal: Principal, entity: Entity): boolean =>
  showsOnAll(grantsFor(model, entity, "read", principal), entity.states?.field ?? "");
