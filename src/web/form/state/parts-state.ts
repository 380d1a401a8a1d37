import type { Application } from "../../../core/wire/application.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { Problem } from "../../../core/wire/problems.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { PartsJson } from "../../../core/wire/screens.ts";
import type { EnteredValues } from "../../format/input-value.ts";
import { type Entered, enteredOf, readEntered, sameEntered } from "../../format/input-value.ts";
import type { Here } from "../../format/locale-context.ts";
import { initialValue, partsIn, valueIn } from "../../format/record-values.ts";
import type { FormFieldError } from "./field-error.ts";

/** A part in a form: a row of the table. */
export interface PartRow {
  /** Identifies the row within its list, even without an id. */
  readonly key: string;
  /** The saved part; null for a new one. */
  readonly record: RecordJson | null;
  /** The editable columns. */
  readonly open: readonly string[];
  readonly removable: boolean;
  readonly base: EnteredValues;
  readonly entered: EnteredValues;
  /** The lists of its own parts. */
  readonly lists: readonly PartsForm[];
  /** Columns with unreadable input that have been left. */
  readonly unreadable: readonly string[];
  readonly toMend: readonly FormFieldError[];
}

/** The immutable state of a list of parts in a form. */
export interface PartsForm {
  readonly parts: PartsJson;
  readonly part: EntityJson;
  /** Its path in the form: `lines`, or `lines/KEY/serials` below a row. */
  readonly at: string;
  /** All columns in order, including read-only ones. */
  readonly columns: readonly FieldJson[];
  /** The editable columns of a new part; null if this person may not add any. */
  readonly creates: readonly string[] | null;
  /** The lists of each part, in their empty state. */
  readonly below: readonly PartsForm[];
  /** Keys of the saved parts, in order. */
  readonly saved: readonly string[];
  readonly rows: readonly PartRow[];
  /** Errors of the list as a whole. */
  readonly toMend: readonly FormFieldError[];
  /** Removed rows, which can be restored. */
  readonly taken: readonly { readonly row: PartRow; readonly at: number }[];
  /** Number of rows added so far, for their keys. */
  readonly begun: number;
}

const fieldOf = ({ columns }: PartsForm, name: string): FieldJson | undefined =>
  columns.find((field) => field.name === name);

/** The unique path of a row in the form. */
export const rowAt = ({ at }: PartsForm, { key }: PartRow): string => `${at}/${key}`;

const emptyList = (parts: PartsJson, entities: Application["entities"]): PartsForm | undefined => {
  const part = entities[parts.entity];
  if (part === undefined) return undefined;
  const columns = parts.columns.flatMap((name) => part.fields.find((field) => field.name === name) ?? []);
  return {
    parts,
    part,
    at: parts.field,
    columns,
    creates: part.create?.filter((name) => columns.some((field) => field.name === name)) ?? null,
    below: (parts.parts ?? []).flatMap((own) => emptyList(own, entities) ?? []),
    saved: [],
    rows: [],
    toMend: [],
    taken: [],
    begun: 0,
  };
};

/** The fields of parts and of their own parts. */
export const fieldsOfParts = (
  lists: readonly PartsJson[],
  entities: { readonly [name: string]: EntityJson },
): readonly FieldJson[] =>
  lists.flatMap(({ entity, parts = [] }) => [...(entities[entity]?.fields ?? []), ...fieldsOfParts(parts, entities)]);

/**
 * The lists of a record; for a new one, `record` is null and each list starts with an empty row. A list that is too
 * long is not part of the record and is not sent.
 */
export const openLists = (
  lists: readonly PartsJson[],
  entities: Application["entities"],
  record: RecordJson | null,
  here: Here,
): readonly PartsForm[] =>
  lists.flatMap((parts): readonly PartsForm[] => {
    const empty = emptyList(parts, entities);
    if (empty === undefined || (record !== null && !(parts.field in record))) return [];
    if (record !== null) return [filled(empty, record, here)];
    return [empty.creates === null ? empty : addRow(empty, here)];
  });

const filled = (empty: PartsForm, record: RecordJson, here: Here): PartsForm => {
  const rows = savedRows(empty, record, here);
  const { entity, by } = empty.parts;
  const isShut = record.may?.addRefused?.[`${entity}.${by}`] !== undefined;
  return { ...empty, creates: isShut ? null : empty.creates, rows, saved: rows.map(({ key }) => key) };
};

/** The saved parts of a record as rows. */
export const savedRows = (form: PartsForm, record: RecordJson, here: Here): readonly PartRow[] =>
  partsIn(record, form.parts.field).map((one) => rowOf(form, one, here));

