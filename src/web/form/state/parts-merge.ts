import type { FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { PartsDraft } from "../../app/draft-store.ts";
import type { Here } from "../../format/locale-context.ts";
import { addRow, isChanged, type PartRow, type PartsForm, rowAt, savedRows } from "./parts-state.ts";
import { type MergeConflict, mergeValues } from "./three-way-merge.ts";

/* Merges an edited list of parts with a newer saved version, after somebody else's change or from a draft. */

/** The name of a cell in a conflict. */
const cellName = (form: PartsForm, row: PartRow, field: string): string => `${rowAt(form, row)}/${field}`;

export interface PartsMerge {
  readonly form: PartsForm;
  readonly clashes: readonly MergeConflict[];
  /** True if some of the other person's changes were taken over. */
  readonly taken: boolean;
}

/** The saved list with the local edits: rows touched by one side only are as that side has them. */
export const mergeParts = (form: PartsForm, record: RecordJson, here: Here): PartsMerge => {
  const theirs = savedRows(form, record, here);
  const before = new Set(form.saved);
  const clashes: MergeConflict[] = [];
  const merged = form.rows.flatMap((row): readonly PartRow[] => {
    const now = theirs.find(({ key }) => key === row.key);
    // A row deleted by others is dropped, unless it was edited here: then it is created anew.
    if (row.record !== null && now === undefined)
      return isChanged(row) ? [madeAnew(form, { ...row, key: `again-${row.key}` })] : [];
    if (now === undefined) return [row];
    const merge = mergeValues(row.base, row.entered, now.base);
    clashes.push(...merge.clashes.map((clash) => ({ ...clash, field: cellName(form, row, clash.field) })));
    const lists = now.lists.map((list) => {
      const mine = row.lists.find(({ parts }) => parts.field === list.parts.field);
      if (mine === undefined || now.record === null || now.record.may?.update.includes(list.parts.field) !== true)
        return list;
      const own = mergeParts(mine, now.record, here);
      clashes.push(...own.clashes);
      return own.form;
    });
    return [{ ...now, entered: merge.values, lists, unreadable: row.unreadable }];
  });
  const added = theirs.filter(({ key }) => !before.has(key));
  const saved = theirs.map(({ key }) => key);
  const same = saved.length === form.saved.length && saved.every((key, i) => key === form.saved[i]);
  // Writing a part increments the version of its parent.
  const touched = theirs.some(({ key, record: now }) => {
    const mine = form.rows.find((row) => row.key === key);
    return mine?.record != null && now !== null && mine.record.version !== now.version;
  });
  return { form: { ...form, rows: [...merged, ...added], saved }, clashes, taken: !same || touched };
};

/** A deleted part as a new one, with all its values and its own parts. */
const madeAnew = (form: PartsForm, row: PartRow): PartRow => ({
  ...row,
  record: null,
  removable: true,
  base: {},
  lists: listsAt(form, row).map((list) => ({
    ...list,
    saved: [],
    rows: list.rows.map((one) => madeAnew(list, one)),
  })),
});

/** The lists of a row under a different key. */
const listsAt = (form: PartsForm, row: PartRow): readonly PartsForm[] =>
  row.lists.map((list) => ({ ...list, at: `${rowAt(form, row)}/${list.parts.field}` }));

interface Cell {
  readonly list: PartsForm;
  readonly field: FieldJson;
  /** Row numbers from the outermost list inwards, from 1. */
  readonly rows: readonly number[];
}

/** The cell concerned by a conflict. */
export const cellOf = (form: PartsForm, clash: string): Cell | undefined => {
  for (const [i, row] of form.rows.entries()) {
    const field = form.columns.find(({ name }) => cellName(form, row, name) === clash);
    if (field !== undefined) return { list: form, field, rows: [i + 1] };
    for (const list of row.lists) {
      const found = cellOf(list, clash);
      if (found !== undefined) return { ...found, rows: [i + 1, ...found.rows] };
    }
  }
  return undefined;
};

/** Chooses one side of a conflict in a cell. */
export const chooseCell = (form: PartsForm, clash: MergeConflict, side: "mine" | "theirs"): PartsForm => {
  const chosen = (row: PartRow): PartRow => {
    const field = form.columns.find(({ name }) => cellName(form, row, name) === clash.field);
    return {
      ...row,
      entered: field === undefined ? row.entered : { ...row.entered, [field.name]: clash[side] },
      lists: row.lists.map((list) => chooseCell(list, clash, side)),
    };
  };
  return { ...form, rows: form.rows.map(chosen) };
};

// Drafts

export const draftOf = ({ rows, begun }: PartsForm): PartsDraft => ({
  begun,
  rows: rows.map(({ key, base, entered, record, lists }) => ({
    key,
    base,
    entered,
    isNew: record === null,
    ...(lists.length === 0 ? {} : { lists: draftsOf(lists) }),
  })),
});

export const draftsOf = (lists: readonly PartsForm[]): { readonly [field: string]: PartsDraft } =>
  Object.fromEntries(lists.map((list) => [list.parts.field, draftOf(list)]));

/** The saved list with the input of a draft. */
export const restoreParts = (fresh: PartsForm, draft: PartsDraft, here: Here): PartsForm => {
  const rows = draft.rows.flatMap((kept): readonly PartRow[] => {
    const { key, entered, base } = kept;
    const saved = fresh.rows.find((row) => row.key === key && row.record !== null);
    const below = (row: PartRow) => restoreLists(row.lists, kept.lists, here);
    if (saved !== undefined)
      return [{ ...saved, entered: mergeValues(base, entered, saved.base).values, lists: below(saved) }];
    const [begun] = kept.isNew ? addRow({ ...fresh, rows: [] }, here).rows : [];
    if (begun === undefined) return [];
    const row = { ...begun, key, entered: { ...begun.entered, ...entered } };
    return [{ ...row, lists: below({ ...row, lists: listsAt(fresh, row) }) }];
  });
  return { ...fresh, rows, begun: Math.max(fresh.begun, draft.begun) };
};

export const restoreLists = (
  lists: readonly PartsForm[],
  drafts: { readonly [field: string]: PartsDraft } | undefined,
  here: Here,
): readonly PartsForm[] =>
  lists.map((list) => {
    const kept = drafts?.[list.parts.field];
    return kept === undefined ? list : restoreParts(list, kept, here);
  });
