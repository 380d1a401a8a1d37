import { useLayoutEffect, useRef } from "react";
import type { Entered } from "../format/input-value.ts";
import { useWords } from "../i18n/words.tsx";
import { Icon } from "../ui/icon.tsx";
import type { FormRenewal } from "./hooks/use-form-migration.ts";

const describeEntered = (entered: Entered): string => {
  if (entered === null || typeof entered === "string") return entered ?? "";
  return [entered]
    .flat()
    .map((one) => ("label" in one ? one.label : one.name))
    .join(", ");
};

/**
 * Shown when the document has changed while a form was open: the fields that are new, required or removed. Input for
 * removed ones can be copied.
 */
export const FormChangedNote = ({ renewal: { left, added, required, removed } }: { renewal: FormRenewal }) => {
  const { say, show } = useWords();
  const note = useRef<HTMLDivElement>(null);
  const count = left.length;
  // Those with input are listed with it.
  const gone = removed.filter((label) => !left.some(({ field }) => field.label === label));
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
        {added.length > 0 && <p>{say("form.renewed.added", { what: show.list(added) })}</p>}
        {required.length > 0 && <p>{say("form.renewed.required", { what: show.list(required) })}</p>}
        {gone.length > 0 && <p>{say("form.renewed.lost", { what: show.list(gone) })}</p>}
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
