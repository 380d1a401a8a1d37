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
import type { Format } from "../../core/model/format.ts";
import type { Entity, Field, Model, Transition } from "../../core/model/model.ts";
import { withArticle, wordsOf } from "../../core/model/words.ts";
import { toSql } from "../../core/rule/to-sql.ts";
import { identifier, join, type Sql, sql } from "../../core/sql.ts";
import type { Json, May, RecordJson, WhyNot } from "../../core/wire.ts";
import type { Row } from "../../postgres/database.ts";
import type { Context } from "./context.ts";
import { type Eyes, throughGates } from "./eyes.ts";
import { labelOf, labelText, referenceLabelOf } from "./labels.ts";

/** Which extras a record is asked with. */
export interface Wanted {
  readonly may: boolean;
  readonly label: boolean;
}

const as = (piece: Sql, name: string): Sql => sql`${piece} AS ${identifier(name)}`;

/** The columns of a record as this person sees it, and what they may do with it; read back by `recordOf`. */
export const columnsOf = (context: Context, person: Person, eyes: Eyes, alias: string, wanted: Wanted): Sql => {
  const { model } = context;
  const system = ["id", "version", "created_at", "updated_at"].map((name) =>
    as(sql`${identifier(alias)}.${identifier(name)}`, name),
  );
  const fields = eyes.fields.flatMap((field) => {
    const column = eyes.column(field.name);
    if (column === undefined) return [];
    const seen = eyes.seen(field.name);
    const target = field.entity === null ? undefined : model.entities.get(field.entity);
    return [
      as(column, field.name),
      ...(target === undefined ? [] : [as(referenceLabelOf(model, target, person, column), `label:${field.name}`)]),
      ...(seen === undefined ? [] : [as(seen, `seen:${field.name}`)]),
    ];
  });
  return join(
    [
      ...system,
      ...fields,
      ...(wanted.label ? [as(labelOf(model, eyes.entity, person, alias), "_label")] : []),
      ...(wanted.may ? mayColumns(context, person, eyes) : []),
    ],
    ", ",
  );
};

/** One boolean for each gate and each condition of a transition; gates without conditions are known before. */
const mayColumns = (context: Context, person: Person, { entity, env }: Eyes): readonly Sql[] => {
  const { model } = context;
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

/** A row as a person gets it. What was not seen on this row is absent, not null. */
export const recordOf = (
  context: Context,
  person: Person,
  entity: Entity,
  fields: readonly Field[],
  row: Row,
  wanted: Wanted,
  format: Format,
): RecordJson => {
  const record: { id: string; version: number; created_at: string; updated_at: string; [field: string]: Json | May } = {
    id: String(row.id),
    version: Number(row.version),
    created_at: String(row.created_at),
    updated_at: String(row.updated_at),
  };
  if (wanted.label) record._label = labelText(entity.label, row._label, format);
  for (const field of fields)
    if (row[`seen:${field.name}`] !== false && row[`seen:${field.name}`] !== null)
      record[field.name] = wireOf(context, field, row, format);
  if (wanted.may) record.may = mayOf(context, person, entity, row);
  return record;
};

const wireOf = (context: Context, field: Field, row: Row, format: Format): Json => {
  const value = row[field.name];
  if (value === null || value === undefined) return null;
  if (field.type === "reference") {
    const target = field.entity === null ? undefined : context.model.entities.get(field.entity);
    const values = row[`label:${field.name}`];
    return {
      id: String(value),
      label: target === undefined || values === null ? "…" : labelText(target.label, values, format),
    };
  }
  return wireValue(field, value);
};

/** A stored value on the wire: decimals as text without the zeros that the column adds. */
export const wireValue = (field: Pick<Field, "type">, value: unknown): Json => {
  if (field.type === "decimal")
    return String(value)
      .replace(/(\.\d*?)0+$/u, "$1")
      .replace(/\.$/u, "");
  if (field.type === "datetime") return new Date(String(value)).toISOString();
  return typeof value === "number" || typeof value === "boolean" ? value : String(value);
};

const mayOf = (context: Context, person: Person, entity: Entity, row: Row): May => {
  const { model } = context;
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
