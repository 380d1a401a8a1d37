import { useEffect, useRef, useState } from "react";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { canRetry, isChangedMeanwhile } from "../../actions/for-each.ts";
import { toFailure } from "../../api/api-error.ts";
import { useLocale } from "../../app/app-context.tsx";
import { SiblingValuesProvider } from "../../field/control/sibling-values.tsx";
import { getSiblingsOfForm } from "../../field/siblings-of-form.ts";
import { BoundField } from "../../form/bound-field.tsx";
import { DialogErrors, useErrorFocus } from "../../form/error-summary.tsx";
import { FormChangedNote } from "../../form/form-changed-note.tsx";
import type { Form } from "../../form/state/form-node.ts";
import { refuseForm, withErrors } from "../../form/state/send-form.ts";
import { useOneShotForm } from "../../form/use-one-shot-form.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button, IconButton } from "../../ui/control/button.tsx";
import { sendByKey, sendFromSelect } from "../../ui/dom/form-keys.ts";
import { openList } from "../../ui/dom/open-list.ts";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { usePopup } from "../../ui/overlay/popup.tsx";
import type { RunningAct } from "../../ui/overlay/stop-or.tsx";
import { useWhileMounted } from "../../util/use-while-mounted.ts";
import { findBulkFields, findChangeable, isEmptied, withField, withoutField } from "./bulk-edit.ts";
import { FailedRecords } from "./failed-records.tsx";
import { FieldMenu } from "./field-menu.tsx";
import type { BulkEdit, EditAttempt } from "./use-bulk-edits.ts";

interface BulkEditProps {
  readonly entity: EntityJson;
  readonly records: readonly RecordJson[];
  /** The first field to edit. */
  readonly field: FieldJson;
  readonly edit: (records: readonly RecordJson[], edit: BulkEdit) => Promise<EditAttempt>;
  readonly running: RunningAct | null;
  /** Receives the records that were refused, which stay selected. */
  readonly onRefused: (ids: readonly string[]) => Promise<void>;
  /** Receives the attempts. `isReasonKnown`: the dialog has shown why records were refused. */
  readonly onDone: (attempts: readonly EditAttempt[], isReasonKnown?: boolean) => Promise<void>;
  readonly onClose: () => void;
}

/**
 * Gives some fields of all selected records the same values. Each record is changed as if it were edited alone. If other
 * values could help, the dialog asks again for the refused records, with the reasons. Until it is known, the dialog is out of
 * the way: the rows show the new values, and the bar says how far it is.
 */
