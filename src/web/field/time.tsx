import { useWords } from "../words/words.tsx";
import { type FieldView, never, type ShownProps } from "./field.ts";
import { TextBox } from "./text-box.tsx";

const Shown = ({ field, value }: ShownProps) => (
  <time className="figures" dateTime={String(value)}>
    {useWords().show.value(field, value)}
  </time>
);

export const time: FieldView = {
  Shown,
  Input: (props) => <TextBox {...props} className="figures" />,
  wide: false,
  end: false,
  group: never,
};
