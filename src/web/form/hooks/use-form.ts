import { type FormEvent, useState } from "react";
import type { TransitionJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { Body } from "../../api/api.ts";
import { type Failure, failureOf } from "../../api/api-error.ts";
import { useApplication, useHere } from "../../app/app-context.tsx";
import { useSay } from "../../ui/toast.tsx";
import type { ToMend } from "../state/field-error.ts";
import { changedElsewhere, choose, type Form, meetChange, readForm, refuseForm, settle } from "../state/form-state.ts";
import { resumeForm } from "../state/restore-draft.ts";
import type { Clash } from "../state/three-way-merge.ts";
import { useDraft, useFound } from "./use-draft.ts";
import { useRefit } from "./use-form-migration.ts";
import { useSending } from "./use-idempotent-submit.ts";
import { useAtWork } from "./use-unsaved-guard.ts";

interface Work<T> {
  /** Under what a draft is kept. */
  readonly path: string;
  /** The record that is changed; null where one is made. */
  readonly record: RecordJson | null;
  /** The form as it begins. */
  readonly open: () => Form;
  /** What it begins with besides, before what was kept of it. */
  readonly begun?: (form: Form) => Form;
  /** Another value where it is asked otherwise, by another document; by default with each version of that. */
  readonly asked?: unknown;
  /** Sends it, with a key that stays while the body does. */
  readonly write: (body: Body, key: string, form: Form) => Promise<T>;
  /** What comes of that: nothing of it is kept any more. `further`: the transition that it was saved for. */
  readonly saved: (written: T, further: TransitionJson | null) => Promise<void> | void;
  /** It was to be saved, and nothing in it had changed. */
  readonly unchanged: (further: TransitionJson | null) => Promise<void> | void;
  /** The record as it is now, with what the form holds of it. */
  readonly again: (record: RecordJson) => Promise<RecordJson>;
  /** Whether a refusal that is about no field stands in a note of its own, and not among what is to be put right. */
  readonly wholeInNote?: boolean;
}

type Chosen = readonly { readonly clash: Clash; readonly side: "mine" | "theirs" }[];

/** A form at work: what is typed is kept, judged, sent once, and met with what others did meanwhile. */
export const useForm = <T>({
  path,
  record,
  open,
  begun = (form) => form,
  asked,
  write,
  saved,
  unchanged,
  again,
  wholeInNote = false,
}: Work<T>) => {
  const { version } = useApplication();
  const { atOnce } = useSay();
  const here = useHere();
  const found = useFound(path);
  const [form, setForm] = useState(() => begun(resumeForm(open(), record, found, here)));
  const { kept, keep, drop } = useDraft(path, form, found);
  const [restored, setRestored] = useState(found?.at ?? null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const left = useRefit(asked ?? version, form, open, here, setForm);
  const { busy, send: sendOnce } = useSending();

  useAtWork(form);

  const meet = async (what: Form, met: Failure) => {
    keep(what);
    if (met.kind === "refused" && met.problem.status === 412 && record) {
      try {
        setForm(meetChange(what, await again(record), here));
      } catch (thrown) {
        setFailure(failureOf(thrown));
      }
    } else if (met.kind === "refused" && !(wholeInNote && (met.problem.errors ?? []).length === 0)) {
      setForm(refuseForm(what, met.problem));
      atOnce(met.problem.detail);
    } else if (met.kind !== "signed out") setFailure(met);
  };
  const send = async (what: Form, further: TransitionJson | null = null) => {
    const read = readForm(what, here);
    setFailure(null);
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
      await meet(what, failureOf(thrown));
    }
  };

  return {
    form,
    setForm,
    /** Fields that someone else saved while the form was open; none while it is saved here. */
    elsewhere: busy || form.conflict ? [] : changedElsewhere(form, record, here),
    /** Shows what someone else saved: their value where nothing was typed here, and both to choose from elsewhere. */
    onElsewhere: () => {
      if (record === null) return;
      const met = meetChange(form, record, here);
      setForm(met.conflict?.clashes.length === 0 ? settle(met) : met);
    },
    /** When what it goes on from was kept; null where it began anew. */
    restored,
    /** What was typed for what is asked no more; null where nothing was asked otherwise meanwhile. */
    left,
    /** When it was kept last; null while nothing is. */
    kept,
    failure,
    busy,
    submit: (event: FormEvent) => {
      event.preventDefault();
      if (!form.conflict) void send(form);
    },
    /** Saves it to make a transition at once, unless it is known what stands against that. */
    submitFor: (further: TransitionJson, broken: readonly ToMend[]) => {
      if (form.conflict) return;
      if (broken.length === 0) void send(form, further);
      else setForm({ ...form, answered: { toMend: broken, changedSince: [] } });
    },
    /** One side of each clash was chosen: it is saved with these. */
    onSettle: (chosen: Chosen) => {
      const settled = settle(chosen.reduce((now, { clash, side }) => choose(now, clash, side), form));
      setForm(settled);
      void send(settled);
    },
    /** As it began; nothing of what was typed is kept. */
    reset: () => {
      const fresh = begun(open());
      setForm(fresh);
      setFailure(null);
      setRestored(null);
      drop(fresh);
    },
  };
};
