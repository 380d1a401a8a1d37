import { every, isThere } from "../expression/boolean-exprs.ts";
import type { Expr } from "../expression/expr.ts";
import { rebaseOnPath } from "../expression/rewrite/rebase.ts";
import type { EntityShape } from "../expression/values/type.ts";
import type { Action, Clause, HeldRole, Permission } from "../model/model.ts";
import type { Span } from "../source-text.ts";

/*
 * What holds on one record because of another: permissions that are like those of a record that it refers to, and roles
 * that are held on a record and so on its parts.
 */

/** The path from a record to the one that its reference names. */
export const pathBy = (entity: EntityShape, reference: string, span: Span): Expr | undefined => {
  const field = entity.fields.get(reference);
  if (field?.type.kind !== "record") return undefined;
  const of: Expr = { kind: "this", type: { kind: "record", entity: entity.name }, missing: false, span };
  return { kind: "field", of, entity, field, type: field.type, missing: field.optional, span };
};

/** What must hold for a path to lead somewhere: nothing, where it always does. */
const leading = (path: Expr): readonly Expr[] => (path.missing ? [isThere(path)] : []);

/** A role of a record as it is held on what leads to that by a path. */
export const heldThrough = (role: HeldRole, path: Expr, from: string): HeldRole => ({
  ...role,
  condition: every([...leading(path), rebaseOnPath(role.condition, path)]) ?? role.condition,
  from,
});

/** A permission that is like others: where it stands, the way to the record that they are of, and what it adds to them. */
export interface Like {
  readonly clause: Clause;
  readonly path: Expr;
  readonly action: Action;
  readonly when: Expr | null;
  readonly fields: ReadonlySet<string> | null;
}

/** A permission with the fields as its clause says them, those without a column too: what leads on is named there. */
export type Opening = Permission & { readonly said: ReadonlySet<string> | null };

/** The lists of a record that hold what refers to it by a reference. */
export const listsOf = (to: EntityShape | undefined, entity: string, by: string): readonly string[] =>
  [...(to?.fields.values() ?? [])].flatMap(({ name, inverse }) =>
    inverse?.entity === entity && inverse.by === by ? [name] : [],
  );

/**
 * The permissions that one that is like others stands for: one for each clause that it follows, under its own clause. A
 * clause that opens some fields alone is followed only where it opens the way here: who reads four fields of a request
 * does not read its comments.
 */
export const likePermissions = (
  { clause, path, action, when, fields }: Like,
  others: readonly (Permission & { readonly leads: boolean })[],
): readonly Permission[] =>
  others.flatMap((other): readonly Permission[] => {
    if (other.fields !== null && !other.leads) return [];
    const conditions = [
      ...leading(path),
      ...(other.when === null ? [] : [rebaseOnPath(other.when, path)]),
      ...(when === null ? [] : [when]),
    ];
    const held = other.held === null ? null : rebaseOnPath(other.held, path);
    const like = { path, action, of: other, when };
    return [{ clause, role: other.role, held, when: every(conditions) ?? null, fields, like }];
  });
