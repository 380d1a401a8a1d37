import type { Application } from "../../../core/wire/application.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { Problem } from "../../../core/wire/problems.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { PartsJson } from "../../../core/wire/screens.ts";
import type { EnteredValues } from "../../format/input-value.ts";
import { type Entered, enteredOf, readEntered, sameEntered } from "../../format/input-value.ts";
import type { Here } from "../../format/locale-context.ts";
import { givenBy, partsIn, valueIn } from "../../format/record-values.ts";
import type { ToMend } from "./field-error.ts";

/** One part in a form: a row of the table. */
export interface PartRow {
  /** Tells the rows of a list apart, while they have no id too. */
  readonly key: string;
  /** The part as it is saved; null for one that is yet to be made. */
  readonly record: RecordJson | null;
  /** The columns that may be given of it. */
  readonly open: readonly string[];
  readonly removable: boolean;
  readonly base: EnteredValues;
  readonly entered: EnteredValues;
  /** The lists of its own parts. */
  readonly lists: readonly PartsForm[];
  /** What cannot be read as its type, and was left. */
  readonly unreadable: readonly string[];
  readonly toMend: readonly ToMend[];
}

/** A list of parts in a form at one moment. Every step gives a new one. */
export interface PartsForm {
  readonly parts: PartsJson;
  readonly part: EntityJson;
  /** Where it stands in the form: `lines`, or below a row of that `lines/KEY/serials`. */
  readonly at: string;
  /** The columns, in their order, also those that are only shown. */
  readonly columns: readonly FieldJson[];
  /** The columns that a new part may be given; null where this person may make none. */
  readonly creates: readonly string[] | null;
  /** The lists that each of the parts bears, as they are when nothing is in them. */
  readonly below: readonly PartsForm[];
  /** The keys of the parts that are saved, in their order. */
  readonly saved: readonly string[];
  readonly rows: readonly PartRow[];
  /** What is to be put right about the list as a whole. */
  readonly toMend: readonly ToMend[];
  /** What was taken out last can be put back. */
  readonly taken: readonly { readonly row: PartRow; readonly at: number }[];
  /** Counts the rows that were begun, for their keys. */
  readonly begun: number;
}

const fieldOf = ({ columns }: PartsForm, name: string): FieldJson | undefined =>
  columns.find((field) => field.name === name);

/** Where a row stands in the form: no other row of it bears the same. */
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

/** The fields of the records that lists of parts hold, and of their own parts. */
export const fieldsOfParts = (
  lists: readonly PartsJson[],
  entities: { readonly [name: string]: EntityJson },
): readonly FieldJson[] =>
  lists.flatMap(({ entity, parts = [] }) => [...(entities[entity]?.fields ?? []), ...fieldsOfParts(parts, entities)]);

/**
 * The lists as the record bears them; `record` is null where one is made, and each list begins with an empty row. A list that
 * is too long is not in the record, and what is not there is not given.
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

/** The parts that a record bears, as rows of the list. */
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

/** A list that may be read and not given. */
const onlyShown = (list: PartsForm): PartsForm => ({
  ...list,
  parts: { ...list.parts, place: null },
  creates: null,
  rows: list.rows.map((row) => ({ ...row, open: [], removable: false, lists: row.lists.map(onlyShown) })),
});

/** A new row at the end, or below another, with what its fields begin with. */
export const addRow = (form: PartsForm, here: Here, at = form.rows.length): PartsForm => {
  if (form.creates === null) return form;
  const { creates, part } = form;
  const base = Object.fromEntries(
    form.columns.map((field) => [
      field.name,
      enteredOf(field, creates.includes(field.name) ? givenBy(field, here) : null, here),
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
  // An empty row is nothing that anybody would want back.
  const taken = isBlank(row) ? form.taken : [...form.taken, { row, at }];
  return { ...form, rows: form.rows.toSpliced(at, 1), taken };
};

export const putBack = (form: PartsForm): PartsForm => {
  const last = form.taken.at(-1);
  if (last === undefined) return form;
  const at = Math.min(last.at, form.rows.length);
  return { ...form, rows: form.rows.toSpliced(at, 0, last.row), taken: form.taken.slice(0, -1) };
};

/** A row takes the place of another. */
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

/** The lists with one of them changed: what was said of it as a whole is no longer known to hold. */
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

/** A row that was begun and in which nothing was entered: it is no part yet. */
export const isBlank = (row: PartRow): boolean => row.record === null && !isChanged(row);

const given = ({ rows }: PartsForm): readonly PartRow[] => rows.filter((row) => !isBlank(row));

export const partsChanged = (form: PartsForm): boolean => {
  const rows = given(form);
  return rows.length !== form.saved.length || rows.some((row, i) => row.key !== form.saved[i] || isChanged(row));
};

// What is sent, and what comes back

/** What to send, or the same list with what cannot be read. */
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

/** Of a part that is saved, what changed of it; of a new one, all that was given. */
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

/** The rows that a pointer into what was sent leads through, outermost first and each from 1: `lines/2/serials/0` gives 3 and 1. */
export const rowsAt = (lists: readonly PartsForm[], [name, index, ...rest]: readonly string[]): readonly number[] => {
  const list = lists.find(({ parts }) => parts.field === name);
  const row = list === undefined || index === undefined ? undefined : given(list)[Number(index)];
  return list === undefined || row === undefined ? [] : [list.rows.indexOf(row) + 1, ...rowsAt(row.lists, rest)];
};

type Errors = NonNullable<Problem["errors"]>;
/** Something wrong, and the way to it from where one stands. */
interface Wrong {
  readonly way: readonly string[];
  readonly error: Errors[number];
}

/** What was refused at a part goes to its row, and what is about its parts to theirs; what is about a list as a whole stands at the list. */
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

const toMend = (field: string | null, { clause, message, help }: Errors[number]): ToMend => ({
  kind: "refused",
  field,
  clause,
  message,
  help: help ?? null,
});
