import { LinkedText } from "../../control/linked-text.tsx";
import { type FieldView, never } from "../../field.ts";

export const longText: FieldView = {
  Shown: ({ value, cell }) =>
    cell ? (
      <bdi>{String(value)}</bdi>
    ) : (
      <p className="long-text" dir="auto">
        <LinkedText text={String(value)} />
      </p>
    ),
  wide: true,
  end: false,
  group: never,
};
