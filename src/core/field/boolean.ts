import { type FieldKind, refused, stored } from "./kind.ts";

export const boolean: FieldKind = {
  is: "yes or no",
  column: "boolean",
  type: () => ({ kind: "boolean" }),
  read: (json) => (typeof json === "boolean" ? stored(json) : refused("WRONG_TYPE")),
};
