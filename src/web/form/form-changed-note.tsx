import { useLayoutEffect, useRef } from "react";
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
  const note = useRef<HTMLDivElement>(null);
  const count = left.length;
  // A field that disappears under the cursor takes the focus with it, and the next letters would be shortcuts.
  useLayoutEffect(() => {
    if (count > 0 && document.activeElement === document.body)
      [...(note.current?.querySelectorAll("textarea") ?? [])].at(-1)?.focus();
  }, [count]);
  return (
    <div ref={note} className="note warn" role="status">
      <Icon name="alert" size={18} />
      <div className="grow">
        <p>{say("form.renewed")}</p>
        {left.map(({ field, entered }) => (
          <LostInput key={field.name} label={field.label} value={describeEntered(entered)} />
        ))}
      </div>
    </div>
  );
};

/** Characters in a line of a lost text, and the most lines of it that are shown at once. */
const LINE = 60;
const MOST_LINES = 6;

/** The input of a removed field, to be selected and copied. */
const LostInput = ({ label, value }: { readonly label: string; readonly value: string }) => {
  const { say } = useWords();
  const lines = value.split("\n").reduce((sum, line) => sum + 1 + Math.floor(line.length / LINE), 0);
  return (
    <label className="lost-input">
      <span>{say("form.renewed.lost", { what: label })}</span>
      <textarea className="box" readOnly rows={Math.min(lines, MOST_LINES)} value={value} />
    </label>
  );
};