const BulkEditDialog = ({
  entity,
  records,
  field: first,
  edit,
  running,
  onRefused,
  onDone,
  onClose,
}: BulkEditProps) => {
  const { say, show } = useWords();
  const context = useLocale();
  const close = useWhileMounted(onClose);
  const popup = usePopup();
  const own = useRef<HTMLFormElement>(null);
  // The field was chosen in a menu, so its values come next.
  useEffect(() => openList(own.current?.querySelector("select, [role=combobox]")), []);
  const [attempts, setAttempts] = useState<readonly EditAttempt[]>([]);
  const failed = attempts.at(-1)?.outcomes.filter((one) => one.failed !== null) ?? [];
  const untried = attempts.at(-1)?.untried ?? [];
  const again = new Set(
    [...failed.filter((one) => isCorrectable(one) || canRetry(one)).map(({ record }) => record), ...untried].map(
      ({ id }) => id,
    ),
  );
  const edited = failed.length === 0 ? records : records.filter(({ id }) => again.has(id));
  const all = findBulkFields(entity, records);
  const asking = useOneShotForm("ask", [first], null, null, async (body) => {
    const { fields, entered } = asking.form;
    const attempt = await edit(edited, { fields, body, entered });
    const now = [...attempts, attempt];
    const refused = attempt.outcomes.filter((one) => one.failed !== null);
    if (!refused.some(isCorrectable)) {
      close();
      return onDone(now);
    }
    setAttempts(now);
    asking.change((form) => markRefused(form, refused));
    await onRefused([...refused.map(({ record }) => record), ...attempt.untried].map(({ id }) => id));
  });
  const { form, change, renewal, busy, submit } = asking;
  const able = findChangeable(edited, form.fields).length;
  // Without any value, it is a slip, or the wish to empty the fields everywhere.
  const isEmpty = form.fields.every((field) => isEmptied(field, form, context));
  const empties = isEmpty && form.fields.every(({ optional }) => optional);
  const rest = all.filter(({ name }) => form.fields.every((field) => field.name !== name));
  const more = say(form.fields.length === 0 ? "bulk.edit.field" : "bulk.edit.more");
  const count = (number: number) => say("bulk.things", { count: number, thing: entity.one, things: entity.many });
  const leave = () => {
    onClose();
    if (attempts.length > 0) void onDone(attempts, true);
  };
  if (running !== null) return null;
  return (
    <Dialog
      title={
        able < edited.length
          ? say("bulk.edit.title.some", { able, count: edited.length, thing: entity.one, things: entity.many })
          : say("bulk.edit.title", { records: count(edited.length) })
      }
      onClose={leave}
    >
      <SiblingValuesProvider value={getSiblingsOfForm(form, null, context)}>
        <form
          ref={own}
          className="dialog-form bulk-edit"
          noValidate
          onSubmit={submit}
          // An empty choice opens its list.
          onKeyDown={(event) => !isEmpty && sendFromSelect(event)}
          onKeyDownCapture={sendByKey}
        >
          {renewal && <FormChangedNote renewal={renewal} />}
          {failed.length > 0 ? (
            <Refused attempts={attempts} failed={failed} entity={entity} form={form} />
          ) : (
            <DialogErrors title={say("form.not.saved")} node={form} />
          )}
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
              <FieldMenu
                popup={popup}
                label={more}
                fields={rest}
                onChoose={(field) => change((now) => withField(now, field, context))}
              />
            </div>
          )}
          {form.fields.length > 0 && able < edited.length && failed.length === 0 && (
            <p className="small-words">{say("bulk.edit.some", { able, count: records.length })}</p>
          )}
          <footer className="dialog-foot">
            {form.fields.length > 0 && (
              <Button type="submit" look={isEmpty ? "plain" : "primary"} busy={busy}>
                {empties
                  ? say("bulk.edit.empty", {
                      fields: show.list(form.fields.map(({ label }) => say("quoted", { words: label }))),
                      records: count(able),
                    })
                  : say("bulk.edit.do", { records: count(able) })}
              </Button>
            )}
            <Button look="quiet" onClick={leave}>
              {say("form.cancel")}
            </Button>
          </footer>
        </form>
      </SiblingValuesProvider>
    </Dialog>
  );
};

export default BulkEditDialog;

type Outcome = EditAttempt["outcomes"][number];

/** True if another value could help: neither the permission nor the record is missing. */
const isCorrectable = ({ failed }: Outcome): boolean => {
  const failure = failed === null ? null : toFailure(failed);
  return failure?.kind === "refused" && failure.problem.status !== 403 && failure.problem.status !== 404;
};

/** The form with the errors of all refused records at their fields, each error once. */
const markRefused = (form: Form, refused: readonly Outcome[]): Form => {
  const errors = refused.flatMap(({ failed }) => {
    const failure = toFailure(failed);
    return failure.kind === "refused" ? refuseForm(form, failure.problem).errors : [];
  });
  const distinct = new Map(errors.filter(({ field }) => field !== null).map((one) => [JSON.stringify(one), one]));
  return withErrors(form, [...distinct.values()]);
};

interface RefusedProps {
  readonly attempts: readonly EditAttempt[];
  readonly failed: readonly Outcome[];
  readonly entity: EntityJson;
  readonly form: Form;
}

/** The records that were refused, by reason, and how many were edited so far. */
const Refused = ({ attempts, failed, entity, form }: RefusedProps) => {
  const { say } = useWords();
  const note = useErrorFocus(form);
  const done = attempts.flatMap(({ outcomes }) => outcomes.filter((one) => one.failed === null)).length;
  const records = say("bulk.things", { count: failed.length, thing: entity.one, things: entity.many });
  return (
    <div className="note bad summary" role="alert" tabIndex={-1} ref={note}>
      <div className="grow">
        <h2>{say("bulk.edit.refused", { records })}</h2>
        <ul className="bulk-refused">
          <FailedRecords outcomes={failed} entity={entity} />
        </ul>
        <p>{say("bulk.edit.again", { done, same: String(failed.every(isChangedMeanwhile)) })}</p>
      </div>
    </div>
  );
};
