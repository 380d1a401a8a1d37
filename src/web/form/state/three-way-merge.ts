import { type Entered, type EnteredValues, sameEntered } from "../../format/input-value.ts";

/** A field that someone else changed while it was changed here as well, to something else. */
export interface Clash {
  readonly field: string;
  readonly mine: Entered;
  readonly theirs: Entered;
}

export interface Merge {
  /** What the form shows now: theirs where only they changed it, else what was entered here. */
  readonly values: EnteredValues;
  /** Fields that only the others changed; they are simply taken over. */
  readonly taken: readonly string[];
  readonly clashes: readonly Clash[];
}

/** Three-way: what both started from, what was entered here, and what was saved meanwhile. */
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
