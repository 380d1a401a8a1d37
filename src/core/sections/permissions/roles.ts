import type { Spanned } from "../../document/shape.ts";
import type { Expr } from "../../expression/expr.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import { toTitle } from "../../model/inflection.ts";
import { ADMINISTRATOR, type HeldRole, type Role } from "../../model/permissions.ts";
import type { LinkedEntity } from "../entities/entities.ts";
import { alwaysFalse, clauseAt, type Linking, linkExpression, reportUnknownName } from "../linking/link-context.ts";
import { scopeOn } from "../linking/scope-on.ts";
import { declaredRoles, type PermissionsSyntax, type RolesSyntax } from "./permissions-syntax.ts";

/** Context for linking the parts of point 6. */
export interface RolesContext {
  readonly entities: ReadonlyMap<string, LinkedEntity>;
  readonly roles: ReadonlyMap<string, Role>;
  readonly recordRoles: ReadonlyMap<string, ReadonlyMap<string, HeldRole>>;
  readonly scope: Scope;
}

/** Global roles with their former names; `administrator` is built in. */
export const readGlobalRoles = (
  syntax: PermissionsSyntax | undefined,
): readonly { readonly name: string; readonly was: Spanned<string> | undefined }[] => [
  { name: ADMINISTRATOR, was: undefined },
  ...declaredRoles(syntax).global.map(({ name, value: { was } }) => ({ name, was })),
];

/** Advice for a role name in a condition. */
export const adviceForRoleNames = (syntax: PermissionsSyntax | undefined): ReadonlyMap<string, string> =>
  new Map([
    [ADMINISTRATOR, "Conditions can’t ask for administrators, who only manage people."],
    ...declaredRoles(syntax).global.map(({ name, value }): [string, string] => [
      name,
      value.members === undefined || value.members.value === "granted"
        ? `Write '${name}' in user.roles.`
        : "Everyone, or everyone who is signed in, has this role. Remove it.",
    ]),
    ...declaredRoles(syntax).ofRecord.flatMap(({ value }) =>
      value.map((entry): [string, string] => [entry.name, `Write its condition: ${entry.value.when.text.trim()}`]),
    ),
  ]);

/** The people whom a deputy with this role represents; undefined for every other role. */
export type PeopleRepresented = (role: string, entity?: string) => Expr | undefined;

export const linkRoles = (
  syntax: RolesSyntax,
  peopleOf: PeopleRepresented,
  linking: Linking,
): ReadonlyMap<string, Role> => {
  const roles = new Map<string, Role>();
  for (const { name, key, value } of syntax.global) {
    const clause = clauseAt(`6.roles.${name}`, key);
    const represented = peopleOf(name);
    if (name === ADMINISTRATOR)
      linking.report(
        finding("RESERVED_NAME", key, "The role administrator is built in.", "Choose another name for this role."),
      );
    else
      roles.set(name, {
        name,
        clause,
        members: represented === undefined ? (value.members?.value ?? "granted") : "deputies",
        title: value.title?.value ?? toTitle(name),
        ...(represented === undefined ? {} : { represented }),
      });
  }
  return roles;
};

/** Nobody holds a role whose condition is not executable. */
export const linkHeldRoles = (
  syntax: RolesSyntax,
  { roles, entities, scope }: Omit<RolesContext, "recordRoles">,
  peopleOf: PeopleRepresented,
  linking: Linking,
): RolesContext["recordRoles"] => {
  const recordRoles = new Map<string, ReadonlyMap<string, HeldRole>>();
  for (const { name: entity, key, value } of syntax.ofRecord) {
    if (!entities.has(entity)) {
      reportUnknownName(linking, key, "entity", entity, entities.keys());
      continue;
    }
    const ofEntity = new Map<string, HeldRole>();
    for (const entry of value) {
      const { when, title } = entry.value;
      linking.rolesOnRecords.set(entry.name, entity);
      if (roles.has(entry.name))
        linking.report(
          finding(
            "NAME_TWICE",
            entry.key,
            `${entry.name} is already a role that people have everywhere.`,
            "Choose another name.",
          ),
        );
      const id = `6.roles.${entity}.${entry.name}`;
      const condition =
        linkExpression(when, scopeOn(scope, entity), { kind: "boolean" }, linking, id) ?? alwaysFalse(when.span);
      const represented = peopleOf(entry.name, entity);
      ofEntity.set(entry.name, {
        name: entry.name,
        clause: clauseAt(id, entry.key),
        title: title?.value ?? toTitle(entry.name),
        condition,
        ...(represented === undefined ? {} : { represented }),
        from: null,
      });
    }
    recordRoles.set(entity, ofEntity);
  }
  return recordRoles;
};

/** Names of roles: those that people have everywhere, and by entity those held on its records. */
export interface RoleNames extends Pick<RolesContext, "recordRoles"> {
  readonly roles: Pick<ReadonlySet<string>, "has" | "keys">;
}

export const mayUse = (
  role: Spanned<string>,
  entity: string,
  { roles, recordRoles }: RoleNames,
  linking: Linking,
): boolean => {
  const ofEntity = recordRoles.get(entity);
  const of = ofEntity?.get(role.value);
  if (of !== undefined || roles.has(role.value) || role.value === ADMINISTRATOR) {
    linking.mentions.push({ of: "role", entity, name: role.value, span: role.span });
    linking.rolesUsed.add(of === undefined ? role.value : `${of.from ?? entity}.${role.value}`);
    return true;
  }
  // A role of deputies was written out from the role that the document names, which is reported itself.
  if (role.span.end - role.span.start < role.value.length) return false;
  const other = [...recordRoles].find(([, own]) => own.has(role.value))?.[0];
  const hint =
    other === undefined
      ? undefined
      : `${other} has this role on its records. Declare it for ${entity} too, under “roles” in point 6, or make ${entity} a part of ${other}.`;
  const known = [ADMINISTRATOR, ...roles.keys(), ...(ofEntity?.keys() ?? [])];
  reportUnknownName(linking, role.span, "role", role.value, known, { hint });
  return false;
};
