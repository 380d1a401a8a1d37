import { additionsTo } from "../../src/core/derive/authorization/addable-lists.ts";
import {
  decidingClauseId,
  type Grant,
  grantsFor,
  isAdministrator,
  isAutomatic,
  type Principal,
  transitionGrantsFor,
} from "../../src/core/derive/authorization/grants.ts";
import { type JsRecord, nobody } from "../../src/core/expression/values/value.ts";
import type { Entity } from "../../src/core/model/entity.ts";
import { isOfRecord } from "../../src/core/model/field.ts";
import type { Model } from "../../src/core/model/model.ts";
import { past } from "./acts.ts";
import { evaluator, type Moment, type Records, type Row, type Rows, recordOf, recordsOf, textOf } from "./rows.ts";

/** The data of a world that a person may know, evaluated record by record. */
export interface Sight {
  /** Readable records and values by name: `Request/id`, `Request/id.days`. */
  readonly seen: ReadonlyMap<string, string>;
  /**
   * Permitted operations on visible records with their clause: `Request/id!grant` → `4.Request.grant true`, and the lists to
   * which the person can add.
   */
  readonly may: ReadonlyMap<string, string>;
}

export const sightOf = (model: Model, rows: Rows, principal: Principal, moment: Moment): Sight => {
  let user: JsRecord = nobody;
  const records = recordsOf(model, rows, moment, () => user);
  user = records.one("User", principal.id) ?? nobody;
  const seen = new Map<string, string>();
  const may = new Map<string, string>();
  for (const entity of model.entities.values()) {
    const reading = grantsFor(model, entity, "read", principal);
    if (reading.length === 0) continue;
    for (const record of records.of(entity.name)) {
      const open = opened(reading, record, user, records);
      if (open.length === 0) continue;
      const at = `${entity.name}/${record.id}`;
      seen.set(at, `${record.version} ${record.created_at} ${record.updated_at}`);
      for (const field of entity.fields.values())
        if (isOfRecord(field) && open.some(({ fields }) => fields === null || fields.has(field.name)))
          seen.set(`${at}.${field.name}`, textOf(record[field.name]));
      // Data that were readable at another time are known as of that time.
      const row = rows.get(entity.name)?.get(String(record.id));
      if (row !== undefined && reading.every(({ conditions }) => conditions.length > 0))
        for (const { line, after } of past(row, moment.lines?.get(String(record.id)) ?? [])) {
          const then = opened(
            reading,
            recordOf(entity, after, records, () => user),
            user,
            records,
          );
          const shown = [...entity.fields.keys()].filter((name) =>
            then.some(({ fields }) => fields === null || fields.has(name)),
          );
          seen.set(`${at}@${line.id}`, shown.join());
        }
      for (const [name, verdict] of verdictsOn(model, entity, principal, record, user, records))
        may.set(`${at}!${name}`, verdict);
    }
  }
  return { seen, may };
};

const holds = (grant: Grant, record: JsRecord, user: JsRecord, records: Records): boolean =>
  grant.conditions.every((one) => evaluator(one)(record, { user, rows: records.of, ...records.moment }) === true);

const opened = (grants: readonly Grant[], record: JsRecord, user: JsRecord, records: Records): readonly Grant[] =>
  grants.filter((grant) => holds(grant, record, user, records));

const verdictsOn = (
  model: Model,
  entity: Entity,
  principal: Principal,
  record: JsRecord,
  user: JsRecord,
  records: Records,
): readonly (readonly [string, string])[] => {
  const of = (grants: readonly Grant[]) => opened(grants, record, user, records);
  const updating = new Set(
    of(grantsFor(model, entity, "update", principal))
      .flatMap(({ fields }) => [...(fields ?? entity.fields.keys())])
      .filter((name) => !isAutomatic(entity, name)),
  );
  // Holding a role reveals the role's condition; further conditions of a permission are separate facts.
  const roles = new Set([...entity.roles.values()].map(({ condition }) => condition));
  const held = (grants: readonly Grant[]) =>
    grants
      .map(({ conditions }) => conditions.filter((one) => roles.has(one)))
      .map((conditions) => holds({ clause: "", conditions, fields: null }, record, user, records))
      .join();
  const verdict = (action: "update" | "delete", allowed: string): readonly [string, string] => [
    action,
    `${decidingClauseId(entity, action)} ${held(grantsFor(model, entity, action, principal))}|${allowed}`,
  ];
  return [
    verdict("update", [...updating].sort().join()),
    verdict("delete", String(of(grantsFor(model, entity, "delete", principal)).length > 0)),
    ...additionsTo(model, entity, principal).map(({ list, alternatives, refusal }): readonly [string, string] => [
      `${list} ${refusal.code}`,
      `${refusal.clause} |${alternatives.some((conditions) => holds({ clause: "", conditions, fields: null }, record, user, records))}`,
    ]),
    ...[...(entity.states?.transitions.values() ?? [])].map((transition): readonly [string, string] => {
      const all = transitionGrantsFor(model, entity, transition, principal);
      const grants = of(all);
      const guard =
        transition.guardAndPreconditions === null ||
        evaluator(transition.guardAndPreconditions)(record, { user, rows: records.of, ...records.moment }) === true;
      // Trying reveals first if any grant applies, then if the state prevents it, then the guard.
      const isOpen = grants.length > 0;
      const isFrom = isOpen && transition.from.includes(String(record[entity.states?.field ?? ""]));
      return [transition.name, `${transition.clause.id} ${held(all)} ${isFrom}|${isOpen} ${isFrom && guard}`];
    }),
  ];
};

