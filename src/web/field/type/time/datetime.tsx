import { useWords } from "../../../i18n/words.tsx";
import { always, type FieldView, type ShownProps } from "../../field.ts";

const Shown = ({ value }: ShownProps) => (
  <time className="figures" dateTime={String(value)}>
    {useWords().show.moment(String(value))}
  </time>
);

export const datetime: FieldView = { Shown, wide: false, end: false, group: always };
