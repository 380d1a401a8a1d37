import { type FieldView, never } from "../../field.ts";

export const sequence: FieldView = {
  // Figures of one width would also widen the hyphens of a pattern such as HD-2026-00041.
  Shown: ({ value }) => <bdi dir="ltr">{String(value)}</bdi>,
  wide: false,
  end: false,
  group: never,
};
