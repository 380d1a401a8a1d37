import { type FieldView, never } from "../../field.ts";

export const email: FieldView = {
  Shown: ({ value, cell }) =>
    cell ? (
      <bdi dir="ltr">{String(value)}</bdi>
    ) : (
      <a className="link" dir="ltr" href={`mailto:${encodeURIComponent(String(value)).replace("%40", "@")}`}>
        {String(value)}
      </a>
    ),
  wide: false,
  end: false,
  group: never,
};
