import type { Entity } from "../../model/entity.ts";
import type { Model } from "../../model/model.ts";
import { fieldNameAt, type Past, transitionSince, valueSince } from "../../model/renaming.ts";
import type { Json } from "../../wire/json.ts";
import type { AuditChanges } from "./audit-line.ts";

/** Converts names of an earlier version of the document to those of the latest one. */
export interface NamesSince {
  /** Undefined if no later version has the entity. */
  readonly entity: (name: string) => string | undefined;
  /** Fields and values under their latest names; `entity` is the latest name. Removed fields are left out. */
  readonly changes: (entity: string, changes: AuditChanges) => AuditChanges;
  readonly action: (entity: string, action: string) => string;
}

/** Converts the names of any earlier version. `past` includes the renamings up to the latest version. */
export const createNamesSince = (past: Past, models: readonly Model[]): ((document: number) => NamesSince) => {
  const known = new Map<number, NamesSince>();
  return (document) => {
    const found = known.get(document) ?? namesThen(past, models, document);
    known.set(document, found);
    return found;
  };
};

const namesThen = (past: Past, models: readonly Model[], document: number): NamesSince => {
  const later = past.filter((renaming) => renaming.document > document);
  const nameThen = (name: string): string =>
    later
      .toReversed()
      .reduce((known, renaming) => (renaming.of === "entity" && renaming.now === known ? renaming.old : known), name);
  const entities = new Map<string, string>();
  const fields = new Map<string, Map<string, string>>();
  for (const { entities: some } of models)
    for (const { name, fields: own } of some.values()) {
      entities.set(nameThen(name), name);
      const names = fields.get(name) ?? new Map<string, string>();
      fields.set(name, names);
      for (const field of own.keys()) names.set(fieldNameAt(past, document, name, field), field);
    }
  const hasValues = (entity: string, field: string): boolean =>
    models.some(({ entities: some }) => isNamed(some.get(entity), field));
  const value = (entity: string, field: string, json: Json): Json => {
    if (typeof json === "string") return valueSince(past, document, entity, field, json);
    return Array.isArray(json) ? json.map((json: Json) => value(entity, field, json)) : json;
  };
  return {
    entity: (name) => entities.get(name),
    changes: (entity, changes) =>
      Object.fromEntries(
        Object.entries(changes).flatMap(([name, [before, after]]) => {
          const now = fields.get(entity)?.get(name) ?? (entity === "User" && name === "roles" ? name : undefined);
          if (now === undefined) return [];
          if (later.length === 0 || !hasValues(entity, now)) return [[now, [before, after] as const]];
          return [[now, [value(entity, now, before), value(entity, now, after)] as const]];
        }),
      ),
    action: (entity, action) => (later.length === 0 ? action : transitionSince(past, document, entity, action)),
  };
};

/** True for a choice or the state, whose values have names. */
const isNamed = (entity: Entity | undefined, field: string): boolean => {
  const type = entity?.fields.get(field)?.type;
  return type === "choice" || type === "state";
};
