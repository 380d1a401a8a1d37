import { useWords } from "../../../i18n/words.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { SegmentedControl } from "../../control/segmented-control.tsx";
import { always, type FieldView, type InputProps, type ShownProps } from "../../field.ts";

const Shown = ({ value, cell }: ShownProps) => {
  const { say } = useWords();
  const word = say(value === true ? "value.yes" : "value.no");
  if (!cell) return word;
  return value === true ? (
    <span className="check">
      <Icon name="check" />
      <span className="hidden-words">{word}</span>
    </span>
  ) : (
    <span className="hidden-words">{word}</span>
  );
};

/**
 * Two options instead of a checkbox, which could not show that nothing was chosen. A boolean is never missing, so there
 * is no third option.
 */
const Input = (props: InputProps) => {
  const { say } = useWords();
  const options = [
    { value: "true", label: say("value.yes") },
    { value: "false", label: say("value.no") },
  ];
  return <SegmentedControl {...props} options={options} />;
};

export const boolean: FieldView = { Shown, Input, wide: false, end: false, group: always };
