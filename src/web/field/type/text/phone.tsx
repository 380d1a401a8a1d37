import { type FieldView, never } from "../../field.ts";

export const phone: FieldView = {
  Shown: ({ value, cell }) =>
    cell ? (
      <bdi dir="ltr">{String(value)}</bdi>
    ) : (
      <a className="link" dir="ltr" href={`tel:${String(value).replace(/[^+\d]/g, "")}`}>
        {String(value)}
      </a>
    ),
  wide: false,
  end: false,
  group: never,
};
