import { decidingClauseId, isGenerated } from "../../derive/authorization/grants.ts";
import { closedFieldRefusal, requiredRefusal } from "../../derive/consistency/check-refusals.ts";
import { normalizeDatetime } from "../../expression/values/calendar.ts";
import { toIsoDuration } from "../../expression/values/iso-duration.ts";
import { fromInterval } from "../../field/duration.ts";
import { getFieldKind } from "../../field/multi-valued.ts";
import { toFieldSpec } from "../../model/facts/field-spec.ts";
import { type Field, isPlainColumn } from "../../model/field.ts";
import type { FieldTypeName } from "../../wire/entities.ts";
import type { Json } from "../../wire/json.ts";
import { toPath } from "./past-records.ts";
import { NotKnown, type PastRecord } from "./past-world.ts";
import {
  enteredValue,
  findTransition,
  isMissingValue,
  type LineChecks,
  listWrittenFields,
  type ReplayContext,
} from "./replay-context.ts";

/** Required values and limits of what a person entered. */
export const checkInput = ({ context, checks, env, entity, line }: LineChecks, after: PastRecord): void => {
  const isChanged = (field: Field): boolean => {
    const before = context.stored.entities.get(entity.name)?.fields.get(field.name);
    return before !== undefined && (before.type !== field.type || before.many !== field.many);
  };
  if (line.action === "create")
    for (const field of entity.fields.values()) {
      const has = !isMissingValue(after.values[field.name] ?? null);
      const isFilled = field.set !== null || field.default !== null || isGenerated(field) || field.type === "state";
      if (!has && !isFilled && !field.optional && field.type !== "boolean" && !field.many && isPlainColumn(field))
        checks.refuse("input", requiredRefusal(field));
    }
  const entered =
    line.action === "create" || line.action === "update"
      ? listWrittenFields(context, entity, line, env())
      : listWrittenFields(context, entity, line, env()).filter(
          ({ name }) => findTransition(entity, line)?.asks.includes(name) === true,
        );
  for (const field of entered) {
    const json = line.changes[field.name]?.[1] ?? null;
    if (isChanged(field)) {
      if (!isMissingValue(json) && !isValueOf(field, json, context))
        checks.leave("input", { clause: field.clause.id }, { key: "type", why: "changed type", reads: toPath(field) });
      continue;
    }
    if (line.action === "update" && field.once)
      checks.refuse("fields", closedFieldRefusal(decidingClauseId(entity, "update")));
    if (isMissingValue(json)) {
      if (!field.optional && field.type !== "boolean" && !field.many && line.action !== "create")
        checks.refuse("input", requiredRefusal(field));
      continue;
    }
    const wire = toWire(field, json);
    if (wire === undefined) continue;
    const reading = getFieldKind(field).read(wire, toFieldSpec(entity, field));
    if (!reading.ok) checks.refuse("input", { clause: field.clause.id, code: reading.error });
  }
  const transition = findTransition(entity, line);
  for (const name of transition?.asks ?? []) {
    const field = entity.fields.get(name);
    if (field === undefined || transition?.asksIfAny.has(name) === true) continue;
    if (isMissingValue(after.values[name] ?? null)) checks.refuse("input", requiredRefusal(field, transition));
  }
};

/** False for a value of a former type, if it is not known which one a request would have contained instead. */
const isValueOf = (field: Field, json: Json, { records }: ReplayContext): boolean => {
  if (field.type === "reference") return false;
  if (field.type === "choice") return [json].flat().every((value) => field.values.includes(String(value)));
  try {
    enteredValue(json, field, records);
    return true;
  } catch (error) {
    if (error instanceof NotKnown) return false;
    throw error;
  }
};

/** A value of the audit in the form of a request; undefined for types whose requests have another form. */
const toWire = ({ type }: Field, json: Json): Json | undefined => {
  const convert = toRequest[type];
  if (convert === null) return undefined;
  return Array.isArray(json) ? json.map((json: Json) => convert(json)) : convert(json);
};

type ToRequest = (json: Json) => Json;

const unchanged: ToRequest = (json) => json;

const toDuration: ToRequest = (json) => {
  const duration = fromInterval(String(json));
  return duration === undefined ? json : toIsoDuration(duration);
};

/** Null for a type whose audited value does not tell what the request contained. */
const toRequest: { readonly [T in FieldTypeName]: ToRequest | null } = {
  text: unchanged,
  "long text": unchanged,
  "rich text": null,
  integer: unchanged,
  decimal: unchanged,
  money: unchanged,
  boolean: null,
  date: unchanged,
  time: unchanged,
  datetime: (json) => normalizeDatetime(String(json)) ?? json,
  duration: toDuration,
  choice: unchanged,
  email: unchanged,
  url: unchanged,
  phone: unchanged,
  file: null,
  image: null,
  json: null,
  sequence: null,
  "integer sequence": null,
  slug: null,
  position: null,
  reference: null,
  state: null,
};
