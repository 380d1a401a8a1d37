import type { FieldTypeName } from "../wire/entities.ts";
import type { Json } from "../wire/json.ts";
import { type FieldKind, type FieldSpec, reject, type StoredScalar, stored } from "./kind.ts";
import { fieldKinds } from "./kinds.ts";

/** Maximum number of values. */
const MAX_VALUES = 200;

/** Several distinct values of a type, in the order entered. Without values it is an empty list, never missing. */
const several = (fieldKind: FieldKind): FieldKind => ({
  column: `${fieldKind.column}[]`,
  type: (spec) => ({ kind: "list", of: fieldKind.type(spec) }),
  read: (json, spec) => {
    if (!Array.isArray(json) || json.length > MAX_VALUES) return reject("WRONG_TYPE");
    const values = new Set<StoredScalar>();
    for (const element of json as readonly Json[]) {
      if (element === null || element === "") continue;
      const reading = fieldKind.read(element, spec);
      if (!reading.ok) return reading;
      values.add(reading.value as StoredScalar);
    }
    return stored([...values]);
  },
  wire: (spec) => {
    const { response, request } = fieldKind.wire(spec);
    return {
      response: { type: "array", items: response },
      request: { type: "array", items: request, maxItems: MAX_VALUES },
    };
  },
  answer: (value, spec) => (Array.isArray(value) ? value.map((element) => toAnswer(fieldKind, element, spec)) : []),
  lists: fieldKind.lists,
  fields: fieldKind.fields,
  refuses: (spec) => [...new Set([...fieldKind.refuses(spec), "WRONG_TYPE" as const])],
});

/** The database returns array elements as text, the history as JSON. */
const toAnswer = (fieldKind: FieldKind, element: unknown, spec: FieldSpec): Json => {
  if (fieldKind.column === "bigint") return Number(element);
  if (fieldKind.column === "jsonb")
    return typeof element === "string" ? (JSON.parse(element) as Json) : (element as Json);
  return fieldKind.answer === undefined ? String(element) : fieldKind.answer(element, spec);
};

const severals = new Map<FieldTypeName, FieldKind>();

/** The type of a field: of a single value or of several. */
export const getFieldKind = ({ type, many }: { readonly type: FieldTypeName; readonly many: boolean }): FieldKind => {
  if (!many) return fieldKinds[type];
  const known = severals.get(type) ?? several(fieldKinds[type]);
  severals.set(type, known);
  return known;
};
