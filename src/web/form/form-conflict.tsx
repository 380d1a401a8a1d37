import { useEffect, useRef, useState } from "react";
import type { FieldJson } from "../../core/wire/entities.ts";
import { type Entered, hasSeparateControls, splitMoment, splitValues } from "../format/input-value.ts";
import { areFiles, areReferences, isFile, isReference } from "../format/value-shapes.ts";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { rowNumber } from "./field-errors.tsx";
import { type Form, findList } from "./state/form-node.ts";
import { findField } from "./state/merge-form.ts";
import type { MergeConflict } from "./state/three-way-merge.ts";

interface ConflictProps {
  readonly form: Form;
  readonly onSettle: (chosen: readonly { readonly clash: MergeConflict; readonly side: "mine" | "theirs" }[]) => void;
}

/** Resolves an edit conflict: shows both values of each field with a choice. */
export const FormConflict = ({ form, onSettle }: ConflictProps) => {
  const { say, show } = useWords();
  const note = useRef<HTMLDivElement>(null);
  const clashes = form.conflict?.clashes ?? [];
  const [sides, setSides] = useState<{ readonly [field: string]: "mine" | "theirs" }>({});
  const open = clashes.filter(({ field }) => sides[field] === undefined);
  const labelOf = useLabels(form);

  useEffect(() => {
    note.current?.focus({ preventScroll: true });
    note.current?.scrollIntoView({ block: "center" });
  }, []);

  return (
    <div className="note warn conflict" role="alert" tabIndex={-1} ref={note}>
      <Icon name="alert" size={18} />
      <div className="grow">
        <h2>{say("conflict.title")}</h2>
        {form.conflict && form.conflict.taken.length > 0 && (
          <p>{say("conflict.taken", { fields: show.list(form.conflict.taken.map(labelOf)) })}</p>
        )}
        {clashes.length === 0 ? (
          <p>{say("conflict.none")}</p>
        ) : (
          <p>{say("conflict.choose", { count: clashes.length })}</p>
        )}
        {clashes.map((clash) => (
          <fieldset key={clash.field} className="clash">
            <legend>{labelOf(clash.field)}</legend>
            {(["mine", "theirs"] as const).map((side) => (
              <label key={side}>
                <input
                  type="radio"
                  name={`clash-${clash.field}`}
                  checked={sides[clash.field] === side}
                  onChange={() => setSides({ ...sides, [clash.field]: side })}
                />
                <span className="clash-side">{say(side === "mine" ? "conflict.mine" : "conflict.theirs")}</span>
                <bdi className="clash-value">
                  <EnteredWords field={findField(form, clash.field)?.field} entered={clash[side]} />
                </bdi>
              </label>
            ))}
          </fieldset>
        ))}
        <div className="note-actions">
          <Button
            small
            aria-disabled={open.length > 0 || undefined}
            onClick={() =>
              open.length === 0 &&
              onSettle(clashes.map((clash) => ({ clash, side: sides[clash.field] ?? ("mine" as const) })))
            }
          >
            {say("conflict.save")}
          </Button>
          {open.length > 0 && <span className="aside-words">{say("conflict.left", { count: open.length })}</span>}
        </div>
      </div>
    </div>
  );
};

/** Labels of fields, lists of parts and their cells. */
const useLabels = (form: Form): ((name: string) => string) => {
  const { say, show } = useWords();
  return (name) => {
    const found = findField(form, name);
    if (found === undefined) return findList(form, name.split("/")[0])?.parts.label ?? name;
    const { field, list, rows } = found;
    return list === null
      ? field.label
      : say("parts.cell", {
          field: say("label.value", { label: list.parts.label, value: field.label }),
          row: rowNumber(rows, show),
        });
  };
};

interface ElsewhereProps {
  readonly form: Form;
  readonly changed: readonly string[];
  readonly onShow: () => void;
}

/**
 * Shown while somebody else's change affects the open record: names the fields, with a button to show the new values.
 */
export const FormChangedElsewhere = ({ form, changed, onShow }: ElsewhereProps) => {
  const { say, show } = useWords();
  const labelOf = useLabels(form);
  return (
    <div className="note wide" role="status">
      <Icon name="alert" size={18} />
      <div className="grow">
        <p>{say("form.elsewhere", { fields: show.list(changed.map(labelOf)) })}</p>
        <div className="note-actions">
          <Button small onClick={onShow}>
            {say("form.elsewhere.show")}
          </Button>
        </div>
      </div>
    </div>
  );
};

/** The content of a control as text. */
const EnteredWords = ({ field, entered }: { field: FieldJson | undefined; entered: Entered }) => {
  const { say, show } = useWords();
  if (isReference(entered)) return entered.label;
  if (isFile(entered)) return entered.name;
  if (areReferences(entered) && entered.length > 0) return show.list(entered.map(({ label }) => label));
  if (areFiles(entered) && entered.length > 0) return show.list(entered.map(({ name }) => name));
  if (entered === null || entered === "" || typeof entered === "object")
    return <span className="none">{say("value.none")}</span>;
  if (field?.type === "boolean") return show.boolean(entered === "true");
  if (field?.many && hasSeparateControls(field)) return splitValues(entered).join("; ");
  if (field?.type === "datetime") return Object.values(splitMoment(entered)).join(", ");
  return field?.values?.find(({ value }) => value === entered)?.label ?? entered;
};
