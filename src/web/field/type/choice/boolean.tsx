import { useWords } from "../../../i18n/words.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { SegmentedControl } from "../../control/segmented-control.tsx";
import { always, type FieldView, type InputProps, type ShownProps } from "../../field.ts";

const Shown = ({ value, cell }: ShownProps) => {
  const word = useWords().show.boolean(value === true);
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
  const { show } = useWords();
  const options = [true, false].map((value) => ({ value: String(value), label: show.boolean(value) }));
  return <SegmentedControl {...props} options={options} />;
};

export const boolean: FieldView = { Shown, Input, wide: false, end: false, group: always };
