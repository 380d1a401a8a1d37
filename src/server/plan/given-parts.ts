import { deciderOf, fieldsKnownTo, type Gate, gatesOf, writableThrough } from "../../core/derive/access.ts";
import { MOST_PARTS, type PartList, partListsOf } from "../../core/derive/parts.ts";
import { whoMay } from "../../core/explain/who.ts";
import type { Stored } from "../../core/field/kind.ts";
import { isId } from "../../core/field/reference.ts";
import type { Format } from "../../core/model/format.ts";
import type { Entity } from "../../core/model/model.ts";
import type { Expr } from "../../core/rule/expr.ts";
import type { Json } from "../../core/wire.ts";
import type { Values } from "../ask.ts";
import type { RefusalAt } from "../refusal.ts";
import type { Asker, Context } from "./context.ts";
import { slugsOf } from "./drawn.ts";
import { readGiven } from "./given.ts";
import { initialOf } from "./initial.ts";

/** One part of a list that was sent. */
export interface GivenPart {
  /** Where it stands in what was sent: `/lines/2`. */
  readonly at: string;
  /** Null for one that is to be made. */
  readonly id: string | null;
  readonly version: number | null;
  /** The fields that were sent; of one that is to be made, what the document computes too. */
  readonly values: ReadonlyMap<string, Stored>;
  readonly asked: readonly string[];
  readonly slugs: Readonly<Record<string, string>>;
}

/** The parts of one list as a request gives them: what is not among them goes. */
export interface GivenList extends PartList {
  readonly gates: { readonly [A in "create" | "update" | "delete"]: readonly Gate[] };
  readonly items: readonly GivenPart[];
  /** What fields that nobody gives begin with, where that reads other records. */
  readonly computed: ReadonlyMap<string, Expr>;
}

export interface GivenParts {
  /** What was sent of the record's own. */
  readonly own: Values;
  readonly lists: readonly GivenList[];
  readonly wrong: readonly RefusalAt[];
  /** What may be written on no record. */
  readonly closed: readonly RefusalAt[];
}

interface Reading {
  readonly context: Context;
  readonly asker: Asker;
  readonly format: Format;
}

/** Takes the lists of parts out of what was sent for a record, and reads each part as its own calls would. */
export const readParts = (
  reading: Reading,
  entity: Entity,
  sent: Values,
  gates: readonly Gate[],
  closedBy: string,
): GivenParts => {
  const {
    context: { model },
    asker,
  } = reading;
  const all = partListsOf(model, entity).filter(({ list }) => Object.hasOwn(sent, list.name));
  if (all.length === 0) return { own: sent, lists: [], wrong: [], closed: [] };
  const own: Record<string, Json> = { ...sent };
  const wrong: RefusalAt[] = [];
  const closed: RefusalAt[] = [];
  const known = fieldsKnownTo(model, entity, asker.person);
  const lists = all.flatMap((one): readonly GivenList[] => {
    const { list } = one;
    const taken = gates.some(({ fields }) => fields === null || fields.has(list.name));
    // Of a list that they may not know of it is said that there is no such field, with the rest.
    if (!taken && !known.has(list.name)) return [];
    const json = own[list.name];
    delete own[list.name];
    const at = { at: `/${list.name}`, clause: list.clause.id, values: { field: list.title, type: "a list" } };
    if (!taken) closed.push({ ...at, code: "NOT_YOURS_TO_WRITE", clause: closedBy });
    else if (json !== null && !Array.isArray(json)) wrong.push({ ...at, code: "WRONG_TYPE" });
    else if (json !== null && (json ?? []).length > MOST_PARTS)
      wrong.push({ ...at, code: "TOO_MANY_PARTS", values: { ...at.values, max: String(MOST_PARTS) } });
    else return [readList(reading, one, json ?? [], wrong, closed)];
    return [];
  });
  return { own, lists, wrong, closed };
};

const readList = (
  reading: Reading,
  list: PartList,
  sent: readonly Json[],
  wrong: RefusalAt[],
  closed: RefusalAt[],
): GivenList => {
  const {
    context: { model },
    asker,
  } = reading;
  const gatesFor = (action: "create" | "update" | "delete") => gatesOf(model, list.entity, action, asker.person);
  const gates = { create: gatesFor("create"), update: gatesFor("update"), delete: gatesFor("delete") };
  const computed = new Map<string, Expr>();
  const items = sent.flatMap((json, i): readonly GivenPart[] => {
    const at = `/${list.list.name}/${i}`;
    if (typeof json !== "object" || json === null || Array.isArray(json)) {
      wrong.push({
        at,
        code: "WRONG_TYPE",
        clause: list.list.clause.id,
        values: { field: list.list.title, type: "an object for each" },
      });
      return [];
    }
    return readPart(reading, { ...list, gates, items: [], computed }, json as Values, at, wrong, closed, computed);
  });
  return { ...list, gates, items, computed };
};

const readPart = (
  { context, asker, format }: Reading,
  { entity, field, place, gates }: GivenList,
  { id: idGiven = null, version: versionGiven = null, ...sent }: Values,
  at: string,
  wrong: RefusalAt[],
  closed: RefusalAt[],
  computed: Map<string, Expr>,
): readonly GivenPart[] => {
  const { model } = context;
  const below = (one: RefusalAt): RefusalAt => ({ ...one, at: `${at}${one.at}` });
  const bad = (name: string, type: string) =>
    wrong.push({ at: `${at}/${name}`, code: "WRONG_TYPE", clause: field.clause.id, values: { field: name, type } });
  if (idGiven !== null && (typeof idGiven !== "string" || !isId(idGiven.toLowerCase()))) {
    bad("id", "the id of a part");
    return [];
  }
  const id = idGiven === null ? null : idGiven.toLowerCase();
  if (versionGiven !== null && (typeof versionGiven !== "number" || !Number.isSafeInteger(versionGiven)))
    bad("version", "a whole number");
  const version = typeof versionGiven === "number" ? versionGiven : null;
  const action = id === null ? "create" : "update";
  const clause = deciderOf(entity, action);
  if (gates[action].length === 0 && (id === null || Object.keys(sent).length > 0)) {
    closed.push({ at, code: "FORBIDDEN", clause, values: {}, message: whoMay(asker.tongue, entity, action) });
    return [];
  }
  // Which record it is part of is known, and its place among the others is where it stands.
  const open = [...writableThrough(entity, gates[action])].filter(
    (name) => name !== field.name && name !== place?.name && (id === null || entity.fields.get(name)?.once !== true),
  );
  const known = fieldsKnownTo(model, entity, asker.person);
  const given = readGiven(entity, sent, { open: new Set(open), known, past: context.past }, clause, format);
  wrong.push(...given.wrong.map(below));
  closed.push(...given.closed.map(below));
  const asked = [...given.values.keys()];
  if (id !== null) return [{ at, id, version, values: given.values, asked, slugs: {} }];
  const initial = initialOf(entity, sent, given, asker, new Set([field.name]));
  wrong.push(...initial.missing.map(below));
  for (const [name, expr] of initial.computed) computed.set(name, expr);
  return [{ at, id, version, values: initial.values, asked, slugs: slugsOf(entity, initial.values) }];
};
