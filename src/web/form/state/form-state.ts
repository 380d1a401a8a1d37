import type { FieldJson } from "../../../core/wire/entities.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { Problem } from "../../../core/wire/problems.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { DateRangeFields } from "../../format/date-range-fields.ts";
import type { EnteredValues } from "../../format/input-value.ts";
import {
  type Entered,
  enteredOf,
  joinMoment,
  readEntered,
  sameEntered,
  splitMoment,
} from "../../format/input-value.ts";
import type { Here } from "../../format/locale-context.ts";
import { initialValue, valueIn } from "../../format/record-values.ts";
import type { FormFieldError } from "./field-error.ts";
import { chooseCell, mergeParts } from "./parts-merge.ts";
import { changeList, type PartsForm, partsChanged, readParts, refuseParts, rowsAt } from "./parts-state.ts";
import { type MergeConflict, mergeValues } from "./three-way-merge.ts";

/** The result of saving, if it failed. */
export interface Answered {
  /** The errors in the order of the response. */
  readonly toMend: readonly FormFieldError[];
  /** Fields edited since: their errors may no longer hold. */
  readonly changedSince: readonly string[];
}

/** A new record sends all values entered, a change only changed ones, a transition everything it asks for. */
export type Purpose = "make" | "change" | "ask";

/** The immutable state of a form, independent of how it is rendered. */
export interface Form {
  readonly purpose: Purpose;
  readonly fields: readonly FieldJson[];
  /** The fields with the start and end of the record, if its calendar has them. */
  readonly span: DateRangeFields | null;
  /** The lists of the record's parts. */
  readonly lists: readonly PartsForm[];
  /** The version that editing started from; null for a new record. */
  readonly version: number | null;
  readonly base: EnteredValues;
  readonly entered: EnteredValues;
  /** Fields with unreadable input that have been left. */
  readonly unreadable: readonly string[];
  /** Fields that have been left. */
  readonly left: readonly string[];
  readonly answered: Answered | null;
  readonly conflict: { readonly clashes: readonly MergeConflict[]; readonly taken: readonly string[] } | null;
}

export const openForm = (
  purpose: Purpose,
  fields: readonly FieldJson[],
  record: RecordJson | null,
  here: Here,
  lists: readonly PartsForm[] = [],
  span: DateRangeFields | null = null,
): Form => {
  const base = valuesOf(fields, record, here, purpose === "make");
  return {
    purpose,
    fields,
    span,
    lists,
    version: record?.version ?? null,
    base,
    entered: base,
    unreadable: [],
    left: [],
    answered: null,
    conflict: null,
  };
};

const valuesOf = (fields: readonly FieldJson[], record: RecordJson | null, here: Here, begins = false): EnteredValues =>
  Object.fromEntries(
    fields.map((field) => [
      field.name,
      enteredOf(field, record ? valueIn(record, field.name) : begins ? initialValue(field, here) : null, here),
    ]),
  );

/** The form with one list changed. */
export const withList = (form: Form, field: string, change: (list: PartsForm) => PartsForm): Form => ({
  ...form,
  lists: changeList(form.lists, field, change),
  answered: form.answered && {
    ...form.answered,
    changedSince: [...new Set([...form.answered.changedSince, field])],
  },
});

const isUnreadable = (form: Form, name: string, here: Here): boolean => {
  const field = form.fields.find((one) => one.name === name);
  return field !== undefined && readEntered(field, form.entered[name] ?? null, here).kind === "unreadable";
};

/** Errors are updated on every keystroke once shown, but not shown before the field is left. */
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

/** On leaving, a date is formatted in full to show how it was understood. */
export const leave = (entering: Form, name: string, here: Here): Form => {
  const field = entering.fields.find((one) => one.name === name);
  if (!field) return entering;
  const form = entering.left.includes(name) ? entering : { ...entering, left: [...entering.left, name] };
  const entered = form.entered[name] ?? null;
  const reading = readEntered(field, entered, here);
  if (reading.kind === "unreadable") return { ...form, unreadable: [...new Set([...form.unreadable, name])] };
  const written = typeof entered === "string" && entered !== "" ? enteredOf(field, reading.value, here) : entered;
  return withEnd(
    {
      ...form,
      entered: writtenOut.has(field.type) ? { ...form.entered, [name]: written } : form.entered,
      unreadable: form.unreadable.filter((one) => one !== name),
    },
    name,
    here,
  );
};

/**
 * After entering the start, the end is set to the same day if it is empty, since most appointments end on the day they
 * start. The time of day must still be entered, unless it is optional.
 */
const withEnd = (form: Form, left: string, here: Here): Form => {
  const { span, fields } = form;
  const end = fields.find(({ name }) => name === span?.to);
  const begun = form.entered[left];
  if (span?.type !== "datetime" || span.from !== left || typeof begun !== "string" || !end || end.optional) return form;
  const { date } = splitMoment(begun);
  const isBlank = sameEntered(form.entered[end.name] ?? null, enteredOf(end, null, here));
  return date === "" || !isBlank ? form : { ...form, entered: { ...form.entered, [end.name]: joinMoment(date, "") } };
};

export const changed = (form: Form, name: string): boolean =>
  !sameEntered(form.entered[name] ?? null, form.base[name] ?? null);

