import type { Type } from "../expression/values/type.ts";
import type { Json } from "../wire/json.ts";
import { byValues, entered, type FieldKind, type FieldSpec, reject, stored } from "./kind.ts";

const type = (spec: FieldSpec): Type => ({ kind: "choice", of: spec.of, values: spec.values });
const read = (json: Json, spec: FieldSpec) =>
  typeof json === "string" && spec.values.includes(json) ? stored(json) : reject("NOT_A_CHOICE");

const wire = ({ values }: FieldSpec) => {
  const schema = { type: "string", enum: values };
  return { response: schema, request: schema };
};
const refuses = () => ["NOT_A_CHOICE"] as const;

export const choice: FieldKind = {
  column: "text",
  type,
  read,
  wire,
  refuses,
  lists: byValues,
  fields: entered,
};

/** A state is a choice that only transitions write. */
export const state: FieldKind = {
  ...choice,
  fields: { ...entered, many: false, personal: false, suggestions: false },
};
