import { type FormEvent, useRef, useState } from "react";
import type { EntityJson, RecordJson, TransitionJson } from "../../core/wire.ts";
import type { Body } from "../client/calls.ts";
import { type Failure, failureOf } from "../client/failure.ts";
import { enter, leave, openForm, readForm, refuseForm, toMendAt } from "../client/form.ts";
import { stateOf } from "../client/standing.ts";
import { BesideProvider, besideIn } from "../part/beside.tsx";
import { Button } from "../part/button.tsx";
import { useHere } from "../part/context.tsx";
import { Dialog } from "../part/dialog.tsx";
import { Icon } from "../part/icon.tsx";
import { ProblemNote } from "../part/problem-note.tsx";
import { StateWord } from "../part/state-mark.tsx";
import { useWords } from "../words/words.tsx";
import { FormField } from "./form-field.tsx";
import { FormSummary } from "./form-summary.tsx";

interface TransitionDialogProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly label: string;
  readonly transition: TransitionJson;
  readonly make: (transition: TransitionJson, body: Body) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks what a transition asks. The button bears the transition's name. */
const TransitionDialog = ({ entity, record, label, transition, make, onClose }: TransitionDialogProps) => {
  const { say } = useWords();
  const here = useHere();
  const asked = transition.asks.flatMap((name) => entity.fields.find((field) => field.name === name) ?? []);
  const [form, setForm] = useState(() => openForm("ask", asked, record, here));
  const [failure, setFailure] = useState<Failure | null>(null);
  const [busy, setBusy] = useState(false);
  const sending = useRef(false);
  const from = stateOf(entity, record);
  const to = entity.states?.states.find(({ name }) => name === transition.to);
  const count = form.answered?.toMend.length ?? 0;

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
      await make(transition, read.body);
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
    <Dialog title={say("transition.title", { transition: transition.label, label })} onClose={onClose}>
      <BesideProvider value={besideIn(form, record.id, here)}>
        <form className="dialog-form" noValidate onSubmit={(event) => void submit(event)}>
          {failure && (
            <ProblemNote
              title={
                failure.kind === "refused" && failure.problem.status === 412
                  ? say("record.changed.meanwhile")
                  : say("record.not.made", { transition: transition.label })
              }
              failure={failure}
            />
          )}
          {form.answered && count > 0 && (
            <FormSummary
              title={say("record.not.made", { transition: transition.label })}
              answered={form.answered}
              fields={asked}
              kept={false}
            />
          )}
          {from && to && (
            <p className="history-move">
              <StateWord state={from} />
              <Icon name="to" size={13} />
              <span className="hidden-words">{say("history.became")}</span>
              <StateWord state={to} />
            </p>
          )}
          {asked.map((field) => {
            const answered = toMendAt(form, field.name);
            return (
              <FormField
                key={field.name}
                field={field}
                entered={form.entered[field.name] ?? null}
                changed={false}
                asked={transition.asksIfAny?.includes(field.name) !== true}
                toMend={
                  answered.length === 0 && form.unreadable.includes(field.name)
                    ? [{ kind: "unreadable", field: field.name, clause: field.clause }]
                    : answered
                }
                onEnter={(entered) => setForm((now) => enter(now, field.name, entered, here))}
                onLeave={() => setForm((now) => leave(now, field.name, here))}
              />
            );
          })}
          <footer className="dialog-foot">
            <Button type="submit" look="primary" busy={busy}>
              {transition.label}
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

export default TransitionDialog;
