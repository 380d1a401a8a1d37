import type { PointNumber } from "../document/read.ts";
import type { Step } from "./cursor.ts";

/** The kind of name that a place of the document has. */
export type NameKindAt =
  | { readonly of: "entity" | "role" | "error" | "limit" | "type" | "inverse" | "choice" | "outgoing" }
  /**
   * `list`: the field belongs to the records of that list of the entity. `acts`: also a value that a transition asks for
   * and that no record keeps.
   */
  | { readonly of: "field"; readonly entity: string; readonly list?: string; readonly acts?: true }
  | { readonly of: "transition" | "state" | "shape"; readonly entity: string }
  | { readonly of: "value"; readonly entity: string; readonly field: string }
  /** A record of the document. */
  | { readonly of: "record"; readonly entity: string }
  /** A value of a field in such a record: a choice, or the name of another record. */
  | { readonly of: "stored value"; readonly entity: string; readonly field: string };

/** A place in a block, by its keys: `["Repair", "fields", "cost", "type"]`. */
export interface NamePlace {
  readonly point: PointNumber;
  readonly path: readonly Step[];
  readonly slot: "key" | "value";
  readonly around: readonly string[];
}

const whose =
  /(?:^|[\s{,])(?:list|record|form|letter|count|figure|from|read|create|update|delete|delete all|replace|put|ensure|transition):\s*([A-Z]\w*)/u;

/** The entity whose fields a screen, a tile or a call names: that of the innermost mapping that says one. */
export const entityAround = (around: readonly string[]): string | undefined => {
  for (const region of around) {
    const [, entity] = whose.exec(region) ?? [];
    if (entity !== undefined) return entity;
  }
  return undefined;
};

/** The list of parts whose columns a mapping names: `{ list: lines, columns: [item] }`. */
const partList = /(?:^|[\s{,])(?:list|table):\s*([a-z]\w*)/u;

/** The fields of a mapping in a screen: of its entity, or of the parts in a list of it. */
const columnsAround = (around: readonly string[]): NameKindAt | undefined => {
  const entity = entityAround(around);
  if (entity === undefined) return undefined;
  const inner = around.slice(
    0,
    around.findIndex((region) => whose.test(region)),
  );
  const list = inner.map((region) => partList.exec(region)?.[1]).find((name) => name !== undefined);
  return list === undefined ? { of: "field", entity } : { of: "field", entity, list };
};

const fieldsOf = (entity: string | undefined): NameKindAt | undefined =>
  entity === undefined ? undefined : { of: "field", entity };

/** The names of the keys on the way, without items of lists. */
export const keysOfPath = (path: readonly Step[]): readonly string[] =>
  path.flatMap((step) => (step.kind === "key" ? [step.name] : []));

const inScreens = (keys: readonly string[], around: readonly string[]): NameKindAt | undefined => {
  const last = keys.at(-1) ?? "";
  if (["record", "form", "letter", "count", "figure", "from"].includes(last)) return { of: "entity" };
  if (last === "list")
    return keys.includes("sections") || keys.includes("fields")
      ? fieldsOf(entityAround(around.slice(1)))
      : { of: "entity" };
  if (last === "for" || (last === "to" && keys.includes("send"))) return { of: "role" };
  if (["columns", "totals", "sort"].includes(last)) return columnsAround(around);
  return ["filters", "fields", "field", "group", "board", "calendar", "pivot", "by", "table"].includes(last)
    ? fieldsOf(entityAround(around))
    : undefined;
};

const inEntityKeys = ([entity = "", part = "", ...more]: readonly string[]): NameKindAt | undefined => {
  if (part === "records") return more.length === 0 ? { of: "record", entity } : { of: "field", entity };
  return more.length === 0 && (part === "fields" || part === "rows of") ? { of: "field", entity } : undefined;
};

/** `values: [low, high]`, or another field that lists them. */
const inValues = (entity: string, field: string, isItem: boolean): NameKindAt =>
  isItem ? { of: "value", entity, field } : { of: "choice" };

const inEntities = (
  [entity = "", part = "", field = "", key = ""]: readonly string[],
  depth: number,
  isItem: boolean,
): NameKindAt | undefined => {
  if (part === "rows of" && depth === 3) return { of: "type" };
  if (part === "records" && depth === 4) return { of: "stored value", entity, field: key };
  if (part !== "fields" || depth < 3) return undefined;
  if (depth === 3 || key === "type") return { of: "type" };
  if (key === "list") return { of: "inverse" };
  if (key === "min" || key === "max") return { of: "limit" };
  if (key === "from") return { of: "field", entity };
  if (key === "gapless") return { of: "transition", entity };
  return key === "values" && depth === 4 ? inValues(entity, field, isItem) : undefined;
};

const inEffects = (keys: readonly string[], entity: string): NameKindAt | undefined => {
  const last = keys.at(-1);
  if (last === "create" || last === "put") return keys.length > 3 ? { of: "entity" } : undefined;
  return last === "make" ? { of: "transition", entity } : undefined;
};

const inStates = (keys: readonly string[], depth: number, slot: string, isItem: boolean): NameKindAt | undefined => {
  const [entity = "", part = "", , key = ""] = keys;
  if (part === "field" && depth === 2) return { of: "field", entity };
  if (part === "states" && key === "deadline") return { of: "field", entity };
  if (depth <= 2 && ["initial", "final", "states"].includes(part)) return { of: "state", entity };
  if (part === "transitions" && depth === 2 && slot === "key") return { of: "transition", entity };
  if (part === "after" && depth === 2 && slot === "key") return { of: "transition", entity };
  if (part === "after" && slot === "value") return inEffects(keys, entity);
  if (part !== "transitions") return undefined;
  if (["from", "to", "until"].includes(key)) return { of: "state", entity };
  if (key === "by") return { of: "role" };
  if (key === "asks") return inAsks(keys, slot, isItem);
  return key === "recorded in" ? { of: "field", entity } : undefined;
};

/** `asks: [note, { hours: { type: decimal } }]`: names of fields, and definitions of values. */
const inAsks = (
  [entity = "", , , , name, key]: readonly string[],
  slot: string,
  isItem: boolean,
): NameKindAt | undefined => {
  if (name === undefined) return { of: "field", entity, acts: true };
  if (slot === "key") return undefined;
  if (key === undefined || key === "type") return { of: "type" };
  if (key === "min" || key === "max") return { of: "limit" };
  return key === "values" ? inValues(entity, name, isItem) : undefined;
};

const inRules = ([entity = "", key = ""]: readonly string[]): NameKindAt | undefined => {
  if (["unique", "within", "no overlap"].includes(key)) return { of: "field", entity };
  if (key === "during" || key === "before") return { of: "transition", entity };
  return key === "else" ? { of: "error" } : undefined;
};

const inPermissions = (keys: readonly string[], slot: string): NameKindAt | undefined => {
  const [part = "", entity = "", , key = ""] = keys;
  // Roles held everywhere, and those held on the records of an entity.
  if (part === "roles")
    return slot === "key" && (keys.length === 1 || (keys.length === 2 && /^[A-Z]/u.test(entity)))
      ? { of: "role" }
      : undefined;
  if (part === "deputies" && slot === "value")
    return entity === "for" ? { of: "role" } : entity === "up to" ? { of: "limit" } : undefined;
  if (part === "changes" && slot === "value") return { of: "role" };
  if (part !== "permissions") return undefined;
  if (keys.length === 1) return { of: "entity" };
  if (key === "like") return { of: "field", entity };
  if (key === "fields" || key === "except") return { of: "field", entity, acts: true };
  return slot === "value" && (keys.length === 3 || key === "role") ? { of: "role" } : undefined;
};

const inCalls = (keys: readonly string[]): NameKindAt | undefined => {
  const [part = ""] = keys;
  const last = keys.at(-1) ?? "";
  if (["read", "create", "update", "delete", "replace", "list"].includes(last)) return { of: "entity" };
  if (last === "readers" || last === "roles" || (last === "by" && part === "token")) return { of: "role" };
  return last === "retries" ? { of: "limit" } : undefined;
};

/** The kind of name that belongs to a place; undefined if it takes no name of the document. */
export const nameKindAt = ({ point, path, slot, around }: NamePlace): NameKindAt | undefined => {
  const keys = keysOfPath(path);
  const isItem = slot === "key" || path.at(-1)?.kind === "item";
  if (slot === "key" && keys.length === 0 && [3, 4, 5].includes(point)) return { of: "entity" };
  switch (point) {
    case 2:
      return slot === "value" ? inScreens(keys, around) : undefined;
    case 3:
      if (slot === "key" && keys[3] !== "values") return inEntityKeys(keys);
      return keys[3] === "kept" && keys.at(-1) === "until" ? fieldsOf(keys[0]) : inEntities(keys, keys.length, isItem);
    case 4:
      if (slot === "key") {
        const [entity = "", part, , key] = keys;
        if (keys.length === 2 && part === "states") return { of: "state", entity };
        if (keys.length === 2 && part === "field") return { of: "field", entity };
        // An effect sets the fields of the record that it creates or updates.
        if (part === "after" && keys.at(-1) === "set") return fieldsOf(entityAround(around) ?? entity);
        if (keys.length === 4 && key === "set") return { of: "field", entity };
      }
      return inStates(keys, keys.length, slot, isItem);
    case 5:
      return slot === "value" ? inRules(keys) : undefined;
    case 6:
      return inPermissions(keys, slot);
    case 7:
      if (slot === "key" && keys[0] === "shapes" && keys.length <= 2)
        return keys.length === 1 ? { of: "entity" } : { of: "shape", entity: keys[1] ?? "" };
      if (slot === "key") return keys.at(-1) === "takes" ? fieldsOf(entityAround(around)) : undefined;
      if (keys.at(-1) === "by") return { of: "role" };
      return slot === "value" ? inCalls(keys) : undefined;
    case 8:
      if (slot === "key") return keys.length === 0 ? { of: "error" } : undefined;
      return undefined;
    case 9:
      return slot === "key" && keys.length === 0 ? { of: "limit" } : undefined;
    default:
      return undefined;
  }
};
