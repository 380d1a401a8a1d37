import { TextBox } from "../../control/text-box.tsx";
import { type FieldView, never } from "../../field.ts";
import { Figure } from "./integer.tsx";

export const decimal: FieldView = {
  Shown: Figure,
  Input: (props) => (
    <TextBox
      {...props}
      inputMode={props.field.min !== undefined && !props.field.min.startsWith("-") ? "decimal" : "text"}
      className="figures"
      after={props.field.unit && <span className="unit">{props.field.unit}</span>}
    />
  ),
  wide: false,
  end: true,
  group: never,
};