const rowOf = (form: PartsForm, record: RecordJson, here: Here): PartRow => {
  const base = Object.fromEntries(
    form.columns.map((field) => [field.name, enteredOf(field, valueIn(record, field.name), here)]),
  );
  const may = record.may?.update ?? [];
  const row = { key: record.id, record };
  return {
    ...row,
    open: form.columns.map(({ name }) => name).filter((name) => may.includes(name)),
    removable: record.may?.delete === true,
    base,
    entered: base,
    lists: form.below.flatMap((empty): readonly PartsForm[] => {
      const { field } = empty.parts;
      if (!(field in record)) return [];
      const list = filled({ ...empty, at: `${form.at}/${row.key}/${field}` }, record, here);
      return may.includes(field) ? [list] : list.rows.length > 0 ? [onlyShown(list)] : [];
    }),
    unreadable: [],
    toMend: [],
  };
};

/** A read-only list. */
const onlyShown = (list: PartsForm): PartsForm => ({
  ...list,
  parts: { ...list.parts, place: null },
  creates: null,
  rows: list.rows.map((row) => ({ ...row, open: [], removable: false, lists: row.lists.map(onlyShown) })),
});

/** Adds a row at the end or at a position, with its initial values. */
export const addRow = (form: PartsForm, here: Here, at = form.rows.length): PartsForm => {
  if (form.creates === null) return form;
  const { creates, part } = form;
  const base = Object.fromEntries(
    form.columns.map((field) => [
      field.name,
      enteredOf(field, creates.includes(field.name) ? initialValue(field, here) : null, here),
    ]),
  );
  const key = `new-${form.begun}`;
  const row: PartRow = {
    key,
    record: null,
    open: creates,
    removable: true,
    base,
    entered: base,
    lists: form.below
      .filter(({ parts, creates: made }) => made !== null && part.create?.includes(parts.field) === true)
      .map((empty) => ({ ...empty, at: `${form.at}/${key}/${empty.parts.field}` })),
    unreadable: [],
    toMend: [],
  };
  return { ...form, begun: form.begun + 1, rows: form.rows.toSpliced(at, 0, row) };
};

export const takeRow = (form: PartsForm, key: string): PartsForm => {
  const at = form.rows.findIndex((row) => row.key === key);
  const row = form.rows[at];
  if (row === undefined || !row.removable) return form;
  // Nobody wants an empty row back.
  const taken = isEmptyRow(row) ? form.taken : [...form.taken, { row, at }];
  return { ...form, rows: form.rows.toSpliced(at, 1), taken };
};

export const putBack = (form: PartsForm): PartsForm => {
  const last = form.taken.at(-1);
  if (last === undefined) return form;
  const at = Math.min(last.at, form.rows.length);
  return { ...form, rows: form.rows.toSpliced(at, 0, last.row), taken: form.taken.slice(0, -1) };
};

/** Moves a row to the position of another. */
export const moveRow = (form: PartsForm, key: string, to: number): PartsForm => {
  const from = form.rows.findIndex((row) => row.key === key);
  const row = form.rows[from];
  if (row === undefined || to < 0 || to >= form.rows.length || to === from) return form;
  return { ...form, rows: form.rows.toSpliced(from, 1).toSpliced(to, 0, row) };
};

export const mapRow = (form: PartsForm, key: string, change: (row: PartRow) => PartRow): PartsForm => ({
  ...form,
  rows: form.rows.map((row) => (row.key === key ? change(row) : row)),
});

/** Changes one list; errors of the list as a whole may no longer hold. */
export const changeList = (
  lists: readonly PartsForm[],
  field: string,
  change: (list: PartsForm) => PartsForm,
): readonly PartsForm[] => lists.map((list) => (list.parts.field === field ? { ...change(list), toMend: [] } : list));

const isUnreadable = (field: FieldJson, entered: Entered, here: Here): boolean =>
  readEntered(field, entered, here).kind === "unreadable";

export const enterCell = (form: PartsForm, key: string, name: string, entered: Entered, here: Here): PartsForm =>
  mapRow(form, key, (row) => {
    const field = fieldOf(form, name);
    const still = field !== undefined && row.unreadable.includes(name) && isUnreadable(field, entered, here);
    return {
      ...row,
      entered: { ...row.entered, [name]: entered },
      unreadable: still ? row.unreadable : row.unreadable.filter((one) => one !== name),
      toMend: row.toMend.filter((one) => one.field !== name),
    };
  });

const writtenOut: ReadonlySet<FieldJson["type"]> = new Set(["date", "datetime", "time", "duration"]);

export const leaveCell = (form: PartsForm, key: string, name: string, here: Here): PartsForm =>
  mapRow(form, key, (row) => {
    const field = fieldOf(form, name);
    if (field === undefined) return row;
    const entered = row.entered[name] ?? null;
    const reading = readEntered(field, entered, here);
    if (reading.kind === "unreadable") return { ...row, unreadable: [...new Set([...row.unreadable, name])] };
    if (!writtenOut.has(field.type) || typeof entered !== "string" || entered === "") return row;
    return { ...row, entered: { ...row.entered, [name]: enteredOf(field, reading.value, here) } };
  });

export const cellChanged = (row: PartRow, name: string): boolean =>
  !sameEntered(row.entered[name] ?? null, row.base[name] ?? null);

