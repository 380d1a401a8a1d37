import type { Call, TakenField } from "../../../core/model/endpoint.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { Values } from "../../intent.ts";

/** The fields that a body has values for. */
interface BodyFields {
  readonly entity: string;
  /** Null: each field under its own name. */
  readonly takes: readonly TakenField[] | null;
}

/**
 * A body with texts in place of values as it would be in JSON: `"true"` is true, where a boolean is expected. In a form,
 * a single value of a field with several values is a list. Texts that are no value stay, so that they are refused.
 */
export const readTexts = (
  model: Model,
  { accepts }: Pick<Call, "accepts">,
  steps: readonly BodyFields[],
  isForm: boolean,
  body: Values,
): Values =>
  accepts.texts || isForm ? steps.reduce((values, step) => readFields(model, step, isForm, values), body) : body;

const readFields = (model: Model, { entity, takes }: BodyFields, isForm: boolean, body: Values): Values => {
  const fields = model.entities.get(entity)?.fields;
  const taken = takes ?? Object.keys(body).map((name): TakenField => ({ path: [name], field: name }));
  return taken.reduce((values, { path, field: name, parts, by }) => {
    const field = fields?.get(name);
    return replaceAt(values, path, (json) => {
      if (parts !== undefined)
        return Array.isArray(json)
          ? json.map((part) => (isObject(part) ? readFields(model, parts, isForm, part) : part))
          : json;
      return field === undefined || by !== undefined ? json : readValue(field, isForm, json);
    });
  }, body);
};

const readValue = ({ type, many }: Field, isForm: boolean, json: Json): Json => {
  if (many && isForm && typeof json === "string") return json === "" ? [] : [json];
  if (type !== "boolean") return json;
  return json === "true" ? true : json === "false" ? false : json;
};

/** Replaces the value at a path, if there is one. */
const replaceAt = (body: Values, [name = "", ...rest]: readonly string[], change: (json: Json) => Json): Values => {
  const json = Object.hasOwn(body, name) ? body[name] : undefined;
  if (json === undefined) return body;
  const changed = rest.length === 0 ? change(json) : isObject(json) ? replaceAt(json, rest, change) : json;
  return changed === json ? body : { ...body, [name]: changed };
};

const isObject = (json: Json): json is Values => typeof json === "object" && json !== null && !Array.isArray(json);
