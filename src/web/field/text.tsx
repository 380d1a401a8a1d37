import { type FieldView, never } from "./field.ts";
import { TextBox } from "./text-box.tsx";

export const text: FieldView = {
  Shown: ({ value }) => <bdi>{String(value)}</bdi>,
  Input: (props) => <TextBox {...props} />,
  wide: false,
  end: false,
  group: never,
};
