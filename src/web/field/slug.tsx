import { type FieldView, never } from "./field.ts";
import { TextBox } from "./text-box.tsx";

export const slug: FieldView = {
  Shown: ({ value }) => <bdi dir="ltr">{String(value)}</bdi>,
  Input: (props) => <TextBox {...props} dir="ltr" />,
  wide: false,
  end: false,
  group: never,
};
