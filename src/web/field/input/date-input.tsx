import { type KeyboardEvent, useRef } from "react";
import { useLocale } from "../../app/app-context.tsx";
import { addDays } from "../../format/dates.ts";
import { typedDate } from "../../format/input-value.ts";
import { readDate } from "../../format/typed-dates.ts";
import { useWords } from "../../i18n/words.tsx";
import { Icon } from "../../ui/icon.tsx";
import { PopupPanel, usePopup } from "../../ui/overlay/popup.tsx";
import { lazyComponent, PageNotLoaded } from "../../ui/page/lazy.tsx";
import { LoadingBoundary } from "../../util/loading-boundary.tsx";
import { useEarlierDay } from "../control/sibling-values.tsx";
import { controlProps, enteredText, type InputProps } from "../field.ts";

const Calendar = lazyComponent(() => import("../control/calendar.tsx"), PageNotLoaded);

interface DateBoxProps extends Omit<InputProps, "entered" | "onEnter"> {
  readonly typed: string;
  readonly onType: (typed: string) => void;
  /** Label within a group: "Day of Picked up". */
  readonly label?: string;
}

/** A date in any usual notation; up and down change it by a day, and a calendar is available. */
export const DateBox = ({ typed, onType, label, ...props }: DateBoxProps) => {
  const { say, show } = useWords();
  const context = useLocale();
  const popup = usePopup();
  /** A touch opens the calendar. Another one, of the box that has the focus by then, is for typing. */
  const isTap = useRef(false);
  const earlier = useEarlierDay(props.field);
  const from = earlier?.isBegin === true ? earlier.day : null;
  const day = readDate(typed, { ...context, ...earlier?.counting });
  /** Of two dates without a known order, the later one is probably ahead. */
  const begin = from ?? (earlier && earlier.day > context.today ? earlier.day : context.today);

  const step = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.altKey && event.key === "ArrowDown") {
      event.preventDefault();
      popup.show();
      return;
    }
    const by = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
    if (by === 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    onType(typedDate(day ? addDays(day, by) : begin, context.locale));
  };

  return (
    <div className="box">
      <input
        {...controlProps({ ...props, entered: typed, onEnter: () => {} })}
        placeholder={props.placeholder ?? (props.field.past ? undefined : say("date.typed"))}
        type="text"
        className="figures typed-date"
        autoComplete="off"
        aria-label={label}
        aria-keyshortcuts="Alt+ArrowDown"
        value={typed}
        onChange={(event) => onType(event.currentTarget.value)}
        onKeyDown={step}
        onPointerDown={({ pointerType, currentTarget }) => {
          isTap.current = pointerType === "touch" && document.activeElement !== currentTarget;
        }}
        onClick={() => isTap.current && popup.show()}
      />
      {day !== null && (
        <span className="unit" aria-hidden="true">
          {show.weekday(day)}
        </span>
      )}
      <button
        type="button"
        {...popup.control}
        className="box-button"
        // Alt+↓ opens it from the input, so this needs no tab stop.
        tabIndex={-1}
        aria-label={say("date.open", { field: props.field.label })}
        aria-haspopup="dialog"
      >
        <Icon name="calendar" />
      </button>
      <PopupPanel
        popup={popup}
        side="end"
        label={say("date.open", { field: props.field.label })}
        focus="none"
        className="days"
      >
        <LoadingBoundary fallback={<div className="calendar" />}>
          <Calendar
            day={day}
            begin={begin}
            from={from}
            today={context.today}
            isPast={props.field.past === true}
            onChoose={(chosen) => {
              onType(typedDate(chosen, context.locale));
              popup.close();
            }}
          />
        </LoadingBoundary>
      </PopupPanel>
    </div>
  );
};

export const DateInput = ({ entered, onEnter, ...props }: InputProps) => (
  <DateBox {...props} typed={enteredText(entered)} onType={onEnter} />
);
