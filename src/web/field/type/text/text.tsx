import { LinkedText } from "../../control/linked-text.tsx";
import { type FieldView, never } from "../../field.ts";

export const text: FieldView = {
  Shown: ({ value, cell }) => <bdi>{cell ? String(value) : <LinkedText text={String(value)} />}</bdi>,
  wide: false,
  end: false,
  group: never,
};
