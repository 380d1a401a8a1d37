import {
  expression,
  later,
  list,
  listOrOne,
  type Named,
  name,
  named,
  optional,
  orNone,
  type Read,
  record,
  type Shape,
  word,
} from "../document/shape.ts";
import type { Scalar } from "../document/tree.ts";
import { finding } from "../findings.ts";
import type { DefaultCode } from "../model/defaults.ts";
import {
  type Action,
  ADMINISTRATOR,
  type HeldRole,
  type Permission,
  type Permissions,
  type Role,
  type States,
} from "../model/model.ts";
import type { Scope } from "../rule/type.ts";
import type { EntityDraft, LinkedEntity } from "./entities.ts";
import { clauseAt, type Linking, linkExpression, unknownName } from "./linking.ts";

/** Point 6: roles and permissions. */
const globalRole = record(
  "a role",
  { members: optional(word("anyone", "signed in", "granted")), title: later, was: later },
  "members",
);
const heldRoles = named("role", expression);

/** A capital begins an entity's held roles, a small letter a role that a person holds everywhere. */
export interface RolesSyntax {
  readonly global: readonly Named<Read<typeof globalRole>>[];
  readonly held: readonly Named<readonly Named<Scalar>[]>[];
}

const roles: Shape<RolesSyntax> = {
  takes: "a mapping from names to roles",
  read: (tree, report) => {
    const split = (wanted: boolean) =>
      tree.kind === "mapping"
        ? { ...tree, entries: tree.entries.filter(({ key }) => /^[A-Z]/u.test(key.text) === wanted) }
        : tree;
    const global = named("role", globalRole).read(split(false), report);
    const held = tree.kind === "mapping" ? named("entity", heldRoles).read(split(true), report) : undefined;
    return global && held && { global, held };
  },
};

const permission = record(
  "a permission",
  { role: optional(name("role")), when: optional(expression), fields: optional(list(name("field"))), like: later },
  "role",
);
const permissionList = orNone(listOrOne(permission));
const entityPermissions = record("the permissions of an entity", {
  read: optional(permissionList),
  create: optional(permissionList),
  update: optional(permissionList),
  delete: optional(permissionList),
});

export const permissionsShape = record("point 6", {
  roles: optional(orNone(roles)),
  permissions: optional(orNone(named("entity", entityPermissions))),
});

export type PermissionsSyntax = Read<typeof permissionsShape>;

const saidRoles = (syntax: PermissionsSyntax | undefined): RolesSyntax =>
  syntax?.roles === undefined || syntax.roles === "none" ? { global: [], held: [] } : syntax.roles;
const saidPermissions = (syntax: PermissionsSyntax | undefined): readonly Named<Read<typeof entityPermissions>>[] =>
  syntax?.permissions === undefined || syntax.permissions === "none" ? [] : syntax.permissions;

/** The entities that point 6 speaks of. */
export const spokenOf = (syntax: PermissionsSyntax | undefined): ReadonlySet<string> =>
  new Set([...saidPermissions(syntax), ...saidRoles(syntax).held].map((one) => one.name));

export interface LinkedPermissions {
  readonly roles: ReadonlyMap<string, Role>;
  readonly held: ReadonlyMap<string, ReadonlyMap<string, HeldRole>>;
  readonly permissions: ReadonlyMap<string, Permissions>;
}

