import type { FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { LocaleContext } from "../../format/locale-context.ts";
import { type Form, type FormList, type FormNode, type FormRow, findList, isChanged, joinPath } from "./form-node.ts";
import { savedRows, savedValues } from "./open-form.ts";
import { withErrors } from "./send-form.ts";
import { type MergeConflict, mergeValues } from "./three-way-merge.ts";

/* Merges an edited form with a newer saved version, after somebody else's change or from a draft. */

interface MergeResult<T> {
  readonly merged: T;
  readonly clashes: readonly MergeConflict[];
}

/** Their version of a record with the local edits. `taken`: fields and lists with changes of theirs. */
const mergeNode = <N extends FormNode>(
  mine: FormNode,
  theirs: N,
  path: string,
): MergeResult<N> & { readonly taken: readonly string[] } => {
  const { values, taken, clashes } = mergeValues(mine.base, mine.entered, theirs.base);
  const lists = theirs.lists.map((list) => {
    const own = findList(mine, list.parts.field);
    return own !== undefined && list.open
      ? mergeList(own, list.rows, joinPath(path, list.parts.field))
      : { merged: list, clashes: [], taken: false };
  });
  return {
    merged: {
      ...theirs,
      entered: values,
      unreadable: mine.unreadable,
      left: mine.left,
      lists: lists.map(({ merged }) => merged),
    },
    clashes: [
      ...clashes.map((clash) => ({ ...clash, field: joinPath(path, clash.field) })),
      ...lists.flatMap((list) => list.clashes),
    ],
    taken: [...taken, ...lists.filter((list) => list.taken).map(({ merged }) => merged.parts.field)],
  };
};

/** Rows touched by one side only are as that side has them. */
const mergeList = (
  mine: FormList,
  theirs: readonly FormRow[],
  path: string,
): MergeResult<FormList> & { readonly taken: boolean } => {
  const rows = mine.rows.flatMap((row): readonly MergeResult<FormRow>[] => {
    const now = theirs.find(({ key }) => key === row.key);
    if (now !== undefined) return [mergeNode(row, now, joinPath(path, row.key))];
    if (row.record === null) return [{ merged: row, clashes: [] }];
    // A row deleted by others is dropped, unless it was edited here: then it is created again.
    return isChanged(row) ? [{ merged: { ...recreateRow(row), key: `again-${row.key}` }, clashes: [] }] : [];
  });
  const saved = theirs.map(({ key }) => key);
  const added = theirs.filter(({ key }) => !mine.saved.includes(key));
  const same = saved.length === mine.saved.length && saved.every((key, i) => key === mine.saved[i]);
  // Writing a part increments the version of its parent.
  const touched = theirs.some(({ key, record }) => {
    const own = mine.rows.find((row) => row.key === key)?.record ?? null;
    return own !== null && record !== null && own.version !== record.version;
  });
  return {
    merged: { ...mine, rows: [...rows.map(({ merged }) => merged), ...added], saved },
    clashes: rows.flatMap((row) => row.clashes),
    taken: !same || touched,
  };
};

/** A deleted part as a new one, with all its values and its own parts. */
const recreateRow = (row: FormRow): FormRow => ({
  ...row,
  record: null,
  purpose: "create",
  removable: true,
  base: {},
  lists: row.lists.map((list) => ({ ...list, saved: [], rows: list.rows.map(recreateRow) })),
});

/** Somebody else saved the record: rebases the form on their version. */
export const rebaseOnServerVersion = (form: Form, record: RecordJson, context: LocaleContext): Form => {
  const theirs: Form = {
    ...withErrors(form, []),
    record,
    version: record.version,
    base: savedValues(form.fields, record, context),
    lists: form.lists.map((list) => ({ ...list, rows: savedRows(list, record, context) })),
  };
  const { merged, clashes, taken } = mergeNode(form, theirs, "");
  return { ...merged, conflict: { clashes, taken } };
};

/**
 * Fields and lists that somebody else has changed since the form was opened, according to a newer version; none if the
 * form is based on that version.
 */
export const changedElsewhere = (form: Form, record: RecordJson | null, context: LocaleContext): readonly string[] => {
  if (record === null || form.purpose !== "update" || form.version === null || record.version <= form.version)
    return [];
  const { conflict } = rebaseOnServerVersion(form, record, context);
  return conflict === null ? [] : [...new Set([...conflict.taken, ...conflict.clashes.map(({ field }) => field)])];
};

/** Chooses one side of a conflict. */
export const chooseSide = (form: Form, clash: MergeConflict, side: "mine" | "theirs"): Form =>
  chooseAt(form, clash.field.split("/"), clash[side]);

const chooseAt = <N extends FormNode>(
  node: N,
  [name = "", key, ...rest]: readonly string[],
  chosen: MergeConflict["mine"],
): N =>
  key === undefined
    ? { ...node, entered: { ...node.entered, [name]: chosen } }
    : {
        ...node,
        lists: node.lists.map((list) =>
          list.parts.field === name
            ? { ...list, rows: list.rows.map((row) => (row.key === key ? chooseAt(row, rest, chosen) : row)) }
            : list,
        ),
      };

export const clearConflict = (form: Form): Form => ({ ...form, conflict: null });

interface FieldInForm {
  readonly field: FieldJson;
  /** The list with the field's row; null for a field of the form's own record. */
  readonly list: FormList | null;
  /** Row numbers from the outermost list inwards, from 1. */
  readonly rows: readonly number[];
}

/** The field concerned by a conflict. */
export const findField = (form: Form, path: string): FieldInForm | undefined =>
  findFieldAt(form, form.fields, path.split("/"));

const findFieldAt = (
  node: FormNode,
  fields: readonly FieldJson[],
  [name, key, ...rest]: readonly string[],
  list: FormList | null = null,
): FieldInForm | undefined => {
  if (key === undefined) {
    const field = fields.find((one) => one.name === name);
    return field && { field, list, rows: [] };
  }
  const own = findList(node, name);
  const at = own?.rows.findIndex((row) => row.key === key) ?? -1;
  const row = own?.rows[at];
  const found = own && row && findFieldAt(row, own.columns, rest, own);
  return found && { ...found, rows: [at + 1, ...found.rows] };
};