/** The fact revealed by a different permission: `held` for a role or the initial condition, `may` for a permission. */
export const learntBy = (was: string, is: string): string => {
  const [clause = ""] = was.split(" ");
  return was.split("|")[0] === is.split("|")[0] ? `${clause} may` : `${clause} held`;
};

/** Keys with different values in two sights. */
export const differences = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): readonly string[] =>
  [...new Set([...a.keys(), ...b.keys()])].filter((key) => a.get(key) !== b.get(key));

/** A difference between two worlds: a changed, added or removed row in the second. */
export interface Plant {
  readonly what: string;
  readonly entity: string;
  readonly id: string;
  /** The row in the second world; null if it is absent. */
  readonly row: Row | null;
}

export const planted = (rows: Rows, plants: readonly Plant[]): Rows => {
  const all = new Map([...rows].map(([entity, own]) => [entity, new Map(own)]));
  for (const { entity, id, row } of plants)
    if (row === null) all.get(entity)?.delete(id);
    else all.get(entity)?.set(id, row);
  return all;
};

/**
 * Differences that a person cannot read: an invisible record changed, copied or removed; and on visible records,
 * changed hidden fields.
 */
export const plantsFor = (model: Model, rows: Rows, principal: Principal, sight: Sight): readonly Plant[] => {
  const plants: Plant[] = [];
  let nth = 0;
  for (const entity of model.entities.values()) {
    const own = rows.get(entity.name);
    // Derived rows change with their sources.
    if (own === undefined || entity.rows !== null) continue;
    // An administrator sees names of people independent of the document's permissions.
    const told = entity.name === "User" && isAdministrator(principal) ? ["name", "email"] : [];
    // Only the document writes the names of its own records.
    const input = [...entity.fields.values()].filter(
      ({ name, storage, type, isKey }) => storage.as === "column" && type !== "state" && !isKey && !told.includes(name),
    );
    const others = [...own.values()];
    const referred = referredTo(model, rows, entity);
    const otherwise = (row: Row, names: readonly string[]): Row => ({
      ...row,
      ...Object.fromEntries(
        names.flatMap((name) => {
          const value = otherValue(entity, name, row, others, rows, nth++);
          return value === undefined ? [] : [[name, value]];
        }),
      ),
    });
    for (const [id, row] of own) {
      const at = `${entity.name}/${id}`;
      if (entity.name === "User" && id === principal.id) {
        // Everybody knows their own name and address.
        const hidden = input.filter(
          ({ name }) => name !== "name" && name !== "email" && !sight.seen.has(`${at}.${name}`),
        );
        for (const { name } of hidden)
          plants.push({ what: `${at}.${name} is otherwise`, entity: entity.name, id, row: otherwise(row, [name]) });
        continue;
      }
      if (sight.seen.has(at)) {
        for (const { name } of input)
          if (!sight.seen.has(`${at}.${name}`))
            plants.push({ what: `${at}.${name} is otherwise`, entity: entity.name, id, row: otherwise(row, [name]) });
        const state = entity.states?.field;
        if (state !== undefined && !sight.seen.has(`${at}.${state}`))
          for (const { name } of entity.states?.states ?? [])
            if (name !== row[state])
              plants.push({
                what: `${at}.${state} is ${name}`,
                entity: entity.name,
                id,
                row: { ...row, [state]: name },
              });
        continue;
      }
      // A person's name and address also occur in sessions and accounts.
      for (const { name } of input)
        plants.push({ what: `${at}.${name} is otherwise`, entity: entity.name, id, row: otherwise(row, [name]) });
      for (const { name } of entity.states?.states ?? [])
        if (name !== row[entity.states?.field ?? ""])
          plants.push({
            what: `${at} is ${name}`,
            entity: entity.name,
            id,
            row: { ...row, [entity.states?.field ?? ""]: name },
          });
      if (!referred.has(id) && entity.name !== "User")
        plants.push({ what: `${at} is gone`, entity: entity.name, id, row: null });
    }
    // Copies of invisible records, and of visible ones with all other fields changed.
    for (const [id, row] of [...own].slice(0, 12)) {
      const fresh = freshId(id, nth++);
      const unique = input.filter((field) => field.unique || field.type === "slug").map(({ name }) => name);
      if (entity.name === "User") continue;
      plants.push({
        what: `another ${entity.name} like ${id}`,
        entity: entity.name,
        id: fresh,
        row: { ...otherwise(row, unique), id: fresh },
      });
      const all = input.filter(({ type }) => type !== "reference").map(({ name }) => name);
      const second = freshId(id, nth++);
      plants.push({
        what: `another ${entity.name}, not like ${id}`,
        entity: entity.name,
        id: second,
        row: { ...otherwise(row, all), id: second },
      });
    }
  }
  return plants;
};

