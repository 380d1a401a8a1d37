import type { EntityJson, FieldJson, Json, PartsJson, Problem, RecordJson } from "../../core/wire.ts";
import { type Entered, enteredOf, readEntered, sameEntered } from "./entered.ts";
import type { Here } from "./here.ts";
import { type Clash, mergeValues, type Values } from "./merge.ts";
import type { ToMend } from "./to-mend.ts";
import { givenBy, valueIn } from "./values.ts";

/** One part in a form: a row of the table. */
export interface PartRow {
  /** Tells rows apart while they have no id. */
  readonly key: string;
  /** The part as it is saved; null for one that is yet to be made. */
  readonly record: RecordJson | null;
  /** The columns that may be given of it. */
  readonly open: readonly string[];
  readonly removable: boolean;
  readonly base: Values;
  readonly entered: Values;
  /** What cannot be read as its type, and was left. */
  readonly unreadable: readonly string[];
  readonly toMend: readonly ToMend[];
}

/** A list of parts in a form at one moment. Every step gives a new one. */
export interface PartsForm {
  readonly parts: PartsJson;
  /** The columns, in their order, also those that are only shown. */
  readonly columns: readonly FieldJson[];
  /** The columns that a new part may be given; null where this person may make none. */
  readonly creates: readonly string[] | null;
  /** The keys of the parts that are saved, in their order. */
  readonly saved: readonly string[];
  readonly rows: readonly PartRow[];
  /** What was taken out last can be put back. */
  readonly taken: readonly { readonly row: PartRow; readonly at: number }[];
  /** Counts the rows that were begun, for their keys. */
  readonly begun: number;
}

const fieldOf = ({ columns }: PartsForm, name: string): FieldJson | undefined =>
  columns.find((field) => field.name === name);

/** The list as the record bears it; `record` is null where one is made, which begins with an empty row. */
export const openParts = (parts: PartsJson, part: EntityJson, record: RecordJson | null, here: Here): PartsForm => {
  const columns = parts.columns.flatMap((name) => part.fields.find((field) => field.name === name) ?? []);
  const empty: PartsForm = {
    parts,
    columns,
    creates: part.create?.filter((name) => columns.some((field) => field.name === name)) ?? null,
    saved: [],
    rows: [],
    taken: [],
    begun: 0,
  };
  if (record === null) return empty.creates === null ? empty : addRow(empty, here);
  const rows = recordsOf(parts, record).map((one) => rowOf(empty, one, here));
  return { ...empty, rows, saved: rows.map(({ key }) => key) };
};

const recordsOf = ({ field }: PartsJson, record: RecordJson): readonly RecordJson[] =>
  Array.isArray(record[field]) ? (record[field] as unknown as readonly RecordJson[]) : [];

const valuesOf = ({ columns }: PartsForm, record: RecordJson, here: Here): Values =>
  Object.fromEntries(columns.map((field) => [field.name, enteredOf(field, valueIn(record, field.name), here)]));

const rowOf = (form: PartsForm, record: RecordJson, here: Here): PartRow => {
  const base = valuesOf(form, record, here);
  return {
    key: record.id,
    record,
    open: form.columns.map(({ name }) => name).filter((name) => record.may?.update.includes(name) === true),
    removable: record.may?.delete === true,
    base,
    entered: base,
    unreadable: [],
    toMend: [],
  };
};

/** A new row at the end, or below another, with what its fields begin with. */
export const addRow = (form: PartsForm, here: Here, at = form.rows.length): PartsForm => {
  if (form.creates === null) return form;
  const base = Object.fromEntries(
    form.columns.map((field) => [
      field.name,
      enteredOf(field, form.creates?.includes(field.name) === true ? givenBy(field, here) : null, here),
    ]),
  );
  const row: PartRow = {
    key: `new-${form.begun}`,
    record: null,
    open: form.creates,
    removable: true,
    base,
    entered: base,
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

const mapRow = (form: PartsForm, key: string, change: (row: PartRow) => PartRow): PartsForm => ({
  ...form,
  rows: form.rows.map((row) => (row.key === key ? change(row) : row)),
});

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

const isChanged = (row: PartRow): boolean => row.open.some((name) => cellChanged(row, name));

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
    if (unreadable.length > 0) bad = true;
    return { ...row, unreadable };
  });
  if (bad) return { kind: "form", form: { ...form, rows } };
  const body = given(form).map((row): Json => {
    const values = row.open.flatMap((name): [string, Json][] => {
      const field = fieldOf(form, name);
      if (field === undefined || (row.record !== null && !cellChanged(row, name))) return [];
      const reading = readEntered(field, row.entered[name] ?? null, here);
      const isGiven = reading.kind === "value" && (reading.value !== null || cellChanged(row, name));
      return reading.kind === "value" && isGiven ? [[name, reading.value]] : [];
    });
    return { ...(row.record === null ? {} : { id: row.record.id }), ...Object.fromEntries(values) };
  });
  return { kind: "body", body };
};

