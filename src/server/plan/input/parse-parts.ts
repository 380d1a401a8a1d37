import {
  decidingClauseId,
  type Grant,
  grantsFor,
  knowableFields,
  writableFields,
} from "../../../core/derive/authorization/grants.ts";
import {
  closedFieldRefusal,
  permissionRefusal,
  tooManyPartsRefusal,
} from "../../../core/derive/consistency/check-refusals.ts";
import { permissionSentence } from "../../../core/explain/who-may.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Stored } from "../../../core/field/kind.ts";
import { isId } from "../../../core/field/reference.ts";
import type { KindName } from "../../../core/i18n/catalogue.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { findPartLists, MOST_PARTS, type PartList } from "../../../core/model/facts/parts.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { Values } from "../../intent.ts";
import { nullForList, type RefusalAt, typeMismatch } from "../../refusal.ts";
import type { Caller, PlanContext } from "../context.ts";
import { retiredFields } from "../row/former-names.ts";
import { slugTexts } from "./generated-values.ts";
import { initialValues } from "./initial-values.ts";
import { parseInput } from "./parse-input.ts";

/** One part in a list of a request body. */
export interface PartInput {
  /** JSON pointer of the part: `/lines/2`. */
  readonly at: string;
  /** Null for a new part. */
  readonly id: string | null;
  readonly version: number | null;
  /** The sent fields; for a new part, with computed defaults. */
  readonly values: ReadonlyMap<string, Stored>;
  readonly sentFields: readonly string[];
  readonly slugs: Readonly<Record<string, string>>;
  /** JSON pointer of the parent in the request body; `""` for the root record. */
  readonly of: string;
  /** Names of the nested lists sent with the part. */
  readonly lists: readonly string[];
}

/**
 * The parts of one list in a request, for all parents that have the list. Stored parts that are absent from it are
 * deleted.
 */
export interface PartListInput extends PartList {
  readonly grants: { readonly [A in "create" | "update" | "delete"]: readonly Grant[] };
  /** JSON pointers of the parents for which the list was sent. */
  readonly of: ReadonlySet<string>;
  readonly items: readonly PartInput[];
  /** Defaults of new parts that read other records. */
  readonly computed: ReadonlyMap<string, Expr>;
  /** The nested lists, each with the parts of all parents. */
  readonly lists: readonly PartListInput[];
}

/** A list during parsing. */
interface Gathered extends PartListInput {
  readonly of: Set<string>;
  readonly items: PartInput[];
  readonly computed: Map<string, Expr>;
  readonly lists: Gathered[];
}

export interface PartsInput {
  /** Fields of the record without lists of parts. */
  readonly own: Values;
  readonly lists: readonly PartListInput[];
  readonly wrong: readonly RefusalAt[];
  /** Fields that the caller cannot write on any record. */
  readonly closed: readonly RefusalAt[];
}

interface Reading {
  readonly context: PlanContext;
  readonly caller: Caller;
  readonly format: Format;
  /** Validation errors and forbidden fields, with their pointers. */
  readonly wrong: RefusalAt[];
  readonly closed: RefusalAt[];
}

/** Separates the lists of parts from a record's fields, and parses each part as the calls of its entity would. */
export const parseParts = (
  planning: Pick<Reading, "context" | "caller" | "format">,
  entity: Entity,
  sent: Values,
  grants: readonly Grant[],
  closedBy: string,
): PartsInput => {
  if (findPartLists(planning.context.model, entity).length === 0)
    return { own: sent, lists: [], wrong: [], closed: [] };
  const reading: Reading = { ...planning, wrong: [], closed: [] };
  const lists: Gathered[] = [];
  const { own } = readLists(reading, entity, { sent, at: "", grants, closedBy }, lists);
  return { own, lists, wrong: reading.wrong, closed: reading.closed };
};

/** The body of one record, with the grants for writing it. */
interface SentRecord {
  readonly sent: Values;
  readonly at: string;
  readonly grants: readonly Grant[];
  readonly closedBy: string;
}

