import type { FieldJson, Json, Problem, RecordJson } from "../../core/wire.ts";
import { type Entered, enteredOf, readEntered, sameEntered } from "./entered.ts";
import type { Here } from "./here.ts";
import { type Clash, mergeValues, type Values } from "./merge.ts";
import { valueIn } from "./values.ts";

/** One thing to put right. Without a field it stands in the summary alone. */
export type ToMend =
  | {
      readonly kind: "refused";
      readonly field: string | null;
      readonly clause: string | null;
      readonly message: string;
      readonly help: string | null;
    }
  | { readonly kind: "unreadable"; readonly field: string; readonly clause: string };

/** What a save came to, while it is not a success. */
export interface Answered {
  /** Where each thing is to be put right, in the order of the answer. */
  readonly toMend: readonly ToMend[];
  /** Fields that were changed since: their finding is no longer known to hold. */
  readonly changedSince: readonly string[];
}

/** A new record sends what was given, a change what was changed, a transition all that it asks. */
export type Purpose = "make" | "change" | "ask";

/** A form at one moment. It knows nothing of how it is drawn, and every step gives a new one. */
export interface Form {
  readonly purpose: Purpose;
  readonly fields: readonly FieldJson[];
  /** The version that the entries began from; null for a record that is yet to be made. */
  readonly version: number | null;
  readonly base: Values;
  readonly entered: Values;
  /** Fields that cannot be read as their type, and that the person has left. */
  readonly unreadable: readonly string[];
  readonly answered: Answered | null;
  readonly conflict: { readonly clashes: readonly Clash[]; readonly taken: readonly string[] } | null;
}

export const openForm = (
  purpose: Purpose,
  fields: readonly FieldJson[],
  record: RecordJson | null,
  here: Here,
): Form => {
  const base = valuesOf(fields, record, here);
  return {
    purpose,
    fields,
    version: record?.version ?? null,
    base,
    entered: base,
    unreadable: [],
    answered: null,
    conflict: null,
  };
};

const valuesOf = (fields: readonly FieldJson[], record: RecordJson | null, here: Here): Values =>
  Object.fromEntries(
    fields.map((field) => [
      field.name,
      enteredOf(field, record ? valueIn(record, field.name) : givenBy(field, here), here),
    ]),
  );

/** What the document gives where nobody gives anything: it stands there from the beginning, to be seen and changed. */
const givenBy = (field: FieldJson, here: Here): Json =>
  field.default === "today" ? here.today : (field.default?.value ?? null);

const isUnreadable = (form: Form, name: string, here: Here): boolean => {
  const field = form.fields.find((one) => one.name === name);
  return field !== undefined && readEntered(field, form.entered[name] ?? null, here).kind === "unreadable";
};

/** A finding about the field is answered at each key once it is there, and not before the field is left. */
export const enter = (form: Form, name: string, entered: Entered, here: Here): Form => {
  const next = { ...form, entered: { ...form.entered, [name]: entered } };
  const still = form.unreadable.filter((field) => field !== name || isUnreadable(next, name, here));
  const answered = form.answered && {
    ...form.answered,
    changedSince: [...new Set([...form.answered.changedSince, name])],
  };
  return { ...next, unreadable: still, answered };
};

const writtenOut: ReadonlySet<FieldJson["type"]> = new Set(["date", "datetime", "time", "duration"]);

/** Leaving a date writes it out in full, so that one sees how it was understood. */
export const leave = (form: Form, name: string, here: Here): Form => {
  const field = form.fields.find((one) => one.name === name);
  if (!field) return form;
  const entered = form.entered[name] ?? null;
  const reading = readEntered(field, entered, here);
  if (reading.kind === "unreadable") return { ...form, unreadable: [...new Set([...form.unreadable, name])] };
  const written = typeof entered === "string" && entered !== "" ? enteredOf(field, reading.value, here) : entered;
  return {
    ...form,
    entered: writtenOut.has(field.type) ? { ...form.entered, [name]: written } : form.entered,
    unreadable: form.unreadable.filter((one) => one !== name),
  };
};

export const changed = (form: Form, name: string): boolean =>
  !sameEntered(form.entered[name] ?? null, form.base[name] ?? null);

export const changedFields = (form: Form): readonly string[] =>
  form.fields.map((field) => field.name).filter((name) => changed(form, name));

/** What to send, or the same form with what cannot be read. */
export const readForm = (
  form: Form,
  here: Here,
):
  | { readonly kind: "body"; readonly body: { readonly [field: string]: Json } }
  | { readonly kind: "form"; readonly form: Form } => {
  const readings = form.fields
    .filter(({ name }) => form.purpose !== "change" || changed(form, name))
    .map((field) => ({ field, reading: readEntered(field, form.entered[field.name] ?? null, here) }));
  const bad = readings.filter(({ reading }) => reading.kind === "unreadable").map(({ field }) => field);
  if (bad.length > 0) {
    const toMend = bad.map(({ name, clause }): ToMend => ({ kind: "unreadable", field: name, clause }));
    return {
      kind: "form",
      form: { ...form, unreadable: bad.map(({ name }) => name), answered: { toMend, changedSince: [] } },
    };
  }
  const given = readings.flatMap(({ field, reading }): [string, Json][] =>
    reading.kind === "value" && (form.purpose !== "make" || reading.value !== null || field.default !== undefined)
      ? [[field.name, reading.value]]
      : [],
  );
  return { kind: "body", body: Object.fromEntries(given) };
};

/** The first segment of a JSON pointer, where it names a field of the form. */
const fieldAt = (pointer: string, fields: readonly FieldJson[]): string | null => {
  const name = pointer.split("/")[1]?.replaceAll("~1", "/").replaceAll("~0", "~");
  return fields.find((field) => field.name === name)?.name ?? null;
};

export const refuseForm = (form: Form, problem: Problem): Form => {
  const parts = problem.errors ?? [];
  const toMend: readonly ToMend[] =
    parts.length > 0
      ? parts.map((part) => ({
          kind: "refused",
          field: fieldAt(part.at, form.fields),
          clause: part.clause,
          message: part.message,
          help: part.help ?? null,
        }))
      : [
          {
            kind: "refused",
            field: null,
            clause: problem.clause ?? null,
            message: problem.detail,
            help: problem.help ?? null,
          },
        ];
  return { ...form, answered: { toMend, changedSince: [] } };
};

/** Someone else saved the record meanwhile: their version becomes the ground that this form stands on. */
export const meetChange = (form: Form, record: RecordJson, here: Here): Form => {
  const theirs = valuesOf(form.fields, record, here);
  const { values, taken, clashes } = mergeValues(form.base, form.entered, theirs);
  return {
    ...form,
    version: record.version,
    base: theirs,
    entered: values,
    answered: null,
    conflict: { clashes, taken },
  };
};

export const choose = (form: Form, clash: Clash, side: "mine" | "theirs"): Form => ({
  ...form,
  entered: { ...form.entered, [clash.field]: clash[side] },
});

export const settle = (form: Form): Form => ({ ...form, conflict: null });

/** What the answer says at a field and still may hold. */
export const toMendAt = (form: Form, name: string): readonly ToMend[] =>
  form.answered?.changedSince.includes(name) ? [] : (form.answered?.toMend.filter((one) => one.field === name) ?? []);
