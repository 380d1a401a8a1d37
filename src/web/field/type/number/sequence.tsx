import { TextBox } from "../../control/text-box.tsx";
import { type FieldView, never } from "../../field.ts";

/** Assigned by the program, never entered. The input is for filters. */
export const sequence: FieldView = {
  Shown: ({ value }) => (
    <bdi className="figures" dir="ltr">
      {String(value)}
    </bdi>
  ),
  Input: (props) => <TextBox {...props} className="figures" dir="ltr" />,
  wide: false,
  end: false,
  group: never,
};
