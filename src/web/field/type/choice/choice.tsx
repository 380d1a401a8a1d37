import type { FieldJson } from "../../../../core/wire/entities.ts";
import { useWords } from "../../../i18n/words.tsx";
import type { FieldView, ShownProps } from "../../field.ts";

const shortWord = 12;

/** Up to four short options are side by side; otherwise it is a drop-down list. */
export const isSideBySide = ({ values = [], optional }: FieldJson) =>
  values.length + (optional ? 1 : 0) <= 4 && values.every(({ label }) => [...label].length <= shortWord);

const Shown = ({ field, value }: ShownProps) => <bdi>{useWords().show.value(field, value)}</bdi>;

export const choice: FieldView = { Shown, wide: false, end: false, group: isSideBySide };