/** Which row is the one that was sent in a place, from 1. */
export const rowAt = (form: PartsForm, sent: number): number | undefined => {
  const row = given(form)[sent];
  return row === undefined ? undefined : form.rows.indexOf(row) + 1;
};

/** What was refused at a part goes to its row; what is about the list as a whole is left to the form. */
export const refuseParts = (form: PartsForm, errors: NonNullable<Problem["errors"]>): PartsForm => {
  const sent = given(form);
  const found = new Map<string, ToMend[]>();
  for (const { at, clause, message, help } of errors) {
    const [, list, index, name] = at.split("/");
    const row = list === form.parts.field && index !== undefined ? sent[Number(index)] : undefined;
    if (row === undefined) continue;
    const field = name !== undefined && fieldOf(form, name) !== undefined ? name : null;
    found.set(row.key, [
      ...(found.get(row.key) ?? []),
      { kind: "refused", field, clause, message, help: help ?? null },
    ]);
  }
  return { ...form, rows: form.rows.map((row) => ({ ...row, toMend: found.get(row.key) ?? [] })) };
};

// Somebody else saved meanwhile

/** The name of a cell among the fields of a form, for a clash. */
const cellName = (form: PartsForm, key: string, field: string): string => `${form.parts.field}/${key}/${field}`;

export interface PartsMerge {
  readonly form: PartsForm;
  readonly clashes: readonly Clash[];
  /** Whether the others changed something that is simply taken over. */
  readonly taken: boolean;
}

/** The list as it is saved now, with what was entered here: rows that only one side touched are as that side has them. */
export const mergeParts = (form: PartsForm, record: RecordJson, here: Here): PartsMerge => {
  const theirs = recordsOf(form.parts, record).map((one) => rowOf(form, one, here));
  const before = new Set(form.saved);
  const clashes: Clash[] = [];
  const merged = form.rows.flatMap((row): readonly PartRow[] => {
    const now = theirs.find(({ key }) => key === row.key);
    // What they took out is gone, unless it was changed here: then it is made anew.
    if (row.record !== null && now === undefined)
      return isChanged(row) ? [{ ...row, key: `again-${row.key}`, record: null, removable: true }] : [];
    if (now === undefined) return [row];
    const merge = mergeValues(row.base, row.entered, now.base);
    clashes.push(...merge.clashes.map((clash) => ({ ...clash, field: cellName(form, row.key, clash.field) })));
    return [{ ...now, entered: merge.values, unreadable: row.unreadable }];
  });
  const added = theirs.filter(({ key }) => !before.has(key));
  const saved = theirs.map(({ key }) => key);
  const same = saved.length === form.saved.length && saved.every((key, i) => key === form.saved[i]);
  const touched = theirs.some(({ key, record: now }) => {
    const mine = form.rows.find((row) => row.key === key);
    return mine?.record != null && now !== null && mine.record.version !== now.version;
  });
  return { form: { ...form, rows: [...merged, ...added], saved }, clashes, taken: !same || touched };
};

/** One side of a clash in a cell. */
export const chooseCell = (form: PartsForm, { field, mine, theirs }: Clash, side: "mine" | "theirs"): PartsForm => {
  const [list, key, name = ""] = field.split("/");
  if (list !== form.parts.field || key === undefined) return form;
  return mapRow(form, key, (row) => ({
    ...row,
    entered: { ...row.entered, [name]: side === "mine" ? mine : theirs },
  }));
};

