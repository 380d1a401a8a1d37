import type { FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { PartsDraft } from "../../app/draft-store.ts";
import type { Here } from "../../format/locale-context.ts";
import { addRow, isChanged, type PartRow, type PartsForm, rowAt, savedRows } from "./parts-state.ts";
import { type Clash, mergeValues } from "./three-way-merge.ts";

/*
 * A list of parts over what is saved now, while that is not what it began from: somebody else saved meanwhile, or it was
 * kept as a draft.
 */

/** The name of a cell among the fields of a form, for a clash. */
const cellName = (form: PartsForm, row: PartRow, field: string): string => `${rowAt(form, row)}/${field}`;

export interface PartsMerge {
  readonly form: PartsForm;
  readonly clashes: readonly Clash[];
  /** Whether the others changed something that is simply taken over. */
  readonly taken: boolean;
}

/** The list as it is saved now, with what was entered here: rows that only one side touched are as that side has them. */
export const mergeParts = (form: PartsForm, record: RecordJson, here: Here): PartsMerge => {
  const theirs = savedRows(form, record, here);
  const before = new Set(form.saved);
  const clashes: Clash[] = [];
  const merged = form.rows.flatMap((row): readonly PartRow[] => {
    const now = theirs.find(({ key }) => key === row.key);
    // What they took out is gone, unless it was changed here: then it is made anew.
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
  // Whoever writes a part raises the version of what it is a part of.
  const touched = theirs.some(({ key, record: now }) => {
    const mine = form.rows.find((row) => row.key === key);
    return mine?.record != null && now !== null && mine.record.version !== now.version;
  });
  return { form: { ...form, rows: [...merged, ...added], saved }, clashes, taken: !same || touched };
};

/** A part that is no longer there, with its own: all of it is new, and so is every value in it. */
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

/** The lists of a row that has another key. */
const listsAt = (form: PartsForm, row: PartRow): readonly PartsForm[] =>
  row.lists.map((list) => ({ ...list, at: `${rowAt(form, row)}/${list.parts.field}` }));

interface Cell {
  readonly list: PartsForm;
  readonly field: FieldJson;
  /** Its rows, outermost first, each from 1. */
  readonly rows: readonly number[];
}

/** The cell that a clash is about. */
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

/** One side of a clash in a cell. */
export const chooseCell = (form: PartsForm, clash: Clash, side: "mine" | "theirs"): PartsForm => {
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

// A draft

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

/** The list with what was entered before, over what is saved now. */
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
