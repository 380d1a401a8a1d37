import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { FieldJson, LinkJson } from "../../core/wire.ts";
import type { Body } from "../client/calls.ts";
import { type Failure, failureOf } from "../client/failure.ts";
import { enter, leave, openForm, readForm, refuseForm, toMendAt } from "../client/form.ts";
import { keys } from "../client/queries.ts";
import { Button } from "../part/button.tsx";
import { useClient, useHere } from "../part/context.tsx";
import { Dialog } from "../part/dialog.tsx";
import { ProblemNote } from "../part/problem-note.tsx";
import { FormField } from "../screen/form-field.tsx";
import { FormSummary } from "../screen/form-summary.tsx";
import { useWords } from "../words/words.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { Roles } from "./roles.tsx";

interface InviteProps {
  readonly fields: readonly FieldJson[];
  readonly roles: readonly string[];
  readonly onClose: () => void;
}

/** Asks who is to be let in, and then shows the link for them. */
export const InviteDialog = ({ fields, roles, onClose }: InviteProps) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const here = useHere();
  const [form, setForm] = useState(() => openForm("make", fields, null, here));
  const [held, setHeld] = useState<ReadonlySet<string>>(new Set());
  const [failure, setFailure] = useState<Failure | null>(null);
  const [made, setMade] = useState<{ readonly name: string; readonly link: LinkJson } | null>(null);
  const invite = useMutation({
    mutationFn: (body: Body) => {
      const { name = "", email = "", ...more } = body;
      return calls.invite({ name, email, more, roles: [...held] });
    },
    // Nobody knows whether an invitation that was not answered came about: it is for the person to look.
    retry: false,
  });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (invite.isPending) return;
    const read = readForm(form, here);
    if (read.kind === "form") {
      setForm(read.form);
      return;
    }
    setFailure(null);
    try {
      const link = await invite.mutateAsync(read.body);
      await queries.invalidateQueries({ queryKey: keys.people });
      setMade({ name: String(read.body.name), link });
    } catch (thrown) {
      const met = failureOf(thrown);
      if (met.kind === "refused" && (met.problem.errors?.length ?? 0) > 0) setForm(refuseForm(form, met.problem));
      else if (met.kind !== "signed out") setFailure(met);
    }
  };
  if (made) return <LinkDialog name={made.name} link={made.link} onClose={onClose} />;
  return (
    <Dialog title={say("people.invite.title")} onClose={onClose}>
      <form className="dialog-form" noValidate onSubmit={(event) => void submit(event)}>
        {failure && <ProblemNote title={say("people.invite.failed")} failure={failure} />}
        {form.answered && form.answered.toMend.length > 0 && (
          <FormSummary title={say("people.invite.failed")} answered={form.answered} fields={fields} kept={false} />
        )}
        <p className="help-words">{say("people.invite.words")}</p>
        {fields.map((field) => {
          const answered = toMendAt(form, field.name);
          return (
            <FormField
              key={field.name}
              field={field}
              entered={form.entered[field.name] ?? null}
              changed={false}
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
        <Roles
          roles={roles}
          held={held}
          onChange={(role, holds) => {
            const next = new Set(held);
            if (holds) next.add(role);
            else next.delete(role);
            setHeld(next);
          }}
        />
        <footer className="dialog-foot">
          <Button type="submit" look="primary" busy={invite.isPending}>
            {say("people.invite.do")}
          </Button>
          <Button look="quiet" onClick={onClose}>
            {say("form.cancel")}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
};
