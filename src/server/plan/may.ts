import {
  deciderOf,
  type Gate,
  gatesOf,
  isAutomatic,
  isOpen,
  type Person,
  rolesThat,
  transitionGatesOf,
  whoMay,
} from "../../core/derive/access.ts";
import type { Entity, Model, Transition } from "../../core/model/model.ts";
import { withArticle, wordsOf } from "../../core/model/words.ts";
import { toSql } from "../../core/rule/to-sql.ts";
import { identifier, type Sql, sql } from "../../core/sql.ts";
import type { May, WhyNot } from "../../core/wire.ts";
import type { Row } from "../../postgres/database.ts";
import { type Eyes, throughGates } from "./eyes.ts";

const as = (piece: Sql, name: string): Sql => sql`${piece} AS ${identifier(name)}`;

/** One boolean for each gate and each condition of a transition; gates without conditions are known before. */
export const mayColumns = (model: Model, person: Person, { entity, env }: Eyes): readonly Sql[] => {
  const gate = (name: string, gates: readonly Gate[]): readonly Sql[] => {
    const condition = throughGates(gates, env);
    return gates.length === 0 || condition === undefined ? [] : [as(condition, name)];
  };
  const updates = gatesOf(model, entity, "update", person);
  return [
    ...updates.flatMap((one, i) => gate(`may:update:${i}`, [one])),
    ...gate("may:delete", gatesOf(model, entity, "delete", person)),
    ...(entity.states === null ? [] : [as(env.field(entity.states.field).sql, "may:state")]),
    ...[...(entity.states?.transitions.values() ?? [])].flatMap((transition) => {
      const gates = transitionGatesOf(model, entity, transition, person);
      if (gates.length === 0) return [];
      return [
        ...gate(`may:${transition.name}`, gates),
        ...(transition.when === null ? [] : [as(toSql(transition.when, env).truth, `when:${transition.name}`)]),
      ];
    }),
  ];
};

/**
 * What a person may do with a record, read from its row. The answers are few, one for each state and each combination of
 * verdicts, and each is made once.
 */
export const mayReaderOf = (model: Model, entity: Entity, person: Person): ((row: Row) => May) => {
  const names = verdictsOf(model, entity, person);
  const known = new Map<string, May>();
  return (row) => {
    let key = String(row["may:state"]);
    for (const name of names) key += row[name] === true ? " 1" : " 0";
    const before = known.get(key);
    if (before !== undefined) return before;
    const may = mayOf(model, person, entity, row);
    if (known.size < MOST) known.set(key, may);
    return may;
  };
};

const MOST = 1_000;

/** The verdicts that a row may bear; one that is known without it is no column of the row. */
const verdictsOf = (model: Model, entity: Entity, person: Person): readonly string[] => [
  ...gatesOf(model, entity, "update", person).map((_, i) => `may:update:${i}`),
  "may:delete",
  ...[...(entity.states?.transitions.keys() ?? [])].flatMap((name) => [`may:${name}`, `when:${name}`]),
];

const mayOf = (model: Model, person: Person, entity: Entity, row: Row): May => {
  const passes = (name: string, gates: readonly Gate[]) => gates.length > 0 && (isOpen(gates) || row[name] === true);
  const update = new Set<string>();
  for (const [i, gate] of gatesOf(model, entity, "update", person).entries()) {
    if (!passes(`may:update:${i}`, [gate])) continue;
    for (const field of gate.fields ?? entity.fields.keys())
      if (!isAutomatic(entity, field) && entity.fields.get(field)?.once !== true) update.add(field);
  }
  const transitions: string[] = [];
  const refused: Record<string, WhyNot> = {};
  for (const transition of entity.states?.transitions.values() ?? []) {
    const gates = transitionGatesOf(model, entity, transition, person);
    if (gates.length === 0) continue;
    const state = String(row["may:state"]);
    if (!transition.from.includes(state))
      refused[transition.name] = whyNotState(model, person, entity, transition, state);
    else if (!passes(`may:${transition.name}`, gates))
      refused[transition.name] = {
        code: "FORBIDDEN",
        clause: transition.clause.id,
        because: onlyFor(transition),
      };
    else if (transition.when !== null && row[`when:${transition.name}`] !== true)
      refused[transition.name] = {
        code: "GUARD",
        clause: transition.clause.id,
        because: `“${transition.title}” cannot be done now: its condition does not hold.`,
      };
    else transitions.push(transition.name);
  }
  const mayDelete = passes("may:delete", gatesOf(model, entity, "delete", person));
  const whyNot = (action: "update" | "delete", allowed: boolean): WhyNot | undefined =>
    allowed || gatesOf(model, entity, action, person).length === 0
      ? undefined
      : { code: "FORBIDDEN", clause: deciderOf(entity, action), because: whoMay(entity, action) };
  const updateRefused = whyNot("update", update.size > 0);
  const deleteRefused = whyNot("delete", mayDelete);
  return {
    update: [...entity.fields.keys()].filter((name) => update.has(name)),
    delete: mayDelete,
    transitions,
    refused,
    ...(updateRefused === undefined ? {} : { updateRefused }),
    ...(deleteRefused === undefined ? {} : { deleteRefused }),
  };
};

/** "“Hand over” is open to keeper alone." */
export const onlyFor = (transition: Transition): string =>
  `“${transition.title}” is open to ${rolesThat(transition.by)} alone.`;

const stateTitle = (entity: Entity, name: string): string =>
  (entity.states?.states.find((state) => state.name === name)?.title ?? name).toLowerCase();

/** "“Take back” is for a loan that is lent; this one is asked." */
export const whyNotState = (
  model: Model,
  person: Person,
  entity: Entity,
  transition: Transition,
  state: string,
): WhyNot => {
  const thing = withArticle(wordsOf(entity.name));
  const from = transition.from.map((one) => stateTitle(entity, one)).join(" or ");
  const because = readsState(model, person, entity)
    ? `“${transition.title}” is for ${thing} that is ${from}; this one is ${stateTitle(entity, state)}.`
    : `“${transition.title}” is for ${thing} in another state.`;
  return { code: "WRONG_STATE", clause: transition.clause.id, because };
};

/** Whether a person reads the state of every record that they read; who may not is told no more than that it is another. */
const readsState = (model: Model, person: Person, entity: Entity): boolean => {
  const gates = gatesOf(model, entity, "read", person);
  const showing = gates.filter(({ fields }) => fields === null || fields.has(entity.states?.field ?? ""));
  return showing.length === gates.length || isOpen(showing);
};
