import type { FieldJson } from "../../core/wire/entities.ts";
import { useWords } from "../i18n/words.tsx";
import { ClauseId } from "../ui/clause.tsx";
import { Icon } from "../ui/icon.tsx";
import { mendWords } from "./form-field.tsx";
import type { FormFieldError } from "./state/field-error.ts";
import type { PartsForm } from "./state/parts-state.ts";

export const Mend = ({
  one,
  field,
  list,
}: {
  readonly one: FormFieldError;
  readonly field: FieldJson | undefined;
  readonly list: PartsForm;
}) => {
  const words = useWords();
  const says =
    field === undefined && one.kind === "unreadable"
      ? words.say("parts.unreadable", { list: list.parts.label })
      : mendWords(one, field, words);
  return (
    <p className="mend">
      <Icon name="alert" />
      <span className="mend-words">
        <span>
          {says}
          {one.kind === "refused" && one.help && <span className="help-words"> {one.help}</span>}
        </span>
        {one.clause && <ClauseId of={one.clause} />}
      </span>
    </p>
  );
};
