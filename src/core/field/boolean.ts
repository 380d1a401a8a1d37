import { byValues, entered, type FieldKind, reject, stored } from "./kind.ts";

export const boolean: FieldKind = {
  column: "boolean",
  type: () => ({ kind: "boolean" }),
  lists: byValues,
  fields: { ...entered, many: false },
  isKey: (text) => text === "true" || text === "false",
  wire: () => ({ response: { type: "boolean" }, request: { type: "boolean" } }),
  refuses: () => ["WRONG_TYPE"],
  read: (json) => (typeof json === "boolean" ? stored(json) : reject("WRONG_TYPE")),
};
