import { useWords } from "../../i18n/words.tsx";
import { MentionArea } from "../control/mention-area.tsx";
import { SegmentedControl } from "../control/segmented-control.tsx";
import { TextBox } from "../control/text-box.tsx";
import { controlProps, enteredText, type InputProps } from "../field.ts";

export const TextInput = (props: InputProps) => <TextBox {...props} />;

export const LongTextInput = (props: InputProps) => (
  <MentionArea
    {...controlProps(props)}
    className="box area"
    rows={4}
    text={enteredText(props.entered)}
    onText={props.onEnter}
    mentions={props.field.mentions === true}
  />
);

export const EmailInput = (props: InputProps) => <TextBox {...props} type="email" inputMode="email" dir="ltr" />;

export const PhoneInput = (props: InputProps) => <TextBox {...props} type="tel" inputMode="tel" dir="ltr" />;

export const UrlInput = (props: InputProps) => <TextBox {...props} type="url" inputMode="url" dir="ltr" />;

export const SlugInput = (props: InputProps) => <TextBox {...props} dir="ltr" />;

export const JsonInput = (props: InputProps) => (
  <textarea
    {...controlProps(props)}
    className="box area json"
    rows={6}
    spellCheck={false}
    autoComplete="off"
    value={enteredText(props.entered)}
    onChange={(event) => props.onEnter(event.currentTarget.value)}
  />
);

export const IntegerInput = (props: InputProps) => (
  <TextBox
    {...props}
    inputMode={props.field.min !== undefined && !props.field.min.startsWith("-") ? "numeric" : "text"}
    className="figures"
    after={props.field.unit && <span className="unit">{props.field.unit}</span>}
  />
);

export const DecimalInput = (props: InputProps) => (
  <TextBox
    {...props}
    inputMode={props.field.min !== undefined && !props.field.min.startsWith("-") ? "decimal" : "text"}
    className="figures"
    after={props.field.unit && <span className="unit">{props.field.unit}</span>}
  />
);

export const MoneyInput = (props: InputProps) => (
  <TextBox
    {...props}
    inputMode={props.field.min !== undefined && !props.field.min.startsWith("-") ? "decimal" : "text"}
    className="figures"
    after={<span className="unit">{props.field.currency}</span>}
  />
);

/** Assigned by the program, never entered. The input is for filters. */
export const SequenceInput = (props: InputProps) => <TextBox {...props} dir="ltr" />;

/** Entered in words: "2 weeks", "1 h 30 min". On leaving, it is formatted in full to show how it was understood. */
export const DurationInput = (props: InputProps) => <TextBox {...props} className="figures" />;

export const TimeInput = (props: InputProps) => <TextBox {...props} className="figures" />;

/**
 * Two options instead of a checkbox, which could not show that nothing was chosen. A boolean is never missing, so there
 * is no third option.
 */
export const BooleanInput = (props: InputProps) => {
  const { show } = useWords();
  const options = [true, false].map((value) => ({ value: String(value), label: show.boolean(value) }));
  return <SegmentedControl {...props} options={options} />;
};
