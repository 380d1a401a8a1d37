import { type FormEvent, useRef, useState } from "react";
import type { FieldJson, RecordJson } from "../../core/wire.ts";
import type { Body } from "../client/calls.ts";
import { type Failure, failureOf } from "../client/failure.ts";
import { enter, type Form, leave, openForm, type Purpose, readForm, refuseForm, toMendAt } from "../client/form.ts";
import { useHere } from "../part/context.tsx";
import { FormField } from "./form-field.tsx";

/** A form that is asked and sent once, in a dialog or on a page of its own: no draft, and nobody changes it meanwhile. */
export interface Asking {
  readonly form: Form;
  readonly change: (next: (form: Form) => Form) => void;
  /** Why it was not done, where no field says it. */
  readonly failure: Failure | null;
  readonly busy: boolean;
  readonly submit: (event: FormEvent) => void;
}

/** `send` rejects with what the server refused; a second press while it is on its way sends nothing. */
export const useAsking = (
  purpose: Purpose,
  fields: readonly FieldJson[],
  record: RecordJson | null,
  send: (body: Body) => Promise<void>,
): Asking => {
  const here = useHere();
  const [form, change] = useState(() => openForm(purpose, fields, record, here));
  const [failure, setFailure] = useState<Failure | null>(null);
  const [busy, setBusy] = useState(false);
  // What is drawn comes after the second press of a double click; this does not.
  const sending = useRef(false);
  const submit = async () => {
    if (sending.current) return;
    const read = readForm(form, here);
    if (read.kind === "form") {
      change(read.form);
      return;
    }
    sending.current = true;
    setBusy(true);
    setFailure(null);
    try {
      await send(read.body);
    } catch (thrown) {
      const met = failureOf(thrown);
      const atFields = met.kind === "refused" && (met.problem.errors?.length ?? 0) > 0;
      if (met.kind === "refused" && atFields) change(refuseForm(form, met.problem));
      else if (met.kind !== "signed out") setFailure(met);
    } finally {
      sending.current = false;
      setBusy(false);
    }
  };
  return {
    form,
    change,
    failure,
    busy,
    submit: (event) => {
      event.preventDefault();
      void submit();
    },
  };
};

interface AskedFieldsProps {
  readonly asking: Asking;
  /** What must be given, also where the field may otherwise stay empty. */
  readonly required?: (name: string) => boolean;
}

export const AskedFields = ({ asking: { form, change }, required = () => false }: AskedFieldsProps) => {
  const here = useHere();
  return form.fields.map((field) => (
    <FormField
      key={field.name}
      field={field}
      entered={form.entered[field.name] ?? null}
      changed={false}
      asked={required(field.name)}
      toMend={toMendAt(form, field.name)}
      onEnter={(entered) => change((now) => enter(now, field.name, entered, here))}
      onLeave={() => change((now) => leave(now, field.name, here))}
    />
  ));
};
