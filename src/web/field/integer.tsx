import type { FieldJson, Json } from "../../core/wire.ts";
import { useWords } from "../words/words.tsx";
import { type FieldView, never } from "./field.ts";
import { TextBox } from "./text-box.tsx";

/** A figure with its unit. */
export const Figure = ({ field, value }: { field: FieldJson; value: Json }) => (
  <span className="figures">{useWords().show.value(field, value)}</span>
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
