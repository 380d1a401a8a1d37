import { TextBox } from "../../control/text-box.tsx";
import { type FieldView, never } from "../../field.ts";

export const slug: FieldView = {
  Shown: ({ value }) => <bdi dir="ltr">{String(value)}</bdi>,
  Input: (props) => <TextBox {...props} dir="ltr" />,
  wide: false,
  end: false,
  group: never,
};
