import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { type ActOutcome, forEach } from "../../actions/for-each.ts";
import { useClient, useLocale } from "../../app/app-context.tsx";
import { getSiblingsOfForm, SiblingValuesProvider } from "../../field/control/sibling-values.tsx";
import { BoundField } from "../../form/bound-field.tsx";
import { ErrorSummary } from "../../form/error-summary.tsx";
import { FormChangedNote } from "../../form/form-changed-note.tsx";
import { useOneShotForm } from "../../form/use-one-shot-form.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button, IconButton } from "../../ui/control/button.tsx";
import { sendByKey } from "../../ui/dom/submit-shortcut.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Menu } from "../../ui/overlay/menu.tsx";
import { usePopup } from "../../ui/overlay/popup.tsx";
import { useWhileMounted } from "../../util/use-while-mounted.ts";
import { findBulkFields, findChangeable, withField, withoutField } from "./bulk-edit.ts";

interface BulkEditProps {
  readonly entity: EntityJson;
  readonly records: readonly RecordJson[];
  /** The first field to edit. */
  readonly field: FieldJson;
  /** Receives the result for each record, and the fields that were changed. */
  readonly onDone: (
    outcomes: readonly ActOutcome<RecordJson, RecordJson>[],
    fields: readonly FieldJson[],
  ) => Promise<void>;
  readonly onClose: () => void;
}

/** Gives some fields of all selected records the same values. Each record is changed as if it were edited alone. */
const BulkEditDialog = ({ entity, records, field: first, onDone, onClose }: BulkEditProps) => {
  const { calls } = useClient();
  const { say } = useWords();
  const context = useLocale();
  const close = useWhileMounted(onClose);
  const popup = usePopup();
  const all = findBulkFields(entity, records);
  const asking = useOneShotForm("ask", [first], null, null, async (body) => {
    const outcomes = await forEach(records, (record) => calls.change(entity.calls, record.id, record.version, body));
    close();
    await onDone(outcomes, asking.form.fields);
  });
  const { form, change, left, busy, submit } = asking;
  const able = findChangeable(records, form.fields).length;
  const rest = all.filter(({ name }) => form.fields.every((field) => field.name !== name));
  const more = say(form.fields.length === 0 ? "bulk.edit.field" : "bulk.edit.more");
  const count = (number: number) => say("bulk.things", { count: number, thing: entity.one, things: entity.many });
  return (
    <Dialog title={say("bulk.edit.title", { records: count(records.length) })} onClose={onClose}>
      <SiblingValuesProvider value={getSiblingsOfForm(form, null, context)}>
        <form className="dialog-form bulk-edit" noValidate onSubmit={submit} onKeyDownCapture={sendByKey}>
          {left && <FormChangedNote left={left} />}
          {form.errors.length > 0 && <ErrorSummary title={say("form.not.saved")} node={form} draftStored={false} />}
          {form.fields.length === 0 && <p className="dialog-words">{say("bulk.edit.words")}</p>}
          {form.fields.map((field) => (
            <div key={field.name} className="bulk-edit-field">
              <BoundField node={form} field={field} onNode={change} />
              <IconButton
                icon="close"
                small
                label={say("bulk.edit.leave", { field: field.label })}
                onClick={() => change((now) => withoutField(now, field))}
              />
            </div>
          ))}
          {rest.length > 0 && (
            <div>
              <Button small icon="plus" {...popup.control} aria-haspopup="menu">
                {more}
              </Button>
              <Menu
                popup={popup}
                label={more}
                side="start"
                items={rest.map((field) => ({
                  key: field.name,
                  label: field.label,
                  act: () => change((now) => withField(now, field, context)),
                }))}
              />
            </div>
          )}
          {form.fields.length > 0 && able < records.length && (
            <p className="small-words">{say("bulk.edit.some", { able, count: records.length })}</p>
          )}
          <footer className="dialog-foot">
            {form.fields.length > 0 && (
              <Button type="submit" look="primary" busy={busy}>
                {say("bulk.edit.do", { records: count(able) })}
              </Button>
            )}
            <Button look="quiet" onClick={onClose}>
              {say("form.cancel")}
            </Button>
          </footer>
        </form>
      </SiblingValuesProvider>
    </Dialog>
  );
};

export default BulkEditDialog;
