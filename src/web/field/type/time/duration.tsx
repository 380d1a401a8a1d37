import { useWords } from "../../../i18n/words.tsx";
import { TextBox } from "../../control/text-box.tsx";
import { type FieldView, never, type ShownProps } from "../../field.ts";

const Shown = ({ field, value }: ShownProps) => (
  <time className="figures" dateTime={String(value)}>
    {useWords().show.value(field, value)}
  </time>
);

/** Entered in words: "2 weeks", "1 h 30 min". On leaving, it is formatted in full to show how it was understood. */
export const duration: FieldView = {
  Shown,
  Input: (props) => <TextBox {...props} className="figures" />,
  wide: false,
  end: false,
  group: never,
};
