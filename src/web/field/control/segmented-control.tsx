import type { ReactNode } from "react";
import { enteredText, type InputProps } from "../field.ts";

interface Option {
  readonly value: string;
  readonly label: ReactNode;
}

/** A radio group for a few short options, side by side. Arrow keys move. While none is chosen, only the first is a tab stop. */
export const SegmentedControl = ({ options, ...props }: InputProps & { options: readonly Option[] }) => {
  const chosen = enteredText(props.entered);
  const isAnyChosen = options.some(({ value }) => value === chosen);
  return (
    <div
      className="segmented"
      role="radiogroup"
      id={props.id}
      tabIndex={-1}
      aria-labelledby={props.labelId}
      aria-describedby={props.describedBy}
      aria-invalid={props.invalid || undefined}
      aria-required={props.field.optional ? undefined : true}
      onBlur={(event) => event.currentTarget.contains(event.relatedTarget) || props.onLeave()}
    >
      {options.map(({ value, label }, at) => (
        <label key={value}>
          <input
            type="radio"
            className="hidden-words"
            name={props.id}
            value={value}
            checked={chosen === value}
            tabIndex={isAnyChosen || at === 0 ? undefined : -1}
            onChange={() => props.onEnter(value)}
          />
          <span>{label}</span>
        </label>
      ))}
    </div>
  );
};
