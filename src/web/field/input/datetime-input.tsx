import { useLocale } from "../../app/app-context.tsx";
import { joinMoment, splitMoment, typedDate } from "../../format/input-value.ts";
import { useWords } from "../../i18n/words.tsx";
import { useEarlierDay } from "../control/sibling-values.tsx";
import { enteredText, type InputProps } from "../field.ts";
import { DateBox } from "./date-input.tsx";

export const DatetimeInput = ({ entered, onEnter, ...props }: InputProps) => {
  const { say } = useWords();
  const { date, time } = splitMoment(enteredText(entered));
  const { locale } = useLocale();
  const earlier = useEarlierDay(props.field);
  const day = date === "" && earlier !== null ? typedDate(earlier.day, locale) : date;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot share the form's label line
    <div
      className="moment"
      role="group"
      aria-labelledby={props.labelId}
      onBlur={(event) => event.currentTarget.contains(event.relatedTarget) || props.onLeave()}
    >
      <DateBox
        {...props}
        onLeave={() => {}}
        label={say("datetime.day", { field: props.field.label })}
        typed={date}
        onType={(typed) => onEnter(joinMoment(typed, time))}
      />
      <div className="box">
        <input
          type="text"
          className="figures"
          placeholder={say("datetime.time.short")}
          autoComplete="off"
          aria-label={say("datetime.time", { field: props.field.label })}
          aria-describedby={props.describedBy}
          aria-invalid={props.invalid || undefined}
          value={time}
          onChange={(event) => {
            const typed = event.currentTarget.value;
            onEnter(joinMoment(typed === "" ? date : day, typed));
          }}
        />
      </div>
    </div>
  );
};
