import { byValues, entered, type FieldKind, reject, stored } from "./kind.ts";

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;

export const isId = (text: string): boolean => ID.test(text);

/** Entered as an id. The write statement checks that the record exists and is visible to the caller. */
export const reference: FieldKind = {
  column: "uuid",
  type: (spec) => (spec.entity === null ? { kind: "unknown" } : { kind: "record", entity: spec.entity }),
  lists: byValues,
  fields: { ...entered, personal: false },
  wire: ({ entity }) => ({
    response: { $ref: "#/components/schemas/Reference", "x-refers-to": entity },
    request: { type: "string", format: "uuid", pattern: ID.source.replaceAll("a-f", "a-fA-F"), "x-refers-to": entity },
  }),
  refuses: () => ["WRONG_TYPE"],
  read: (json) => (typeof json === "string" && isId(json) ? stored(json.toLowerCase()) : reject("WRONG_TYPE")),
};
