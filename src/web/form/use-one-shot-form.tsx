import { type FormEvent, useState } from "react";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { type Failure, toFailure } from "../api/api-error.ts";
import type { Body } from "../api/requests.ts";
import { useApplication, useClient, useStore } from "../app/app-context.tsx";
import type { EnteredValues } from "../format/input-value.ts";
import { useHeldWhile } from "../util/use-held-while.ts";
import { BoundField } from "./bound-field.tsx";
import { useComputedValues, useNewRecordContext } from "./hooks/use-computed-values.tsx";
import { type FormRenewal, useFormMigration } from "./hooks/use-form-migration.ts";
import { useIdempotentSubmit } from "./hooks/use-idempotent-submit.ts";
import { useSuggestions } from "./hooks/use-suggestions.ts";
import { useUnsavedGuard } from "./hooks/use-unsaved-guard.ts";
import type { BrokenRule } from "./state/check-rules.ts";
import type { FormFieldError } from "./state/field-error.ts";
import type { Form, FormKind } from "./state/form-node.ts";
import { openForm, takeOver } from "./state/open-form.ts";
import { readForm, refuseForm } from "./state/send-form.ts";

/** A form that is submitted once, in a dialog or on a page of its own, without drafts and conflicts. */
export interface OneShotForm {
  readonly form: Form;
  /** The record that it is about. While the form is being sent, it stays what it was when the button was pressed. */
  readonly record: RecordJson | null;
  /** Violated rules of the document. */
  readonly broken: readonly FormFieldError[];
  /** Rules that are broken whatever is entered. It cannot be submitted then. */
  readonly brokenAlready: readonly BrokenRule[];
  /**
   * True if the server refused this input, so that it would be refused again, unless any record changes. Known only if
   * rules apply (`About`).
   */
  readonly isSpent: boolean;
  /** True if a reference cannot refer to this record, whatever else is entered. */
  readonly isRefused: (field: string, id: string) => boolean;
  /** The least number of characters that rules ask of a text; 0 if none does. */
  readonly leastLength: (field: string) => number;
  readonly change: (next: (form: Form) => Form) => void;
  /** The reason why it failed, if it concerns no field. */
  readonly failure: Failure | null;
  /** The changes by a new version of the document; null if there are none. */
  readonly renewal: FormRenewal | null;
  readonly busy: boolean;
  readonly submit: (event: FormEvent) => void;
}

const none: readonly FieldJson[] = [];

/**
 * The entity of the fields and the transition that asks for them; null if no rules apply, and the form is sent together with
 * more, such as a password.
 */
type About = {
  readonly entity: EntityJson;
  readonly transition: string | null;
  /** The input for another transition, in whose place this one was chosen. */
  readonly entered?: EnteredValues;
  /** Rules on other records that the server found to be broken. */
  readonly brokenElsewhere?: readonly BrokenRule[];
  /** Choices outside of the form that are sent with it: with others, the same input may be accepted. */
  readonly sentAlong?: string;
} | null;

interface RefusedInput extends Pick<Form, "entered"> {
  readonly version: number | undefined;
  readonly sentAlong: string;
  /** The changes that the page had heard of. A rule can read any of these records. */
  readonly changes: unknown;
}

/** `send` rejects with the server's refusal. It receives an idempotency key that stays the same for the same body. */
export const useOneShotForm = (
  purpose: FormKind,
  fields: readonly FieldJson[],
  latest: RecordJson | null,
  about: About,
  send: (body: Body, key: string) => Promise<void>,
): OneShotForm => {
  const { busy, send: sendOnce } = useIdempotentSubmit();
  const record = useHeldWhile(busy, latest);
  const context = useNewRecordContext(purpose === "update" ? none : fields);
  const { version } = useApplication();
  const open = () => openForm(purpose, fields, record, context);
  const { entity = null, transition = null, entered = {}, brokenElsewhere = [], sentAlong = "" } = about ?? {};
  const [form, change] = useState(() => takeOver(open(), entered));
  const renewal = useFormMigration(version, form, open, context, change);
  useSuggestions(form, entity, context, change);
  const { broken, brokenWith, isRefused, leastLength, ...computed } = useComputedValues(
    form,
    entity,
    record,
    context,
    transition,
  );
  const known = new Set(computed.brokenAlready.map(({ clause }) => clause));
  const brokenAlready = [...computed.brokenAlready, ...brokenElsewhere.filter(({ clause }) => !known.has(clause))];
  useUnsavedGuard(form);
  const [failure, setFailure] = useState<Failure | null>(null);
  const { live } = useClient();
  const changes = useStore(live.counts);
  /** The input that was refused last, and the version of the record. */
  const [refusedInput, setRefusedInput] = useState<RefusedInput | null>(null);
  // An edit of a part cannot be told from its errors, so with parts the same input can be sent again.
  const isSpent =
    about !== null &&
    refusedInput?.entered === form.entered &&
    refusedInput.version === record?.version &&
    refusedInput.sentAlong === sentAlong &&
    refusedInput.changes === changes &&
    form.lists.length === 0;
  const submit = async () => {
    if (brokenAlready.length > 0 || isSpent) return;
    const broken = brokenWith(transition);
    const read = readForm(form, context, broken);
    if (read.kind === "form") return change(read.form);
    setFailure(null);
    try {
      await sendOnce(read.body, (key) => send(read.body, key));
    } catch (thrown) {
      const met = toFailure(thrown);
      const atFields = met.kind === "refused" && (met.problem.errors?.length ?? 0) > 0;
      // Input since then stays.
      if (met.kind === "refused" && met.problem.status !== 412)
        setRefusedInput({ entered: form.entered, version: record?.version, sentAlong, changes: live.counts.get() });
      if (met.kind === "refused" && atFields) change((now) => refuseForm(now, met.problem, broken));
      else if (met.kind !== "signed out") setFailure(met);
    }
  };
  return {
    form,
    record,
    broken,
    brokenAlready,
    isSpent,
    isRefused,
    leastLength,
    change,
    failure,
    renewal,
    busy,
    submit: (event) => {
      event.preventDefault();
      void submit();
    },
  };
};

export const OneShotFields = ({ oneShot: { form, broken, change } }: { readonly oneShot: OneShotForm }) =>
  form.fields.map((field) => <BoundField key={field.name} node={form} field={field} broken={broken} onNode={change} />);
