import { useWords } from "../../../i18n/words.tsx";
import { type FieldView, never, type ShownProps } from "../../field.ts";

const Shown = ({ value, cell }: ShownProps) => {
  const { show } = useWords();
  return (
    <time className="figures" dateTime={String(value)}>
      {cell ? show.date(String(value)) : show.fullDate(String(value))}
    </time>
  );
};

export const date: FieldView = { Shown, wide: false, end: false, group: never };
