import { useWords } from "../../i18n/words.tsx";
import { Icon } from "../../ui/icon.tsx";
import { SegmentedControl } from "../control/segmented-control.tsx";
import { controlProps, enteredText, type InputProps } from "../field.ts";

import { isSideBySide } from "../type/choice/choice.tsx";

export const ChoiceInput = (props: InputProps) => {
  const { say } = useWords();
  const { field } = props;
  const values = field.values ?? [];
  if (isSideBySide(field))
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
        <option value="" hidden={!field.optional}>
          {field.optional ? say("value.none") : say("form.choose")}
        </option>
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
