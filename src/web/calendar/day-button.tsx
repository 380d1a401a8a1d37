import { useApplication, useLocale } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { findNewScreen } from "../routing/routes.ts";
import { buttonClass } from "../ui/control/button.tsx";
import { useCreateLabel } from "../ui/control/create-button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { PopupPanel, usePopup } from "../ui/overlay/popup.tsx";
import { type DrawnDaysProps, EntryList } from "./agenda.tsx";
import { MORNING } from "./create-at.ts";
import { onDay } from "./entry-layout.ts";

/** The day's number, and how many entries the cell does not show: both open a panel with all of them and a create button. */
export const DayButton = ({
  day,
  words,
  focusable,
  entries,
  screen,
  entity,
  makeAt,
  hidden,
}: DrawnDaysProps & { day: string; words: string; focusable: boolean; hidden: number }) => {
  const { today } = useLocale();
  const { say, show } = useWords();
  const { screens } = useApplication();
  const createLabel = useCreateLabel();
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
      {hidden > 0 && (
        <button type="button" className="month-more" popoverTarget={popup.id} tabIndex={-1} aria-haspopup="dialog">
          {say("calendar.more", { count: hidden })}
        </button>
      )}
      <PopupPanel popup={popup} label={label} className="month-popup" focus="first">
        <h3>{show.fullDate(day)}</h3>
        {on.length === 0 ? (
          <p className="small-words">{say("calendar.empty", { things: entity.many })}</p>
        ) : (
          <EntryList screen={screen} entity={entity} entries={on} />
        )}
        {makeAt && (
          <Link href={makeAt(day, MORNING)} className={buttonClass("plain", "small month-make")}>
            <Icon name="plus" />
            <span className="button-words">{createLabel(findNewScreen(screens, entity.name), entity)}</span>
          </Link>
        )}
      </PopupPanel>
    </>
  );
};
