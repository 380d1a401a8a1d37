import { useWords } from "../../../i18n/words.tsx";
import { TextBox } from "../../control/text-box.tsx";
import { type FieldView, never, type ShownProps } from "../../field.ts";

/** A number with its unit; in tables, the column header has the unit. */
export const Figure = ({ field, value, cell }: ShownProps) => (
  <span className="figures">{useWords().show.value(field, value, !cell)}</span>
);

export const integer: FieldView = {
  Shown: Figure,
  Input: (props) => (
    <TextBox
      {...props}
      inputMode={props.field.min !== undefined && !props.field.min.startsWith("-") ? "numeric" : "text"}
      className="figures"
      after={props.field.unit && <span className="unit">{props.field.unit}</span>}
    />
  ),
  wide: false,
  end: true,
  group: never,
};
