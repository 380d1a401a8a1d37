import { type FormEvent, useState } from "react";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { Body } from "../api/api.ts";
import { type Failure, failureOf } from "../api/api-error.ts";
import { useApplication } from "../app/app-context.tsx";
import { spanOf } from "../format/date-range-fields.ts";
import { FieldInForm } from "./bound-field.tsx";
import { useHereToMake, useReckoned } from "./hooks/use-computed-values.tsx";
import { useRefit } from "./hooks/use-form-migration.ts";
import { useSending } from "./hooks/use-idempotent-submit.ts";
import { useAtWork } from "./hooks/use-unsaved-guard.ts";
import type { ToMend } from "./state/field-error.ts";
import { type Form, openForm, type Purpose, readForm, refuseForm } from "./state/form-state.ts";
import type { Left } from "./state/restore-draft.ts";

/** A form that is asked and sent once, in a dialog or on a page of its own: no draft, and nobody changes it meanwhile. */
export interface Asking {
  readonly form: Form;
  /** What the document's rules say of it as it stands. */
  readonly broken: readonly ToMend[];
  readonly change: (next: (form: Form) => Form) => void;
  /** Why it was not done, where no field says it. */
  readonly failure: Failure | null;
  /** What was typed for what is asked no more; null where nothing was asked otherwise meanwhile. */
  readonly left: readonly Left[] | null;
  readonly busy: boolean;
  readonly submit: (event: FormEvent) => void;
}

const none: readonly FieldJson[] = [];

/** What the fields are of, and the transition that asks for them; null where rules of no entity are about them. */
type About = { readonly entity: EntityJson; readonly transition: string | null } | null;

/** `send` rejects with what the server refused. It is given a key that stays while the body does. */
export const useAsking = (
  purpose: Purpose,
  fields: readonly FieldJson[],
  record: RecordJson | null,
  about: About,
  send: (body: Body, key: string) => Promise<void>,
): Asking => {
  const here = useHereToMake(purpose === "make" ? fields : none);
  const { screens, version } = useApplication();
  const span = about === null ? null : spanOf(screens, about.entity);
  const open = () => openForm(purpose, fields, record, here, [], span);
  const [form, change] = useState(open);
  const left = useRefit(version, form, open, here, change);
  const { broken } = useReckoned(form, about?.entity ?? null, record, here, about?.transition ?? null);
  useAtWork(form);
  const [failure, setFailure] = useState<Failure | null>(null);
  const { busy, send: sendOnce } = useSending();
  const submit = async () => {
    const read = readForm(form, here);
    if (read.kind === "form") return change(read.form);
    setFailure(null);
    try {
      await sendOnce(read.body, (key) => send(read.body, key));
    } catch (thrown) {
      const met = failureOf(thrown);
      const atFields = met.kind === "refused" && (met.problem.errors?.length ?? 0) > 0;
      if (met.kind === "refused" && atFields) change(refuseForm(form, met.problem));
      else if (met.kind !== "signed out") setFailure(met);
    }
  };
  return {
    form,
    broken,
    change,
    failure,
    left,
    busy,
    submit: (event) => {
      event.preventDefault();
      void submit();
    },
  };
};

export const AskedFields = ({ asking: { form, broken, change } }: { readonly asking: Asking }) =>
  form.fields.map((field) => (
    <FieldInForm key={field.name} form={form} field={field} broken={broken} onForm={change} />
  ));
