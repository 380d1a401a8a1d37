import { TextBox } from "../../control/text-box.tsx";
import { type FieldView, never } from "../../field.ts";

export const text: FieldView = {
  Shown: ({ value }) => <bdi>{String(value)}</bdi>,
  Input: (props) => <TextBox {...props} />,
  wide: false,
  end: false,
  group: never,
};
