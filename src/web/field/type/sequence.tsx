import { TextBox } from "../control/text-box.tsx";
import { type FieldView, never } from "../field.ts";

/** A number that the program draws; nobody enters it. The box serves filters. */
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