const referredTo = (model: Model, rows: Rows, target: Entity): ReadonlySet<string> => {
  const ids = new Set<string>();
  for (const entity of model.entities.values())
    for (const field of entity.fields.values())
      if (field.entity === target.name && field.storage.as !== "inverse")
        for (const row of rows.get(entity.name)?.values() ?? [])
          for (const id of [row[field.name]].flat()) if (typeof id === "string") ids.add(id);
  return ids;
};

/** An id of the same time as another, so that the order of ids reveals nothing. */
const freshId = (id: string, nth: number): string =>
  `${id.slice(0, 24)}${(0xfeed0000 + nth).toString(16).padStart(12, "0")}`;

const CANARY = "Xyzzyq";

/** Another valid value for a column: one of another record, or a new one. Undefined if there is none. */
const otherValue = (
  entity: Entity,
  name: string,
  row: Row,
  others: readonly Row[],
  rows: Rows,
  nth: number,
): unknown => {
  const field = entity.fields.get(name);
  if (field === undefined) return undefined;
  const now = row[name];
  const used = others.map((other) => other[name]).filter((value) => value !== null && !isSame(value, now));
  const some = (from: readonly unknown[]) => from[nth % Math.max(from.length, 1)];
  if (field.many) return isSame(now, []) ? some(used.filter((value) => !isSame(value, []))) : [];
  switch (field.type) {
    case "text":
    case "long text":
    case "rich text": {
      const text = `${CANARY} ${nth}`;
      const most = Number(field.max ?? 1_000);
      return field.unique || nth % 3 > 0 ? text.slice(-most) : (some(used) ?? text.slice(-most));
    }
    case "slug":
      return `xyzzyq-${nth}`;
    case "email":
      return `xyzzyq${nth}@example.com`;
    case "url":
      return `https://example.com/xyzzyq/${nth}`;
    case "phone":
      return `+49 30 999${nth}`;
    case "integer":
    case "position": {
      const [least, most] = [Number(field.min ?? 0), Number(field.max ?? 1_000_000)];
      return Number(now) + 1 > most ? least : Number(now ?? least) + 1 + (nth % 3);
    }
    case "decimal":
    case "money": {
      const most = Number(field.max ?? 1_000_000);
      return Number(now) + 1 > most ? Number(field.min ?? 0) : Number(now ?? 0) + 1;
    }
    case "boolean":
      return now !== true;
    case "choice":
      return some(field.values.filter((value) => value !== now));
    case "date":
    case "datetime": {
      const length = field.type === "date" ? 10 : 24;
      const at = now === null || now === undefined ? Date.now() : new Date(String(now)).getTime();
      return new Date(at + (nth % 2 === 0 ? 1 : -1) * 86_400_000 * (1 + (nth % 40))).toISOString().slice(0, length);
    }
    case "time":
      return now === "06:07:08" ? "07:08:09" : "06:07:08";
    case "duration":
      return now === "3 days" ? "4 days" : "3 days";
    case "json":
      return { [CANARY]: nth };
    case "reference":
      return some(
        [...(rows.get(field.entity ?? "")?.keys() ?? []), ...(field.optional && now !== null ? [null] : [])].filter(
          (id) => id !== now,
        ),
      );
    case "file":
    case "image":
      return field.optional && now !== null ? null : some(used);
    case "sequence":
      return now === null || now === undefined ? undefined : `${String(now)}9`;
    case "integer sequence":
      return now === null || now === undefined ? undefined : Number(now) + 1_000_000;
    default:
      return undefined;
  }
};

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
