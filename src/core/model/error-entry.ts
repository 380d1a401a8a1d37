import type { ErrorEntry, Model } from "./model.ts";

/** What a refusal is about, as far as it says so: what decided it, the member that was sent, the call's entity. */
export interface Subject {
  readonly clause?: string | undefined;
  /** A JSON pointer: `/email`. */
  readonly at?: string | undefined;
  readonly entity?: string | undefined;
}

/** `User.email` in `3.User.email`, `User` in `6.User.read`. */
const spoken = /^[3-6]\.(?:roles\.)?([A-Z][A-Za-z0-9]*)(?:\.([a-z][a-z0-9_]*))?/u;

/**
 * How an error is answered: as the catalogue says for the field that it is about (`User.email.TAKEN`), for the entity
 * (`User.NOT_FOUND`), or for all. Undefined where the catalogue does not have it.
 */
export const entryFor = (
  { errors }: Pick<Model, "errors">,
  code: string,
  { clause, at, entity }: Subject = {},
): ErrorEntry | undefined => {
  const [, named, field] = spoken.exec(clause ?? "") ?? [];
  const of = named ?? entity;
  if (of === undefined) return errors.get(code);
  const member = at === undefined || at === "" ? (clause?.startsWith("3.") ? field : undefined) : at.split("/").at(-1);
  return errors.get(`${of}.${member}.${code}`) ?? errors.get(`${of}.${code}`) ?? errors.get(code);
};
