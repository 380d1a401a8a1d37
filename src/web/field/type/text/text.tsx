import { LinkedText } from "../../control/linked-text.tsx";
import { TextBox } from "../../control/text-box.tsx";
import { type FieldView, never } from "../../field.ts";

export const text: FieldView = {
  Shown: ({ value, cell }) => <bdi>{cell ? String(value) : <LinkedText text={String(value)} />}</bdi>,
  Input: (props) => <TextBox {...props} />,
  wide: false,
  end: false,
  group: never,
};