export const linkPermissions = (
  syntax: PermissionsSyntax | undefined,
  drafts: ReadonlyMap<string, EntityDraft>,
  entities: ReadonlyMap<string, LinkedEntity>,
  states: ReadonlyMap<string, States>,
  scope: Scope,
  linking: Linking,
): LinkedPermissions => {
  const roles = new Map<string, Role>();
  for (const { name, key, value } of saidRoles(syntax).global) {
    if (name === ADMINISTRATOR)
      linking.report(
        finding("RESERVED_NAME", key, "The role administrator is built in.", "Choose another name for this role."),
      );
    else
      roles.set(name, { name, clause: clauseAt(`6.roles.${name}`, key), members: value.members?.value ?? "granted" });
  }
  const held = new Map<string, ReadonlyMap<string, HeldRole>>();
  for (const { name: entity, key, value } of saidRoles(syntax).held) {
    if (!drafts.has(entity)) {
      unknownName(linking, key, "entity", entity, drafts.keys());
      continue;
    }
    const ofEntity = new Map<string, HeldRole>();
    for (const one of value) {
      if (roles.has(one.name))
        linking.report(
          finding(
            "NAME_TWICE",
            one.key,
            `${one.name} is a role that people hold everywhere already.`,
            "Choose another name.",
          ),
        );
      const condition = linkExpression(one.value, { ...scope, entity }, { kind: "boolean" }, linking);
      if (condition !== undefined)
        ofEntity.set(one.name, {
          name: one.name,
          clause: clauseAt(`6.roles.${entity}.${one.name}`, one.key),
          condition,
        });
    }
    held.set(entity, ofEntity);
  }
  const mayUse = (
    role: {
      readonly value: string;
      readonly span: { readonly file: string; readonly start: number; readonly end: number };
    },
    entity: string,
  ): boolean => {
    const known = [ADMINISTRATOR, ...roles.keys(), ...(held.get(entity)?.keys() ?? [])];
    if (!known.includes(role.value)) {
      unknownName(linking, role.span, "role", role.value, known);
      return false;
    }
    linking.rolesUsed.add(held.get(entity)?.has(role.value) ? `${entity}.${role.value}` : role.value);
    return true;
  };

  const permissions = new Map<string, Permissions>();
  for (const { name: entity, key, value } of saidPermissions(syntax)) {
    const fields = entities.get(entity)?.fields;
    if (fields === undefined) {
      unknownName(linking, key, "entity", entity, drafts.keys());
      continue;
    }
    const linkAction = (action: Action): readonly Permission[] => {
      const said = value[action];
      if (said === undefined || said === "none") return [];
      return said.flatMap((one): Permission[] => {
        if (one.role === undefined) {
          // `like:` was reported as NOT_EXECUTED: it opens nothing yet, which is the cautious side.
          if (!("like" in one.keys))
            linking.report(
              finding("MISSING_KEY", one.span, "A permission needs “role”.", "Name the role that is permitted."),
            );
          return [];
        }
        if (!mayUse(one.role, entity)) return [];
        const when =
          one.when === undefined ? null : linkExpression(one.when, { ...scope, entity }, { kind: "boolean" }, linking);
        if (when === undefined) return [];
        for (const field of one.fields ?? [])
          if (!fields.has(field.value))
            unknownName(linking, field.span, `field of ${entity}`, field.value, fields.keys());
        return [
          {
            clause: clauseAt(`6.${entity}.${action}`, one.span),
            role: one.role.value,
            when,
            fields: one.fields === undefined ? null : new Set(one.fields.map((field) => field.value)),
          },
        ];
      });
    };
    permissions.set(entity, {
      clause: clauseAt(`6.${entity}`, key),
      actions: {
        read: linkAction("read"),
        create: linkAction("create"),
        update: linkAction("update"),
        delete: linkAction("delete"),
      },
    });
  }
  for (const [entity, of] of states)
    for (const transition of of.transitions.values())
      for (const role of transition.by ?? []) mayUse({ value: role, span: transition.clause.span }, entity);
  return { roles, held, permissions };
};

export const checkPermissions = (
  linked: LinkedPermissions,
  entities: ReadonlyMap<string, LinkedEntity>,
  linking: Linking,
): void => {
  const unused = (name: string, id: string, span: Parameters<typeof finding>[1]) => {
    if (!linking.rolesUsed.has(id))
      linking.report(
        finding("UNUSED_ROLE", span, `Nothing uses the role ${name}.`, "Permit it something, or take it out."),
      );
  };
  for (const role of linked.roles.values()) unused(role.name, role.name, role.clause.span);
  for (const [entity, roles] of linked.held)
    for (const role of roles.values()) unused(role.name, `${entity}.${role.name}`, role.clause.span);

  for (const [entity, permissions] of linked.permissions) {
    const { create } = permissions.actions;
    if (create.length === 0 || create.some((one) => one.fields === null)) continue;
    for (const field of entities.get(entity)?.fields.values() ?? []) {
      if (
        field.optional ||
        field.set !== null ||
        field.default !== null ||
        field.type === "state" ||
        field.type === "boolean"
      )
        continue;
      if (create.some((one) => one.fields?.has(field.name))) continue;
      linking.report(
        finding(
          "NOBODY_SETS",
          field.clause.span,
          `${field.name} is required, and nobody who may create a ${entity} can give it.`,
          "Add it to the fields of “create” in point 6, give it a default, or make it optional.",
          { clause: field.clause.id },
        ),
      );
    }
  }
};

export const silentPermissions = (
  syntax: PermissionsSyntax | undefined,
  entities: Iterable<string>,
): readonly DefaultCode[] => {
  const spoken = new Set(saidPermissions(syntax).map((one) => one.name));
  const silent =
    syntax?.permissions === undefined || [...entities].some((entity) => entity !== "User" && !spoken.has(entity));
  return [
    ...(silent ? (["ADMINISTRATORS_ONLY"] as const) : []),
    ...(syntax?.roles === undefined ? (["NO_ROLES"] as const) : []),
  ];
};
