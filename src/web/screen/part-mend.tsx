import type { FieldJson } from "../../core/wire/entities.ts";
import type { PartsForm } from "../client/parts.ts";
import type { ToMend } from "../client/to-mend.ts";
import { Clause } from "../part/clause.tsx";
import { Icon } from "../part/icon.tsx";
import { useWords } from "../words/words.tsx";
import { mendWords } from "./form-field.tsx";

export const Mend = ({
  one,
  field,
  list,
}: {
  readonly one: ToMend;
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
        {one.clause && <Clause of={one.clause} />}
      </span>
    </p>
  );
};
