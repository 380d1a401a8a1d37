import { useLocale } from "../app/app-context.tsx";
import { letters, scaleLength } from "../app/font-scale.ts";
import { toLocalTime } from "../format/time-zone.ts";
import { useWords } from "../i18n/words.tsx";
import { GridCell, GridRow } from "../ui/dom/grid.tsx";
import { useNow } from "../ui/relative-time.tsx";
import type { DrawnDaysProps } from "./agenda.tsx";
import { EntryBar } from "./entry-bar.tsx";
import {
  findDayAt,
  type Hours,
  isTimed,
  LAST_MINUTE,
  layOutSlots,
  MINUTE_STEP,
  toClock,
  toMinutes,
} from "./entry-layout.ts";
import { FreeSlot } from "./free-slot.tsx";
import { hourHeight } from "./hour-height.ts";
import type { RescheduleControls } from "./use-reschedule.ts";

/** Default hours; a week with entries outside them shows more. */
const usual = { from: 7, to: 19 };

/** The hours of a week with their entries. */
export const WeekHours = ({
  screen,
  entity,
  entries,
  week,
  controls,
  makeAt,
}: DrawnDaysProps & { week: readonly string[]; controls: RescheduleControls }) => {
  const { show } = useWords();
  const [first, last] = [week[0] ?? "", week.at(-1) ?? ""];
  const timed = entries.filter((entry) => isTimed(entry) && entry.from >= first && entry.from <= last);
  const begins = timed.map(({ time }) => Math.floor(toMinutes(time ?? "00:00") / 60));
  const stops = timed.map(({ until, time }) => Math.ceil(toMinutes(until ?? time ?? "00:00") / 60));
  const from = Math.min(usual.from, ...begins);
  const to = Math.min(24, Math.max(usual.to, ...stops));
  const hours = Array.from({ length: to - from }, (_, at) => from + at);
  const top = (minutes: number) => ((minutes - from * 60) / 60) * hourHeight;
  return (
    <GridRow className="week-hours" style={{ blockSize: scaleLength((to - from) * hourHeight) }}>
      <div className="hour-words" aria-hidden="true">
        {hours.slice(1).map((hour) => (
          <span key={hour} style={{ insetBlockStart: scaleLength(top(hour * 60)) }}>
            {show.clock(toClock(hour * 60))}
          </span>
        ))}
      </div>
      {week.map((day) => (
        <GridCell key={day} className="hours-of-day" data-on={day}>
          {makeAt && <FreeSlot day={day} from={from} to={to} makeAt={makeAt} />}
          <NowLine day={day} hours={{ from, to }} />
          {layOutSlots(entries, day).map((slot) => (
            <EntryBar
              key={slot.entry.record.id}
              screen={screen}
              entity={entity}
              entry={slot.entry}
              controls={controls}
              className="month-bar hour-bar"
              hours={{ from, to }}
              style={{
                insetBlockStart: scaleLength(top(slot.from)),
                blockSize: scaleLength(top(slot.to) - top(slot.from) - 2),
                insetInlineStart: `calc(${(100 * slot.column) / slot.columns}% + 2px)`,
                inlineSize: `calc(${100 / slot.columns}% - 4px)`,
              }}
              endAt={(x, y) => {
                const day = findDayAt(x, y);
                const column = document.querySelector(`.hours-of-day[data-on="${slot.entry.from}"]`);
                if (day === null || !column) return null;
                const minutes = from * 60 + ((y - column.getBoundingClientRect().top) / (hourHeight * letters())) * 60;
                const end = Math.max(slot.from + MINUTE_STEP, Math.round(minutes / MINUTE_STEP) * MINUTE_STEP);
                return { day: slot.entry.from, time: toClock(Math.min(end, LAST_MINUTE)) };
              }}
            />
          ))}
        </GridCell>
      ))}
    </GridRow>
  );
};

/** The present time, on its day. */
const NowLine = ({ day, hours: { from, to } }: { readonly day: string; readonly hours: Hours }) => {
  const { timezone } = useLocale();
  const now = toLocalTime(new Date(useNow()).toISOString(), timezone);
  const minutes = toMinutes(now.time) - from * 60;
  if (now.day !== day || minutes < 0 || minutes > (to - from) * 60) return null;
  return (
    <div
      className="now-line"
      aria-hidden="true"
      style={{ insetBlockStart: scaleLength((minutes / 60) * hourHeight) }}
    />
  );
};