export const isChanged = (row: PartRow): boolean =>
  row.open.some((name) => cellChanged(row, name)) || row.lists.some(partsChanged);

/** A new row without input; it is not sent. */
export const isEmptyRow = (row: PartRow): boolean => row.record === null && !isChanged(row);

const given = ({ rows }: PartsForm): readonly PartRow[] => rows.filter((row) => !isEmptyRow(row));

export const partsChanged = (form: PartsForm): boolean => {
  const rows = given(form);
  return rows.length !== form.saved.length || rows.some((row, i) => row.key !== form.saved[i] || isChanged(row));
};

// Body and response

/** The body to send, or the list with its unreadable cells marked. */
export const readParts = (
  form: PartsForm,
  here: Here,
): { readonly kind: "body"; readonly body: readonly Json[] } | { readonly kind: "form"; readonly form: PartsForm } => {
  let bad = false;
  const rows = form.rows.map((row): PartRow => {
    const unreadable = row.open.filter((name) => {
      const field = fieldOf(form, name);
      return field !== undefined && isUnreadable(field, row.entered[name] ?? null, here);
    });
    const lists = row.lists.map((list) => {
      const read = readParts(list, here);
      if (read.kind === "form") bad = true;
      return read.kind === "form" ? read.form : list;
    });
    if (unreadable.length > 0) bad = true;
    return { ...row, unreadable, lists };
  });
  return bad
    ? { kind: "form", form: { ...form, rows } }
    : { kind: "body", body: given(form).map((row) => bodyOf(form, row, here)) };
};

/** For a saved part, only changed fields; for a new one, everything entered. */
const bodyOf = (form: PartsForm, row: PartRow, here: Here): Json => {
  const values = row.open.flatMap((name): [string, Json][] => {
    const field = fieldOf(form, name);
    if (field === undefined || (row.record !== null && !cellChanged(row, name))) return [];
    const reading = readEntered(field, row.entered[name] ?? null, here);
    const isGiven = reading.kind === "value" && (reading.value !== null || cellChanged(row, name));
    return reading.kind === "value" && isGiven ? [[name, reading.value]] : [];
  });
  const lists = row.lists.flatMap((list): [string, Json][] => {
    const read = partsChanged(list) ? readParts(list, here) : null;
    return read?.kind === "body" ? [[list.parts.field, read.body]] : [];
  });
  return { ...(row.record === null ? {} : { id: row.record.id }), ...Object.fromEntries([...values, ...lists]) };
};

/** The row numbers in a JSON pointer, outermost first and from 1: `lines/2/serials/0` gives 3 and 1. */
export const rowsAt = (lists: readonly PartsForm[], [name, index, ...rest]: readonly string[]): readonly number[] => {
  const list = lists.find(({ parts }) => parts.field === name);
  const row = list === undefined || index === undefined ? undefined : given(list)[Number(index)];
  return list === undefined || row === undefined ? [] : [list.rows.indexOf(row) + 1, ...rowsAt(row.lists, rest)];
};

type Errors = NonNullable<Problem["errors"]>;
/** An error, with the rest of its path. */
interface Wrong {
  readonly way: readonly string[];
  readonly error: Errors[number];
}

/** Assigns errors of parts to their rows, recursively; errors of a list as a whole stay with the list. */
export const refuseParts = (form: PartsForm, errors: Errors): PartsForm =>
  refuseList(
    form,
    errors.map((error) => ({ way: error.at.split("/").slice(1), error })),
  );

const refuseList = (form: PartsForm, wrong: readonly Wrong[]): PartsForm => {
  const sent = given(form);
  const own = wrong.filter(({ way }) => way[0] === form.parts.field);
  const rowOfWay = ({ way }: Wrong) => (way[1] === undefined ? undefined : sent[Number(way[1])]);
  return {
    ...form,
    toMend: own.filter((one) => rowOfWay(one) === undefined).map(({ error }) => toMend(form.parts.field, error)),
    rows: form.rows.map((row) =>
      refuseRow(
        form,
        row,
        own.filter((one) => rowOfWay(one) === row).map(({ way, error }) => ({ way: way.slice(2), error })),
      ),
    ),
  };
};

const refuseRow = (form: PartsForm, row: PartRow, wrong: readonly Wrong[]): PartRow => {
  const isBelow = ({ way: [name] }: Wrong) => row.lists.some(({ parts }) => parts.field === name);
  return {
    ...row,
    lists: row.lists.map((list) => refuseList(list, wrong)),
    toMend: wrong
      .filter((one) => !isBelow(one))
      .map(({ way: [name], error }) =>
        toMend(name !== undefined && fieldOf(form, name) !== undefined ? name : null, error),
      ),
  };
};

const toMend = (field: string | null, { clause, message, help }: Errors[number]): FormFieldError => ({
  kind: "refused",
  field,
  clause,
  message,
  help: help ?? null,
});