/** Parses the lists of a record into those collected from its siblings. Returns the record's own fields. */
const readLists = (
  reading: Reading,
  entity: Entity,
  { sent, at, grants, closedBy }: SentRecord,
  into: Gathered[],
): { readonly own: Values; readonly named: readonly string[] } => {
  const {
    context: { model },
    caller,
    wrong,
    closed,
  } = reading;
  const all = findPartLists(model, entity).filter(({ list }) => Object.hasOwn(sent, list.name));
  if (all.length === 0) return { own: sent, named: [] };
  const own: Record<string, Json> = { ...sent };
  const named: string[] = [];
  const known = knowableFields(model, entity, caller.principal);
  for (const partList of all) {
    const { list } = partList;
    const taken = grants.some(({ fields }) => fields === null || fields.has(list.name));
    // A list that the caller cannot know is refused as an unknown field.
    if (!taken && !known.has(list.name)) continue;
    const json = own[list.name];
    delete own[list.name];
    const place = { at: `${at}/${list.name}`, clause: list.clause.id, values: { field: list.title } };
    const gathered = into.find(({ list: other }) => other === list) ?? gather(reading, partList, into);
    if (!taken) closed.push({ ...place, ...closedFieldRefusal(closedBy) });
    else if (json === null) wrong.push(nullForList(place.at, list));
    else if (!Array.isArray(json))
      wrong.push(typeMismatch(place.at, place.clause, { field: list.title, type: "rows" }));
    else if (gathered.items.length + json.length > MOST_PARTS)
      wrong.push({ ...place, ...tooManyPartsRefusal(list), values: { ...place.values, max: String(MOST_PARTS) } });
    else {
      named.push(list.name);
      gathered.of.add(at);
      for (const [i, part] of (json as readonly Json[]).entries()) readPart(reading, gathered, part, at, i);
    }
  }
  return { own, named };
};

const gather = ({ context: { model }, caller }: Reading, list: PartList, into: Gathered[]): Gathered => {
  const gatesFor = (action: "create" | "update" | "delete") => grantsFor(model, list.entity, action, caller.principal);
  const gathered: Gathered = {
    ...list,
    grants: { create: gatesFor("create"), update: gatesFor("update"), delete: gatesFor("delete") },
    of: new Set(),
    items: [],
    computed: new Map(),
    lists: [],
  };
  into.push(gathered);
  return gathered;
};

const readPart = (reading: Reading, list: Gathered, json: Json, of: string, nth: number): void => {
  const { context, caller, format, wrong, closed } = reading;
  const { model } = context;
  const { entity, field, place, grants } = list;
  const at = `${of}/${list.list.name}/${nth}`;
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    wrong.push(typeMismatch(at, list.list.clause.id, { field: list.list.title, type: "objects in a list" }));
    return;
  }
  const { id: idGiven = null, version: versionGiven = null, ...members } = json as Values;
  const below = (error: RefusalAt): RefusalAt => ({ ...error, at: `${at}${error.at}` });
  const refuseMember = (name: string, type: KindName) =>
    wrong.push(typeMismatch(`${at}/${name}`, field.clause.id, { field: name, type }));
  if (idGiven !== null && (typeof idGiven !== "string" || !isId(idGiven.toLowerCase()))) {
    refuseMember("id", "part id");
    return;
  }
  const id = idGiven === null ? null : idGiven.toLowerCase();
  if (versionGiven !== null && (typeof versionGiven !== "number" || !Number.isSafeInteger(versionGiven)))
    refuseMember("version", "integer");
  const version = typeof versionGiven === "number" ? versionGiven : null;
  const action = id === null ? "create" : "update";
  const clause = decidingClauseId(entity, action);
  if (grants[action].length === 0 && (id === null || Object.keys(members).length > 0)) {
    closed.push({
      ...permissionRefusal(clause),
      at,
      values: {},
      message: permissionSentence(caller.phrases, entity, action),
    });
    return;
  }
  const { own: sent, named: lists } = readLists(
    reading,
    entity,
    { sent: members, at, grants: grants[action], closedBy: clause },
    list.lists,
  );
  // The parent and the position follow from the place in the body.
  const open = [...writableFields(entity, grants[action])].filter(
    (name) => name !== field.name && name !== place?.name && (id === null || entity.fields.get(name)?.once !== true),
  );
  const known = knowableFields(model, entity, caller.principal);
  const input = parseInput(
    entity,
    sent,
    { open: new Set(open), known, past: context.past, retired: retiredFields(context, entity, caller.principal) },
    clause,
    format,
  );
  wrong.push(...input.wrong.map(below));
  closed.push(...input.closed.map(below));
  const part = { at, id, version, sentFields: [...input.values.keys()], of, lists };
  if (id !== null) {
    list.items.push({ ...part, values: input.values, slugs: {} });
    return;
  }
  const initial = initialValues(entity, sent, input, caller, new Set([field.name]));
  wrong.push(...initial.missing.map(below));
  for (const [name, expr] of initial.computed) list.computed.set(name, expr);
  list.items.push({ ...part, values: initial.values, slugs: slugTexts(entity, initial.values) });
};
