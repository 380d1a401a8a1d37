import {
  either,
  expression,
  list,
  listOrOne,
  map,
  type Named,
  name,
  named,
  namesForm,
  optional,
  orNone,
  type Read,
  record,
  type Said,
  type Shape,
  single,
  text,
  word,
} from "../document/shape.ts";
import type { Scalar } from "../document/tree.ts";
import { finding } from "../findings.ts";
import type { DefaultCode } from "../model/defaults.ts";
import {
  type Action,
  ADMINISTRATOR,
  actions,
  type HeldRole,
  type Permission,
  type Permissions,
  type Role,
} from "../model/model.ts";
import type { Expr } from "../rule/expr.ts";
import type { Scope } from "../rule/type.ts";
import type { Span } from "../text.ts";
import { fieldNamed, type LinkedEntity } from "./entities.ts";
import { clauseAt, type Linking, linkExpression, reportKeys, reportNotExecuted, unknownName } from "./linking.ts";

/** Point 6: roles and permissions. */
const globalRole = record(
  "a role",
  { members: optional(word("anyone", "signed in", "granted")), title: optional(text), was: optional(name("role")) },
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
  form: namesForm([
    { kind: "role", of: globalRole },
    { kind: "entity", of: heldRoles },
  ]),
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

/** `like: request`, or `like: { request: update }` for another action than the one that it stands under. */
const like = either<{ readonly field: Said<string>; readonly action?: Said<Action> }>(
  "a reference, or a reference with an action",
  {
    scalar: map(name("field"), (field) => ({ field })),
    mapping: map(single("one reference with an action", "field", word(...actions)), (only) => ({
      field: { value: only.name, span: only.key },
      action: only.value,
    })),
  },
);

const permission = record(
  "a permission",
  {
    role: optional(name("role")),
    when: optional(expression),
    fields: optional(list(name("field"))),
    like: optional(like),
  },
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
type EntityPermissions = Read<typeof entityPermissions>;
type PermissionSyntax = Read<typeof permission>;

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

/** What the parts of point 6 are linked against. */
interface Known {
  readonly entities: ReadonlyMap<string, LinkedEntity>;
  readonly roles: ReadonlyMap<string, Role>;
  readonly held: ReadonlyMap<string, ReadonlyMap<string, HeldRole>>;
  readonly scope: Scope;
}

export const linkPermissions = (
  syntax: PermissionsSyntax | undefined,
  entities: ReadonlyMap<string, LinkedEntity>,
  transitionRoles: readonly { readonly entity: string; readonly role: Said<string> }[],
  scope: Scope,
  linking: Linking,
): LinkedPermissions => {
  const roles = linkRoles(saidRoles(syntax), linking);
  const held = linkHeldRoles(saidRoles(syntax), roles, entities, scope, linking);
  const known: Known = { entities, roles, held, scope };
  const permissions = new Map<string, Permissions>();
  for (const one of saidPermissions(syntax)) {
    const linked = entities.get(one.name);
    if (linked === undefined) unknownName(linking, one.key, "entity", one.name, entities.keys());
    else permissions.set(one.name, linkEntityPermissions(one, linked, known, linking));
  }
  checkLikes(saidPermissions(syntax), entities, linking);
  for (const { entity, role } of transitionRoles) mayUse(role, entity, known, linking);
  return { roles, held, permissions };
};

const linkRoles = (syntax: RolesSyntax, linking: Linking): ReadonlyMap<string, Role> => {
  const roles = new Map<string, Role>();
  for (const { name, key, value } of syntax.global) {
    const clause = clauseAt(`6.roles.${name}`, key);
    if (name === ADMINISTRATOR)
      linking.report(
        finding("RESERVED_NAME", key, "The role administrator is built in.", "Choose another name for this role."),
      );
    else roles.set(name, { name, clause, members: value.members?.value ?? "granted" });
    if (value.was !== undefined) reportNotExecuted(linking, "renaming", value.was.span, clause.id);
    reportKeys(linking, value.keys, ["title"], clause.id);
  }
  return roles;
};

/** A held role whose condition cannot be judged yet is held by nobody. */
const linkHeldRoles = (
  syntax: RolesSyntax,
  roles: ReadonlyMap<string, Role>,
  entities: ReadonlyMap<string, LinkedEntity>,
  scope: Scope,
  linking: Linking,
): Known["held"] => {
  const held = new Map<string, ReadonlyMap<string, HeldRole>>();
  for (const { name: entity, key, value } of syntax.held) {
    if (!entities.has(entity)) {
      unknownName(linking, key, "entity", entity, entities.keys());
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
      const id = `6.roles.${entity}.${one.name}`;
      const condition =
        linkExpression(one.value, { ...scope, entity }, { kind: "boolean" }, linking, id) ?? never(one.value.span);
      ofEntity.set(one.name, { name: one.name, clause: clauseAt(id, one.key), condition });
    }
    held.set(entity, ofEntity);
  }
  return held;
};

const never = (span: Span): Expr => ({
  kind: "constant",
  value: false,
  type: { kind: "boolean" },
  missing: false,
  span,
});

const mayUse = (role: Said<string>, entity: string, { roles, held }: Known, linking: Linking): boolean => {
  const ofEntity = held.get(entity);
  const known = [ADMINISTRATOR, ...roles.keys(), ...(ofEntity?.keys() ?? [])];
  if (known.includes(role.value)) {
    linking.mentions.push({ of: "role", entity, name: role.value, span: role.span });
    linking.rolesUsed.add(ofEntity?.has(role.value) ? `${entity}.${role.value}` : role.value);
    return true;
  }
  unknownName(linking, role.span, "role", role.value, known);
  return false;
};

const linkEntityPermissions = (
  { name: entity, key, value }: Named<EntityPermissions>,
  linked: LinkedEntity,
  known: Known,
  linking: Linking,
): Permissions => {
  const of = (action: Action): readonly Permission[] => {
    const said = value[action];
    return said === undefined || said === "none"
      ? []
      : said.flatMap((one) => linkPermission(one, entity, action, linked, known, linking));
  };
  return {
    clause: clauseAt(`6.${entity}`, key),
    actions: { read: of("read"), create: of("create"), update: of("update"), delete: of("delete") },
  };
};

const linkPermission = (
  syntax: PermissionSyntax,
  entity: string,
  action: Action,
  linked: LinkedEntity,
  known: Known,
  linking: Linking,
): readonly Permission[] => {
  const clause = clauseAt(`6.${entity}.${action}`, syntax.span);
  const fields = syntax.fields?.flatMap((field) => fieldNamed(entity, linked, field, linking)?.name ?? []);
  const when =
    syntax.when === undefined
      ? null
      : linkExpression(syntax.when, { ...known.scope, entity }, { kind: "boolean" }, linking, clause.id);
  if (syntax.like !== undefined) {
    // It opens nothing yet, which is the cautious side.
    reportNotExecuted(linking, "permission like", syntax.like.field.span, clause.id);
    return [];
  }
  if (syntax.role === undefined) {
    linking.report(
      finding("MISSING_KEY", syntax.span, "A permission needs “role” or “like”.", "Name the role that is permitted.", {
        clause: clause.id,
      }),
    );
    return [];
  }
  if (!mayUse(syntax.role, entity, known, linking) || when === undefined) return [];
  return [{ clause, role: syntax.role.value, when, fields: fields === undefined ? null : new Set(fields) }];
};

/** `like:` names a reference, and following them ends somewhere. */
const checkLikes = (
  syntax: readonly Named<EntityPermissions>[],
  entities: ReadonlyMap<string, LinkedEntity>,
  linking: Linking,
): void => {
  const leads = new Map<string, { readonly to: string; readonly span: Span }[]>();
  for (const { name: entity, value } of syntax) {
    const linked = entities.get(entity);
    if (linked === undefined) continue;
    for (const action of actions)
      for (const one of value[action] === undefined || value[action] === "none" ? [] : value[action]) {
        if (one.like === undefined) continue;
        const field = fieldNamed(entity, linked, one.like.field, linking);
        const to = field?.entity;
        if (field !== undefined && to == null)
          linking.report(
            finding(
              "TYPES_DIFFER",
              one.like.field.span,
              `${field.name} is no reference.`,
              "Name a reference to the record whose permission holds here.",
            ),
          );
        if (to != null)
          leads.set(`${entity}.${action}`, [
            ...(leads.get(`${entity}.${action}`) ?? []),
            { to: `${to}.${one.like.action?.value ?? "read"}`, span: one.like.field.span },
          ]);
      }
  }
  for (const [start, ways] of leads)
    for (const way of ways)
      if (reaches(leads, way.to, start))
        linking.report(
          finding(
            "CYCLE",
            way.span,
            `This permission is like itself: ${start} leads back to ${start}.`,
            "Name a role in one of the permissions on the way.",
          ),
        );
};

const reaches = (
  leads: ReadonlyMap<string, readonly { readonly to: string }[]>,
  from: string,
  goal: string,
  seen: Set<string> = new Set(),
): boolean => {
  if (from === goal) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  return (leads.get(from) ?? []).some((way) => reaches(leads, way.to, goal, seen));
};

export const silentPermissions = (
  syntax: PermissionsSyntax | undefined,
  entities: Iterable<string>,
): readonly DefaultCode[] => {
  const spoken = new Set(saidPermissions(syntax).map((one) => one.name));
  const silent =
    syntax?.permissions === undefined || [...entities].some((entity) => entity !== "User" && !spoken.has(entity));
  const without = saidPermissions(syntax).some((one) => actions.some((action) => one.value[action] === undefined));
  const memberless = saidRoles(syntax).global.some((one) => one.value.members === undefined);
  return [
    ...(without ? (["ACTION_BY_NOBODY"] as const) : []),
    ...(memberless ? (["ROLE_GRANTED"] as const) : []),
    ...(silent ? (["ADMINISTRATORS_ONLY"] as const) : []),
    ...(syntax?.roles === undefined ? (["NO_ROLES"] as const) : []),
  ];
};
