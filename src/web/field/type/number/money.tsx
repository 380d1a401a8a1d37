import { TextBox } from "../../control/text-box.tsx";
import { type FieldView, never } from "../../field.ts";
import { Figure } from "./integer.tsx";

export const money: FieldView = {
  Shown: Figure,
  Input: (props) => (
    <TextBox
      {...props}
      inputMode={props.field.min !== undefined && !props.field.min.startsWith("-") ? "decimal" : "text"}
      className="figures"
      after={<span className="unit">{props.field.currency}</span>}
    />
  ),
  wide: false,
  end: true,
  group: never,
};
