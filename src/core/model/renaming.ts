/** Kinds of names. `value`: of a choice or of a state. */
export const namedThings = ["entity", "field", "value", "transition", "record", "role", "limit"] as const;
export type NamedThing = (typeof namedThings)[number];

/** A rename. Its place is given by current names. */
export interface Rename {
  readonly of: NamedThing;
  /** Null for entities, roles and constants. */
  readonly entity: string | null;
  /** The field with the value; null for other names. */
  readonly field: string | null;
  readonly old: string;
  readonly now: string;
}

/** A rename carried out by a database, with the version of the document that brought it. */
export interface PastRenaming extends Rename {
  readonly document: number;
}

/**
 * All renames of a database, oldest first. Lines of history contain the names of their time, and a client may know only
 * old names; so renames are remembered even after `was` is removed from the document.
 */
export type Past = readonly PastRenaming[];

/** The scope of a name: the entity of a field, the entity and field of a value. */
type Place = Pick<Rename, "of" | "entity" | "field">;

/** The name that an entity or field had before the renames in `later`. */
const before = (name: string, of: NamedThing, place: Omit<Place, "of">, later: Past): string => {
  let known = name;
  for (const renaming of later.toReversed())
    if (renaming.of === of && isAt(renaming, place, later) && renaming.now === known) known = renaming.old;
  return known;
};

/** True if a rename concerns a place, which is given by its current names. */
const isAt = (renaming: PastRenaming, { entity, field }: Omit<Place, "of">, past: Past): boolean => {
  if (renaming.entity === null) return entity === null;
  if (entity === null) return false;
  const later = past.slice(past.indexOf(renaming) + 1);
  if (before(entity, "entity", { entity: null, field: null }, later) !== renaming.entity) return false;
  return field === null
    ? renaming.field === null
    : before(field, "field", { entity, field: null }, later) === renaming.field;
};

/** All names of an entity, the current one first. */
export const namesOfEntity = (past: Past, entity: string): readonly string[] => {
  const names = [entity];
  for (const renaming of past.toReversed())
    if (renaming.of === "entity" && renaming.now === names.at(-1)) names.push(renaming.old);
  return names;
};

/** All names of a field, the current one first. */
export const namesOfField = (past: Past, entity: string, field: string): readonly string[] => {
  const names = [field];
  for (const renaming of past.toReversed())
    if (renaming.of === "field" && renaming.now === names.at(-1) && isAt(renaming, { entity, field: null }, past))
      names.push(renaming.old);
  return names;
};

/** The name under which a retired field is remembered. No field can have it. */
export const retiredName = (field: string, version: number): string => `${field}#${version}`;

/**
 * The name of a field in a given version of the document; "" if the field did not exist. Another field can have had the
 * name before, which was renamed or retired.
 */
export const fieldNameAt = (past: Past, document: number, entity: string, field: string): string => {
  const later = past.filter(
    (renaming) =>
      renaming.document > document && renaming.of === "field" && isAt(renaming, { entity, field: null }, past),
  );
  let name = field;
  for (const renaming of later.toReversed())
    if (renaming.now === name) name = renaming.old;
    else if (renaming.old === name) return "";
  return name;
};

/** The current name of a value or transition that was called `name` in a given version of the document. */
const currentNameOf = (past: Past, document: number, place: Place, name: string): string =>
  past
    .filter((renaming) => renaming.document > document)
    .reduce(
      (known, renaming) =>
        renaming.of === place.of && renaming.old === known && isAt(renaming, place, past) ? renaming.now : known,
      name,
    );

export const valueSince = (past: Past, document: number, entity: string, field: string, value: string): string =>
  currentNameOf(past, document, { of: "value", entity, field }, value);

export const transitionSince = (past: Past, document: number, entity: string, transition: string): string =>
  currentNameOf(past, document, { of: "transition", entity, field: null }, transition);

/** Renamed names and their current equivalents. Old names that are in use again are left out. */
const renamedAt = (past: Past, place: Place, live: (name: string) => boolean): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const renaming of past)
    if (renaming.of === place.of && isAt(renaming, place, past) && !live(renaming.old))
      found.set(renaming.old, currentNameOf(past, renaming.document - 1, place, renaming.old));
  for (const [old, now] of found) if (!live(now)) found.delete(old);
  return found;
};

export const renamedFields = (
  past: Past,
  entity: string,
  live: (name: string) => boolean,
): ReadonlyMap<string, string> => renamedAt(past, { of: "field", entity, field: null }, live);

export const renamedTransitions = (
  past: Past,
  entity: string,
  live: (name: string) => boolean,
): ReadonlyMap<string, string> => renamedAt(past, { of: "transition", entity, field: null }, live);

export const renamedValues = (
  past: Past,
  entity: string,
  field: string,
  live: (name: string) => boolean,
): ReadonlyMap<string, string> => renamedAt(past, { of: "value", entity, field }, live);

/**
 * A field or an entity that a version of the document removed. Its values are stored. `field` is absent for an entity.
 */
export interface RetiredName {
  readonly entity: string;
  readonly field?: string;
  readonly version: number;
}