/** The field of a clash in a cell, and the place of its row from 1. */
export const cellOf = (
  form: PartsForm,
  clash: string,
): { readonly field: FieldJson; readonly row: number } | undefined => {
  const [list, key, name = ""] = clash.split("/");
  const field = fieldOf(form, name);
  const row = form.rows.findIndex((one) => one.key === key);
  return list !== form.parts.field || field === undefined || row < 0 ? undefined : { field, row: row + 1 };
};

// A draft

/** What a browser keeps of a list. */
export interface PartsDraft {
  readonly begun: number;
  readonly rows: readonly (Pick<PartRow, "key" | "base" | "entered"> & { readonly isNew: boolean })[];
}

export const draftOf = ({ rows, begun }: PartsForm): PartsDraft => ({
  begun,
  rows: rows.map(({ key, base, entered, record }) => ({ key, base, entered, isNew: record === null })),
});

/** The list with what was entered before, over what is saved now. */
export const restoreParts = (fresh: PartsForm, draft: PartsDraft, here: Here): PartsForm => {
  const rows = draft.rows.flatMap(({ key, entered, base, isNew }): readonly PartRow[] => {
    const saved = fresh.rows.find((row) => row.key === key && row.record !== null);
    if (saved !== undefined) return [{ ...saved, entered: mergeValues(base, entered, saved.base).values }];
    const [row] = isNew ? addRow({ ...fresh, rows: [] }, here).rows : [];
    return row === undefined ? [] : [{ ...row, key, entered: { ...row.entered, ...entered } }];
  });
  return { ...fresh, rows, begun: Math.max(fresh.begun, draft.begun) };
};

// From a spreadsheet

/** Cells as a spreadsheet copies them: rows by lines, columns by tabs, quoted where one holds a line break or a quote. */
export const cellsIn = (text: string): readonly (readonly string[])[] => {
  const rows: string[][] = [[]];
  let cell = "";
  let quoted = false;
  const end = () => {
    rows.at(-1)?.push(cell);
    cell = "";
  };
  for (let i = 0; i < text.length; i++) {
    const one = text[i] ?? "";
    if (quoted) {
      if (one === '"' && text[i + 1] === '"') {
        cell += '"';
        i++;
      } else if (one === '"') quoted = false;
      else cell += one;
    } else if (one === '"' && cell === "") quoted = true;
    else if (one === "\t") end();
    else if (one === "\n") {
      end();
      rows.push([]);
    } else if (one !== "\r") cell += one;
  }
  end();
  return rows.filter((row) => row.some((one) => one !== ""));
};

/** A cell's text as its control would have it; undefined where it cannot be typed there. */
const pasted = (field: FieldJson, text: string): string | undefined => {
  const said = text.trim();
  if (field.type === "reference" || field.type === "file" || field.type === "image") return undefined;
  if (field.values) {
    const same = (word: string) => word.toLowerCase() === said.toLowerCase();
    return field.values.find(({ value, label }) => same(value) || same(label))?.value;
  }
  if (field.type === "boolean") return /^(?:true|yes|ja|wahr|1|x)$/iu.test(said) ? "true" : said === "" ? "" : "false";
  if (field.type === "money") return said.replace(/[^\d.,’'+−-]/gu, "");
  return said;
};

/** Fills cells from one on, to the right and downwards; rows that are missing are begun. Columns that are only shown are passed over with theirs. */
export const pasteCells = (
  form: PartsForm,
  key: string,
  name: string,
  cells: readonly (readonly string[])[],
  here: Here,
): PartsForm => {
  const top = form.rows.findIndex((row) => row.key === key);
  const left = form.columns.findIndex((field) => field.name === name);
  let next = form;
  cells.forEach((texts, down) => {
    if (next.rows.length <= top + down) next = addRow(next, here);
    const row = next.rows[top + down];
    if (row === undefined) return;
    texts.forEach((text, across) => {
      const field = next.columns[left + across];
      const entered = field === undefined || !row.open.includes(field.name) ? undefined : pasted(field, text);
      if (field === undefined || entered === undefined) return;
      next = leaveCell(enterCell(next, row.key, field.name, entered, here), row.key, field.name, here);
    });
  });
  return next;
};
