import type { Entered } from "../format/input-value.ts";
import { useWords } from "../i18n/words.tsx";
import { Icon } from "../ui/icon.tsx";
import type { DraftLoss } from "./state/restore-draft.ts";

const describeEntered = (entered: Entered): string => {
  if (entered === null || typeof entered === "string") return entered ?? "";
  return [entered]
    .flat()
    .map((one) => ("label" in one ? one.label : one.name))
    .join(", ");
};

/** Shown when the document has changed while a form was open: input for removed fields can be copied. */
export const FormChangedNote = ({ left }: { left: readonly DraftLoss[] }) => {
  const { say } = useWords();
  return (
    <div className="note warn" role="status">
      <Icon name="alert" size={18} />
      <div className="grow">
        <p>{say("form.renewed")}</p>
        {left.map(({ field, entered }) => (
          <p key={field.name}>
            {say("form.renewed.lost", {
              what: say("label.value", { label: field.label, value: describeEntered(entered) }),
            })}
          </p>
        ))}
      </div>
    </div>
  );
};
