import { toLocalTime } from "../../../format/time-zone.ts";
import { useWords } from "../../../i18n/words.tsx";
import { always, type FieldView, type ShownProps } from "../../field.ts";
import { NearTime, useNearDay } from "./near-day.tsx";

const Shown = ({ value, cell }: ShownProps) => {
  const { say, show, timezone } = useWords();
  const nearDay = useNearDay();
  const moment = String(value);
  const day = cell ? nearDay(toLocalTime(moment, timezone).day) : null;
  if (day !== null) {
    const words = say("when.at", { day, time: show.time(moment) });
    return <NearTime value={moment} words={words} absolute={show.moment(moment)} />;
  }
  return (
    <time className="figures" dateTime={moment}>
      {show.moment(moment)}
    </time>
  );
};

export const datetime: FieldView = { Shown, wide: false, end: false, group: always };