export const changedFields = (form: Form): readonly string[] => [
  ...form.fields.map((field) => field.name).filter((name) => changed(form, name)),
  ...form.lists.filter(partsChanged).map(({ parts }) => parts.field),
];

/** The body to send, or the form with its unreadable fields marked. */
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
  const lists = form.lists.map((list) => ({ list, read: readParts(list, here) }));
  if (bad.length > 0 || lists.some(({ read }) => read.kind === "form")) {
    const unread = lists.flatMap(({ list, read }) => (read.kind === "form" ? [list.parts] : []));
    const toMend = [
      ...bad.map(({ name, clause }): FormFieldError => ({ kind: "unreadable", field: name, clause })),
      ...unread.map(({ field, clause }): FormFieldError => ({ kind: "unreadable", field, clause })),
    ];
    return {
      kind: "form",
      form: {
        ...form,
        unreadable: bad.map(({ name }) => name),
        lists: lists.map(({ list, read }) => (read.kind === "form" ? read.form : list)),
        answered: { toMend, changedSince: [] },
      },
    };
  }
  const given = readings.flatMap(({ field, reading }): [string, Json][] =>
    // A value that was present initially and was cleared is meant to be empty.
    reading.kind === "value" && (form.purpose !== "make" || reading.value !== null || changed(form, field.name))
      ? [[field.name, reading.value]]
      : [],
  );
  const parts = lists.flatMap(({ list, read }): [string, Json][] =>
    read.kind === "body" && (partsChanged(list) || (form.purpose === "make" && read.body.length > 0))
      ? [[list.parts.field, read.body]]
      : [],
  );
  return { kind: "body", body: Object.fromEntries([...given, ...parts]) };
};

/** The field named by the first segment of a JSON pointer. */
const fieldAt = (pointer: string, { fields, lists }: Form): string | null => {
  const name = pointer.split("/")[1]?.replaceAll("~1", "/").replaceAll("~0", "~");
  const known = [...fields.map((field) => field.name), ...lists.map(({ parts }) => parts.field)];
  return known.find((one) => one === name) ?? null;
};

/** The rows concerned. */
const rowsOf = (pointer: string, { lists }: Form): { readonly rows?: readonly number[] } => {
  const rows = rowsAt(lists, pointer.split("/").slice(1));
  return rows.length === 0 ? {} : { rows };
};

export const refuseForm = (form: Form, problem: Problem): Form => {
  const parts = problem.errors ?? [];
  const toMend: readonly FormFieldError[] =
    parts.length > 0
      ? parts.map((part) => ({
          kind: "refused",
          field: fieldAt(part.at, form),
          ...rowsOf(part.at, form),
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
  return {
    ...form,
    lists: form.lists.map((list) => refuseParts(list, parts)),
    answered: { toMend, changedSince: [] },
  };
};

/** Somebody else saved the record: rebases the form on their version. */
export const rebaseOnServerVersion = (form: Form, record: RecordJson, here: Here): Form => {
  const theirs = valuesOf(form.fields, record, here);
  const { values, taken, clashes } = mergeValues(form.base, form.entered, theirs);
  const lists = form.lists.map((list) => mergeParts(list, record, here));
  return {
    ...form,
    lists: lists.map((one) => one.form),
    version: record.version,
    base: theirs,
    entered: values,
    answered: null,
    conflict: {
      clashes: [...clashes, ...lists.flatMap((one) => one.clashes)],
      taken: [...taken, ...lists.filter((one) => one.taken).map((one) => one.form.parts.field)],
    },
  };
};

/**
 * Fields and lists that somebody else has changed since the form was opened, according to a newer version; none if the
 * form is based on that version.
 */
export const changedElsewhere = (form: Form, record: RecordJson | null, here: Here): readonly string[] => {
  if (record === null || form.purpose !== "change" || form.version === null || record.version <= form.version)
    return [];
  const { conflict } = rebaseOnServerVersion(form, record, here);
  return conflict === null ? [] : [...new Set([...conflict.taken, ...conflict.clashes.map(({ field }) => field)])];
};

export const choose = (form: Form, clash: MergeConflict, side: "mine" | "theirs"): Form =>
  form.fields.some(({ name }) => name === clash.field)
    ? { ...form, entered: { ...form.entered, [clash.field]: clash[side] } }
    : { ...form, lists: form.lists.map((list) => chooseCell(list, clash, side)) };

export const settle = (form: Form): Form => ({ ...form, conflict: null });

/**
 * Errors at a field: from the response, if they may still hold; otherwise unreadable input or violated rules
 * (`broken`).
 */
export const errorsAt = (
  form: Form,
  name: string,
  broken: readonly FormFieldError[] = [],
): readonly FormFieldError[] => {
  const answered = form.answered?.changedSince.includes(name)
    ? []
    : (form.answered?.toMend.filter((one) => one.field === name) ?? []);
  const field = form.fields.find((one) => one.name === name);
  if (answered.length === 0 && field !== undefined && form.unreadable.includes(name))
    return [{ kind: "unreadable", field: name, clause: field.clause }];
  const now = broken.filter((one) => one.field === name && !answered.some(({ clause }) => clause === one.clause));
  return [...answered, ...now];
};
