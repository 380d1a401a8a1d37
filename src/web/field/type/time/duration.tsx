import { useWords } from "../../../i18n/words.tsx";
import { type FieldView, never, type ShownProps } from "../../field.ts";

const Shown = ({ field, value }: ShownProps) => (
  <time className="figures" dateTime={String(value)}>
    {useWords().show.value(field, value)}
  </time>
);

export const duration: FieldView = {
  Shown,
  wide: false,
  end: false,
  group: never,
};
