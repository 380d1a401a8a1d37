import { useWords } from "../../../i18n/words.tsx";
import { type FieldView, never, type ShownProps } from "../../field.ts";
import { NearTime, useNearDay } from "./near-day.tsx";

const Shown = ({ value, cell }: ShownProps) => {
  const { show } = useWords();
  const near = useNearDay()(String(value));
  if (cell && near !== null) return <NearTime value={String(value)} words={near} absolute={show.date(String(value))} />;
  return (
    <time className="figures" dateTime={String(value)}>
      {cell ? show.date(String(value)) : show.fullDate(String(value))}
    </time>
  );
};

export const date: FieldView = { Shown, wide: false, end: false, group: never };
