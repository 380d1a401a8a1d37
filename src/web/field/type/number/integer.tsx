import { useWords } from "../../../i18n/words.tsx";
import { type FieldView, never, type ShownProps } from "../../field.ts";

/** A number with its unit; in tables, the column header has the unit. */
export const Figure = ({ field, value, cell }: ShownProps) => (
  <span className="figures">{useWords().show.value(field, value, !cell)}</span>
);

export const integer: FieldView = {
  Shown: Figure,
  wide: false,
  end: true,
  group: never,
};
