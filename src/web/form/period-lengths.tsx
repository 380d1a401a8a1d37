import { useLocale } from "../app/app-context.tsx";
import { useBeginsPeriod, useEarlierDay } from "../field/control/sibling-values.tsx";
import { enteredText, type InputProps } from "../field/field.ts";
import { addDays, getWeekday } from "../format/dates.ts";
import { typedDate } from "../format/input-value.ts";
import { addLength, readDate } from "../format/typed-dates.ts";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { USUAL_LENGTHS } from "./state/edit-form.ts";

type PeriodLengthsProps = Pick<InputProps, "field" | "entered" | "onEnter">;

/** Sets the first day of a period to a usual one. */
export const PeriodStart = ({ field, entered, onEnter }: PeriodLengthsProps) => {
  const { say } = useWords();
  const context = useLocale();
  if (!useBeginsPeriod(field)) return null;
  const day = addDays(context.today, 8 - getWeekday(context.today));
  const name = say("date.next.monday");
  return (
    <div className="period-lengths">
      <Button
        small
        aria-label={say("date.length", { field: field.label, length: name })}
        aria-pressed={readDate(enteredText(entered), context) === day}
        onClick={() => onEnter(typedDate(day, context.locale))}
      >
        {name}
      </Button>
    </div>
  );
};

/** Sets the last day of a period by its length, once the first day is entered. */
export const PeriodLengths = ({ field, entered, onEnter }: PeriodLengthsProps) => {
  const { say } = useWords();
  const context = useLocale();
  const counting = useEarlierDay(field)?.counting;
  if (counting?.countsFrom === undefined || counting.includesFrom !== true) return null;
  const from = counting.countsFrom;
  const chosen = readDate(enteredText(entered), { ...context, ...counting });
  return (
    <div className="period-lengths">
      {USUAL_LENGTHS.map((days) => {
        const day = addLength(from, { days }, true);
        const length = say("date.weeks", { count: days / 7 });
        return (
          <Button
            key={days}
            small
            aria-label={say("date.length", { field: field.label, length })}
            aria-pressed={chosen === day}
            onClick={() => onEnter(typedDate(day, context.locale))}
          >
            {length}
          </Button>
        );
      })}
    </div>
  );
};
