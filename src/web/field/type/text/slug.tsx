import { type FieldView, never } from "../../field.ts";

export const slug: FieldView = {
  Shown: ({ value }) => <bdi dir="ltr">{String(value)}</bdi>,
  wide: false,
  end: false,
  group: never,
};
