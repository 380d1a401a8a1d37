import { type FormEvent, useRef, useState } from "react";
import type { EntityJson, ReferenceJson } from "../../core/wire.ts";
import { newKey } from "../client/calls.ts";
import { type Failure, failureOf } from "../client/failure.ts";
import { enter, leave, openForm, readForm, refuseForm, toMendAt } from "../client/form.ts";
import { newScreenOf } from "../client/routes.ts";
import { BesideProvider, besideIn } from "../part/beside.tsx";
import { Button } from "../part/button.tsx";
import { useApplication, useClient, useHere } from "../part/context.tsx";
import { Dialog } from "../part/dialog.tsx";
import { ProblemNote } from "../part/problem-note.tsx";
import { useToast } from "../part/spoken.tsx";
import { useWords } from "../words/words.tsx";
import { FormField } from "./form-field.tsx";
import { FormSummary } from "./form-summary.tsx";

interface AddDialogProps {
  readonly entity: EntityJson;
  /** The reference that names the record one came from. */
  readonly by: string;
  readonly to: ReferenceJson;
  readonly onClose: () => void;
}

/** Makes a record that refers to the one that is shown: that reference is given, the rest is asked. */
const AddDialog = ({ entity, by, to, onClose }: AddDialogProps) => {
  const { say } = useWords();
  const { calls, queries } = useClient();
  const { screens } = useApplication();
  const toast = useToast();
  const here = useHere();
  const named = newScreenOf(screens, entity.name)?.fields ?? entity.create ?? [];
  const asked = named
    .filter((name) => name !== by && entity.create?.includes(name) === true)
    .flatMap((name) => entity.fields.find((field) => field.name === name) ?? []);
  const [form, setForm] = useState(() => openForm("make", asked, null, here));
  const [failure, setFailure] = useState<Failure | null>(null);
  const [busy, setBusy] = useState(false);
  const sending = useRef(false);
  const [key] = useState(newKey);
  const given = entity.fields.find((field) => field.name === by)?.many ? [to.id] : to.id;
  const refused = say("related.not.made", { thing: entity.one });

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (sending.current) return;
    const read = readForm(form, here);
    if (read.kind === "form") {
      setForm(read.form);
      return;
    }
    sending.current = true;
    setBusy(true);
    setFailure(null);
    try {
      await calls.create(entity.calls, { ...read.body, [by]: given }, key);
      toast(say("form.saved"));
      // What is computed of the record may have changed with it.
      await queries.invalidateQueries({ queryKey: ["of"] });
      onClose();
    } catch (thrown) {
      const met = failureOf(thrown);
      const atFields = met.kind === "refused" && (met.problem.errors?.length ?? 0) > 0;
      if (met.kind === "refused" && atFields) setForm(refuseForm(form, met.problem));
      else if (met.kind !== "signed out") setFailure(met);
    } finally {
      sending.current = false;
      setBusy(false);
    }
  };

  return (
    <Dialog title={say("related.title", { thing: entity.one, label: to.label })} onClose={onClose}>
      <BesideProvider value={besideIn(form, null, here, { [by]: to.id })}>
        <form className="dialog-form" noValidate onSubmit={(event) => void submit(event)}>
          {failure && <ProblemNote title={refused} failure={failure} />}
          {form.answered && form.answered.toMend.length > 0 && (
            <FormSummary title={refused} answered={form.answered} fields={asked} kept={false} />
          )}
          {asked.map((field) => {
            const answered = toMendAt(form, field.name);
            const unread = answered.length === 0 && form.unreadable.includes(field.name);
            return (
              <FormField
                key={field.name}
                field={field}
                entered={form.entered[field.name] ?? null}
                changed={false}
                toMend={unread ? [{ kind: "unreadable", field: field.name, clause: field.clause }] : answered}
                onEnter={(entered) => setForm((now) => enter(now, field.name, entered, here))}
                onLeave={() => setForm((now) => leave(now, field.name, here))}
              />
            );
          })}
          <footer className="dialog-foot">
            <Button type="submit" look="primary" busy={busy}>
              {say("related.make")}
            </Button>
            <Button look="quiet" onClick={onClose}>
              {say("form.cancel")}
            </Button>
          </footer>
        </form>
      </BesideProvider>
    </Dialog>
  );
};

export default AddDialog;
