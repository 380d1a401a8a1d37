import type { FieldJson } from "../../../../core/wire/entities.ts";
import { useWords } from "../../../i18n/words.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { SegmentedControl } from "../../control/segmented-control.tsx";
import { controlProps, enteredText, type FieldView, type InputProps, type ShownProps } from "../../field.ts";

const shortWord = 12;

/** Up to four short options are side by side; otherwise it is a drop-down list. */
const sideBySide = ({ values = [], optional }: FieldJson) =>
  values.length + (optional ? 1 : 0) <= 4 && values.every(({ label }) => [...label].length <= shortWord);

const Shown = ({ field, value }: ShownProps) => <bdi>{useWords().show.value(field, value)}</bdi>;

const Input = (props: InputProps) => {
  const { say } = useWords();
  const { field } = props;
  const values = field.values ?? [];
  if (sideBySide(field))
    return (
      <SegmentedControl
        {...props}
        options={field.optional ? [...values, { value: "", label: say("value.none") }] : values}
      />
    );
  return (
    <div className="box select">
      <select
        {...controlProps(props)}
        value={enteredText(props.entered)}
        onChange={(event) => props.onEnter(event.currentTarget.value)}
      >
        <option value="">{field.optional ? say("value.none") : say("form.choose")}</option>
        {values.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </div>
  );
};

export const choice: FieldView = { Shown, Input, wide: false, end: false, group: sideBySide };
