import { decidingClauseId, isGenerated } from "../../derive/authorization/grants.ts";
import { closedFieldRefusal, requiredRefusal } from "../../derive/consistency/check-refusals.ts";
import { fromInterval, toIsoDuration } from "../../field/duration.ts";
import { getFieldKind } from "../../field/multi-valued.ts";
import { toFieldSpec } from "../../model/facts/field-spec.ts";
import { type Field, isPlainColumn } from "../../model/field.ts";
import type { Json } from "../../wire/json.ts";
import type { PastRecord } from "./past-world.ts";
import { findTransition, isMissingValue, type LineChecks, listWrittenFields } from "./replay-context.ts";

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
    if (isChanged(field)) continue;
    const json = line.changes[field.name]?.[1] ?? null;
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

/** Types whose stored form can be read like input. */
const readable: ReadonlySet<string> = new Set([
  "text",
  "long text",
  "integer",
  "decimal",
  "money",
  "date",
  "time",
  "datetime",
  "duration",
  "choice",
  "email",
  "url",
  "phone",
]);

/** A value of the audit in the form of a request; undefined for types whose requests have another form. */
const toWire = (field: Field, json: Json): Json | undefined => {
  if (!readable.has(field.type)) return undefined;
  if (Array.isArray(json)) return json.map((json: Json) => toWireJson(field, json));
  return toWireJson(field, json);
};

const toWireJson = (field: Field, json: Json): Json => {
  if (field.type === "datetime") return new Date(String(json)).toISOString();
  if (field.type !== "duration") return json;
  const duration = fromInterval(String(json));
  return duration === undefined ? json : toIsoDuration(duration);
};
