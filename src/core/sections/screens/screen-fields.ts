import type { Spanned } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import type { Expr } from "../../expression/expr.ts";
import type { Scope } from "../../expression/values/type.ts";
import { getFieldKind } from "../../field/multi-valued.ts";
import { finding } from "../../findings.ts";
import { isOfRecord, isTimestampField } from "../../model/field.ts";
import type { HeldRole } from "../../model/permissions.ts";
import { type LinkedEntity, resolveField } from "../entities/entities.ts";
import { type Linking, linkExpression, reportUnknownName } from "../linking/link-context.ts";

/** The names that a screen can refer to. */
export interface ScreenContext {
  readonly entities: ReadonlyMap<string, LinkedEntity>;
  /** Global roles, which can be a screen's audience. */
  readonly roles: ReadonlySet<string>;
  /** By entity, the roles held on its records, which can be the audience of a tile. */
  readonly recordRoles: ReadonlyMap<string, ReadonlyMap<string, HeldRole>>;
  readonly scope: Scope;
  readonly linking: Linking;
}

/** A sort key; `-due_day` sorts in descending order. JSON is not sortable. */
export const sortKey = (key: Spanned<string>, linked: LinkedEntity, linking: Linking): readonly string[] => {
  const name = key.value.replace(/^-/u, "");
  const [, ordered, direction] = /^-?(\S+)\s+(asc|desc)(?:ending)?$/iu.exec(key.value) ?? [];
  if (ordered !== undefined && direction !== undefined) {
    const near = `${direction.toLowerCase() === "desc" ? "-" : ""}${ordered}`;
    linking.report(
      finding("BAD_VALUE", key.span, `“${key.value}” is not a field to sort by.`, `Did you mean “${near}”?`, {
        nearest: near,
        fix: [{ span: key.span, text: near }],
      }),
    );
    return [];
  }
  const field = linked.fields.get(name);
  if (field !== undefined && !getFieldKind(field).lists.sorts) {
    linking.report(
      finding(
        "BAD_VALUE",
        key.span,
        `Lists can’t be sorted by ${name}.`,
        "Use a field of another type: JSON has no order.",
      ),
    );
    return [];
  }
  return shownName(linked, { value: name, span: key.span }, linking).length === 0 ? [] : [key.value];
};

/** Resolves a field of the document, or the time of creation or last change. */
export const shownName = (linked: LinkedEntity, name: Spanned<string>, linking: Linking): readonly string[] => {
  if (isTimestampField(name.value)) return [name.value];
  const field = resolveField(linked, name, linking);
  if (field === undefined || isOfRecord(field)) return field === undefined ? [] : [field.name];
  linking.report(
    finding(
      "BAD_VALUE",
      name.span,
      `${name.value} is a list of other records, so it can’t be shown as a field.`,
      `Give it a section on the page of a record: “{ list: ${name.value} }”. In a list, show a computed field such as ${name.value}.size().`,
    ),
  );
  return [];
};

/** The condition of a screen or tile; `stopped` if it is not executable or has a mistake. */
export const linkWhere = (
  at: Scalar | undefined,
  scope: Scope,
  linking: Linking,
  clause: string,
): Expr | null | "stopped" =>
  at === undefined ? null : (linkExpression(at, scope, { kind: "boolean" }, linking, clause) ?? "stopped");

/**
 * The roles that see a screen or tile; null for everyone with read permission on its content. An audience does not hide
 * records; only point 6 does.
 */
export const findAudience = (
  names: readonly Spanned<string>[] | undefined,
  roles: ReadonlySet<string>,
  linking: Linking,
): readonly string[] | null => {
  for (const role of names ?? []) {
    if (roles.has(role.value)) linking.rolesUsed.add(role.value);
    else reportUnknownName(linking, role.span, "role", role.value, roles);
  }
  return names?.map((role) => role.value) ?? null;
};

/** The default fields of a screen. */
export const listShownFields = ({ fields }: LinkedEntity): readonly string[] =>
  [...fields.values()].filter((field) => isOfRecord(field) && !field.isKey).map((field) => field.name);
