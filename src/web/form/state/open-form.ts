import type { Application } from "../../../core/wire/application.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { PartsJson } from "../../../core/wire/screens.ts";
import { type EnteredValues, toEntered } from "../../format/input-value.ts";
import type { LocaleContext } from "../../format/locale-context.ts";
import { getParts, getValue, initialValue } from "../../format/record-values.ts";
import type { Form, FormKind, FormList, FormRow } from "./form-node.ts";

const untouched = { unreadable: [], left: [], errors: [], edited: [] };

export const openForm = (
  purpose: FormKind,
  fields: readonly FieldJson[],
  record: RecordJson | null,
  context: LocaleContext,
  lists: readonly FormList[] = [],
): Form => {
  const base =
    record === null
      ? initialValues(fields, purpose === "create" ? fields.map(({ name }) => name) : [], context)
      : { ...savedValues(fields, record, context), ...(purpose === "ask" ? valuesOfAct(fields, record, context) : {}) };
  const version = record?.version ?? null;
  return { ...untouched, key: "", record, purpose, fields, base, entered: base, lists, version, conflict: null };
};

/** The form with what was entered in another one of the record, for the fields that both have. */
export const takeOver = (form: Form, entered: EnteredValues): Form => ({
  ...form,
  entered: Object.fromEntries(
    Object.entries(form.entered).map(([name, value]) => [name, (name in entered ? entered[name] : value) ?? null]),
  ),
});

/** The defaults of values that a transition asks for and that no record has. */
const valuesOfAct = (fields: readonly FieldJson[], record: RecordJson, context: LocaleContext): EnteredValues =>
  Object.fromEntries(
    fields
      .filter((field) => field.default !== undefined && !(field.name in record))
      .map((field) => [field.name, toEntered(field, initialValue(field, context), context)]),
  );

export const savedValues = (fields: readonly FieldJson[], record: RecordJson, context: LocaleContext): EnteredValues =>
  Object.fromEntries(fields.map((field) => [field.name, toEntered(field, getValue(record, field.name), context)]));

const initialValues = (
  fields: readonly FieldJson[],
  withDefaults: readonly string[],
  context: LocaleContext,
): EnteredValues =>
  Object.fromEntries(
    fields.map((field) => [
      field.name,
      toEntered(field, withDefaults.includes(field.name) ? initialValue(field, context) : null, context),
    ]),
  );

const findFields = (fields: readonly FieldJson[], names: readonly string[]): readonly FieldJson[] =>
  names.flatMap((name) => fields.find((field) => field.name === name) ?? []);

const emptyList = (parts: PartsJson, entities: Application["entities"]): FormList | undefined => {
  const part = entities[parts.entity];
  if (part === undefined) return undefined;
  const columns = findFields(part.fields, parts.columns);
  return {
    parts,
    part,
    open: true,
    columns,
    creates: part.create?.filter((name) => columns.some((field) => field.name === name)) ?? null,
    below: (parts.parts ?? []).flatMap((own) => emptyList(own, entities) ?? []),
    saved: [],
    rows: [],
    removed: [],
    rowsAdded: 0,
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
  context: LocaleContext,
): readonly FormList[] =>
  lists.flatMap((parts): readonly FormList[] => {
    const empty = emptyList(parts, entities);
    if (empty === undefined || (record !== null && !(parts.field in record))) return [];
    return [record === null ? addRow(empty, context) : filledList(empty, record, context)];
  });

const filledList = (empty: FormList, record: RecordJson, context: LocaleContext): FormList => {
  const { entity, by } = empty.parts;
  const isShut = record.may?.addRefused?.[`${entity}.${by}`] !== undefined;
  const rows = savedRows(empty, record, context);
  return { ...empty, creates: isShut ? null : empty.creates, rows, saved: rows.map(({ key }) => key) };
};

/** The saved parts of a record as rows. */
export const savedRows = (list: FormList, record: RecordJson, context: LocaleContext): readonly FormRow[] =>
  getParts(record, list.parts.field).map((one) => savedRow(list, one, context));

const savedRow = ({ columns, below }: FormList, record: RecordJson, context: LocaleContext): FormRow => {
  const base = savedValues(columns, record, context);
  const may = record.may?.update ?? [];
  return {
    ...untouched,
    key: record.id,
    record,
    purpose: "update",
    fields: columns.filter(({ name }) => may.includes(name)),
    base,
    entered: base,
    lists: below.flatMap((empty): readonly FormList[] => {
      const { field } = empty.parts;
      if (!(field in record)) return [];
      const list = filledList(empty, record, context);
      return may.includes(field) ? [list] : list.rows.length > 0 ? [keepShown(list)] : [];
    }),
    removable: record.may?.delete === true,
  };
};

const keepShown = (list: FormList): FormList => ({
  ...list,
  parts: { ...list.parts, place: null },
  open: false,
  creates: null,
  rows: list.rows.map((row) => ({ ...row, fields: [], removable: false, lists: row.lists.map(keepShown) })),
});

const newRow = (
  { columns, part, below }: FormList,
  creates: readonly string[],
  key: string,
  context: LocaleContext,
): FormRow => {
  const base = initialValues(columns, creates, context);
  return {
    ...untouched,
    key,
    record: null,
    purpose: "create",
    fields: findFields(columns, creates),
    base,
    entered: base,
    lists: below.filter((list) => list.creates !== null && part.create?.includes(list.parts.field) === true),
    removable: true,
  };
};

/** Adds a row at the end or at a position, with its initial values. */
export const addRow = (list: FormList, context: LocaleContext, at = list.rows.length): FormList => {
  if (list.creates === null) return list;
  const row = newRow(list, list.creates, `new-${list.rowsAdded}`, context);
  return { ...list, rowsAdded: list.rowsAdded + 1, rows: list.rows.toSpliced(at, 0, row) };
};
