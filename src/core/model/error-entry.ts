import type { Call } from "./endpoint.ts";
import type { ErrorEntry, Model } from "./model.ts";

/** The subject of a refusal, as far as known: the deciding clause, the member of the input, the entity of the call. */
export interface Subject {
  readonly clause?: string | undefined;
  /** A JSON pointer, `/email`, or a query parameter, `?email`. */
  readonly at?: string | undefined;
  readonly entity?: string | undefined;
}

/** `User.email` in `3.User.email`, `User` in `6.User.read`. */
const entityInClause = /^[3-6]\.(?:roles\.)?([A-Z][A-Za-z0-9]*)(?:\.([a-z][a-z0-9_]*))?/u;

/** The place of an error in the query of an address: `?day`. */
export const placeInQuery = (parameter: string): string => `?${parameter}`;

/** The query parameter at a place; undefined if the place is in a body. */
export const parameterAt = (at: string): string | undefined => (at.startsWith("?") ? at.slice(1) : undefined);

/**
 * Finds the error entry, of point 8 or built in: for the field (`User.email.TAKEN`), the entity (`User.NOT_FOUND`), or in
 * general. Undefined if there is none.
 */
export const entryFor = (
  { errors }: Pick<Model, "errors">,
  code: string,
  { clause, at, entity }: Subject = {},
): ErrorEntry | undefined => {
  const [, named, field] = entityInClause.exec(clause ?? "") ?? [];
  const of = named ?? entity;
  if (of === undefined) return errors.get(code);
  // A body can have the field under another name.
  const own = clause?.startsWith("3.") === true ? field : undefined;
  const member = at === undefined || at === "" ? undefined : (parameterAt(at) ?? at.split("/").at(-1));
  return (
    errors.get(`${of}.${own}.${code}`) ??
    errors.get(`${of}.${member}.${code}`) ??
    errors.get(`${of}.${code}`) ??
    errors.get(code)
  );
};

/**
 * True if an address whose parameter has another form than its field (`/notes/abc`) gets an error of its own, because
 * the document has an entry for it. Otherwise the record is not found.
 */
export const distinguishesPaths = (
  model: Pick<Model, "errors">,
  { errors }: Pick<Call, "errors">,
  entity: string,
): boolean => errors.has("BAD_PATH") || (entryFor(model, "BAD_PATH", { entity })?.clause ?? null) !== null;
