import { type Entered, type EnteredValues, sameEntered } from "../../format/input-value.ts";

/** A field changed to different values here and by somebody else. */
export interface MergeConflict {
  readonly field: string;
  readonly mine: Entered;
  readonly theirs: Entered;
}

export interface Merge {
  /** The merged values: theirs if only they changed a field, otherwise the local ones. */
  readonly values: EnteredValues;
  /** Fields that only others changed. */
  readonly taken: readonly string[];
  readonly clashes: readonly MergeConflict[];
}

/** A three-way merge of the common base, the local edits, and the newly saved version. */
export const mergeValues = (base: EnteredValues, mine: EnteredValues, theirs: EnteredValues): Merge => {
  const changed = (side: EnteredValues, field: string) => !sameEntered(side[field] ?? null, base[field] ?? null);
  const fields = Object.keys(mine);
  const taken = fields.filter((field) => changed(theirs, field) && !changed(mine, field));
  const clashes = fields
    .filter((field) => changed(theirs, field) && changed(mine, field))
    .filter((field) => !sameEntered(mine[field] ?? null, theirs[field] ?? null))
    .map((field) => ({ field, mine: mine[field] ?? null, theirs: theirs[field] ?? null }));
  const values = Object.fromEntries(
    fields.map((field) => [field, (taken.includes(field) ? theirs : mine)[field] ?? null]),
  );
  return { values, taken, clashes };
};
