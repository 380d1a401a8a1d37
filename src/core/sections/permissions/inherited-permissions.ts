import { every, exists } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import { rebaseOnPath } from "../../expression/rewrite/rebase.ts";
import type { EntityShape } from "../../expression/values/type.ts";
import type { Clause } from "../../model/clause.ts";
import type { Action, HeldRole, Permission } from "../../model/permissions.ts";
import type { Span } from "../../source-text.ts";

/*
 * Permissions inherited from other records: `like` permissions of a referenced record, and roles held on a parent and
 * so on its parts.
 */

/** The path from a record to the one that its reference names. */
export const pathBy = (entity: EntityShape, reference: string, span: Span): Expr | undefined => {
  const field = entity.fields.get(reference);
  if (field?.type.kind !== "record") return undefined;
  const of: Expr = { kind: "this", type: { kind: "record", entity: entity.name }, missing: false, span };
  return { kind: "field", of, entity, field, type: field.type, missing: field.optional, span };
};

/** The condition that the path exists; none if it always does. */
const leading = (path: Expr): readonly Expr[] => (path.missing ? [exists(path)] : []);

/** A role held on a record, as held on a record that refers to it by the path. */
export const holdThroughPath = (role: HeldRole, path: Expr, from: string): HeldRole => ({
  ...role,
  condition: every([...leading(path), rebaseOnPath(role.condition, path)]) ?? role.condition,
  ...(role.represented === undefined ? {} : { represented: rebaseOnPath(role.represented, path) }),
  from,
});

/** A permission with `like`: its clause, the path to the other record, and its own restrictions. */
export interface Like {
  readonly clause: Clause;
  readonly path: Expr;
  readonly action: Action;
  readonly when: Expr | null;
  readonly fields: ReadonlySet<string> | null;
}

/**
 * A permission with the fields that its clause names, including those without a column, which can allow access through
 * lists.
 */
export type DeclaredPermission = Permission & { readonly declaredFields: ReadonlySet<string> | null };

/** The lists of a record that contain the records referring to it by a given reference. */
export const findInverseLists = (to: EntityShape | undefined, entity: string, by: string): readonly string[] =>
  [...(to?.fields.values() ?? [])].flatMap(({ name, inverse }) =>
    inverse?.entity === entity && inverse.by === by ? [name] : [],
  );

/**
 * Expands a `like` permission into one permission for each clause that it follows, under its own clause. A clause
 * limited to some fields is followed only if they include the list that leads here: read access to four fields of a
 * request does not include its comments.
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
    const roleCondition = other.roleCondition === null ? null : rebaseOnPath(other.roleCondition, path);
    const like = { path, action, of: other, when };
    return [{ clause, role: other.role, roleCondition, when: every(conditions) ?? null, fields, like }];
  });
