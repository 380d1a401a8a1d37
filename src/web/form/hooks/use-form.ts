import { type FormEvent, useState } from "react";
import type { TransitionJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { type Failure, toFailure } from "../../api/api-error.ts";
import type { Body } from "../../api/requests.ts";
import { useApplication, useLocale } from "../../app/app-context.tsx";
import { useAnnounce } from "../../ui/overlay/toast.tsx";
import type { FormFieldError } from "../state/field-error.ts";
import type { Form } from "../state/form-node.ts";
import { changedElsewhere, chooseSide, clearConflict, rebaseOnServerVersion } from "../state/merge-form.ts";
import { resumeForm } from "../state/restore-draft.ts";
import { readForm, refuseForm, withOwnErrors } from "../state/send-form.ts";
import type { MergeConflict } from "../state/three-way-merge.ts";
import { useStoredDraft } from "./stored-draft.ts";
import { useDraft } from "./use-draft.ts";
import { useFormMigration } from "./use-form-migration.ts";
import { useIdempotentSubmit } from "./use-idempotent-submit.ts";
import { useUnsavedGuard } from "./use-unsaved-guard.ts";

interface Work<T> {
  /** Key of the draft. */
  readonly path: string;
  /** The record to change; null for a new one. */
  readonly record: RecordJson | null;
  /** Creates the initial form. */
  readonly open: () => Form;
  /** Adds prefilled values, before the draft. */
  readonly prefill?: (form: Form) => Form;
  /** Changes when the form has different fields; by default with each version of the document. */
  readonly fieldsKey?: unknown;
  /** Sends the form, with an idempotency key that stays the same for the same body. */
  readonly write: (body: Body, key: string, form: Form) => Promise<T>;
  /** Called after saving, when the draft is deleted. `further`: the transition to make next. */
  readonly saved: (written: T, further: TransitionJson | null) => Promise<void> | void;
  /** Called if there was nothing to save. */
  readonly unchanged: (further: TransitionJson | null) => Promise<void> | void;
  /** Reloads the record with everything the form needs. */
  readonly again: (record: RecordJson) => Promise<RecordJson>;
  /** True if a refusal of the whole has its own note instead of an entry among the errors. */
  readonly wholeInNote?: boolean;
}

type Chosen = readonly { readonly clash: MergeConflict; readonly side: "mine" | "theirs" }[];

/** A form with drafts, validation, idempotent saving, and merging of concurrent changes. */
export const useForm = <T>({
  path,
  record,
  open,
  prefill = (form) => form,
  fieldsKey,
  write,
  saved,
  unchanged,
  again,
  wholeInNote = false,
}: Work<T>) => {
  const { version } = useApplication();
  const { atOnce } = useAnnounce();
  const context = useLocale();
  const found = useStoredDraft(path);
  const [form, setForm] = useState(() => prefill(resumeForm(open(), record, found, context)));
  const { storedAt, keep, drop } = useDraft(path, form, found);
  const [restored, setRestored] = useState(found?.at ?? null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [attempted, setAttempted] = useState<TransitionJson | null>(null);
  const renewal = useFormMigration(fieldsKey ?? version, form, open, context, setForm);
  const { busy, send: sendOnce } = useIdempotentSubmit();

  useUnsavedGuard(form);

  const meet = async (what: Form, met: Failure, broken: readonly FormFieldError[]) => {
    keep(what);
    if (met.kind === "refused" && met.problem.status === 412 && record) {
      try {
        setForm(rebaseOnServerVersion(what, await again(record), context));
      } catch (thrown) {
        setFailure(toFailure(thrown));
      }
    } else if (met.kind === "refused" && !(wholeInNote && (met.problem.errors ?? []).length === 0)) {
      setForm(refuseForm(what, met.problem, broken));
      atOnce(met.problem.detail);
    } else if (met.kind !== "signed out") setFailure(met);
  };
  const send = async (what: Form, further: TransitionJson | null = null, broken: readonly FormFieldError[] = []) => {
    const read = readForm(what, context, broken);
    setFailure(null);
    setAttempted(further);
    if (read.kind === "form") return setForm(read.form);
    if (record && Object.keys(read.body).length === 0) {
      drop();
      return unchanged(further);
    }
    try {
      await sendOnce(read.body, async (key) => {
        const written = await write(read.body, key, what);
        drop();
        await saved(written, further);
      });
    } catch (thrown) {
      await meet(what, toFailure(thrown), broken);
    }
  };

  return {
    form,
    setForm,
    /** Fields that somebody else has saved since the form was opened; none while this form is being saved. */
    elsewhere: busy || form.conflict ? [] : changedElsewhere(form, record, context),
    /** Shows somebody else's changes: their values in untouched fields, and a choice elsewhere. */
    onElsewhere: () => {
      if (record === null) return;
      const met = rebaseOnServerVersion(form, record, context);
      setForm(met.conflict?.clashes.length === 0 ? clearConflict(met) : met);
    },
    /** Time of the restored draft; null if there was none. */
    restored,
    /** The changes by a new version of the document; null if there are none. */
    renewal,
    /** Time of the last stored draft; null if there is none. */
    storedAt,
    failure,
    busy,
    /** The transition that the last attempt to save was for; null for saving alone. */
    attempted,
    /** `broken`: the rules that the form violates. The server decides about them, unless it gets nothing to read. */
    submit: (event: FormEvent, broken: readonly FormFieldError[] = []) => {
      event.preventDefault();
      if (!form.conflict) void send(form, null, broken);
    },
    /** Saves and then makes a transition, unless a known rule prevents that. */
    submitFor: (further: TransitionJson, broken: readonly FormFieldError[]) => {
      if (form.conflict) return;
      const isReadable = readForm(form, context).kind === "body";
      if (broken.length === 0 || !isReadable) return void send(form, further, broken);
      setAttempted(further);
      setForm(withOwnErrors(form, context, broken));
    },
    /** Saves with the chosen side of each conflict. */
    onSettle: (chosen: Chosen) => {
      const resolved = clearConflict(chosen.reduce((now, { clash, side }) => chooseSide(now, clash, side), form));
      setForm(resolved);
      void send(resolved);
    },
    /** Back to the initial state, without a draft. */
    reset: () => {
      const fresh = prefill(open());
      setForm(fresh);
      setFailure(null);
      setRestored(null);
      drop(fresh);
    },
  };
};
