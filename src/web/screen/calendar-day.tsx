import { onDay } from "../client/agenda.ts";
import { useHere } from "../part/context.tsx";
import { PopupPanel, usePopup } from "../part/popup.tsx";
import { useWords } from "../words/words.tsx";
import { type DrawnProps, Entries } from "./calendar-agenda.tsx";

/** The day's figure; pressed, it shows all that the day holds. */
export const DayButton = ({
  day,
  words,
  focusable,
  entries,
  screen,
  entity,
}: DrawnProps & { day: string; words: string; focusable: boolean }) => {
  const { today } = useHere();
  const { say, show } = useWords();
  const popup = usePopup();
  const on = onDay(entries, day);
  const label = say("calendar.day", { day: show.wholeDate(day), count: on.length });
  return (
    <>
      <button
        type="button"
        {...popup.control}
        className="month-figure"
        data-day={day}
        tabIndex={focusable ? 0 : -1}
        aria-label={label}
        aria-current={day === today ? "date" : undefined}
        aria-haspopup="dialog"
      >
        {words}
      </button>
      <PopupPanel popup={popup} label={label} className="month-popup" focus="first">
        <h3>{show.fullDate(day)}</h3>
        {on.length === 0 ? (
          <p className="small-words">{say("calendar.empty", { things: entity.many })}</p>
        ) : (
          <Entries screen={screen} entity={entity} entries={on} />
        )}
      </PopupPanel>
    </>
  );
};
