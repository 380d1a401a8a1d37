import { useWords } from "../../../i18n/words.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { always, type FieldView, type ShownProps } from "../../field.ts";

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

export const boolean: FieldView = { Shown, wide: false, end: false, group: always };
