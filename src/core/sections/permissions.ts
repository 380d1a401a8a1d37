import { byKind, map, memoized, orNone, withDefault } from "../document/shape/combinators.ts";
import { list, listOrOne, named, namesForm, single } from "../document/shape/list-and-mapping.ts";
import { name } from "../document/shape/name.ts";
import { optional, record, required } from "../document/shape/record.ts";
import { expression, flag, plainText, word } from "../document/shape/scalar.ts";
import type { Named, Shape, ShapeValue, Spanned } from "../document/shape.ts";
import type { Scalar, Tree } from "../document/tree.ts";
import type { Scope } from "../expression/values/type.ts";
import { finding } from "../findings.ts";
import type { DefaultCode } from "../model/defaults.ts";
import { entityWords, toTitle, withArticle } from "../model/inflection.ts";
import {
  type Action,
  ADMINISTRATOR,
  type Approval,
  actions,
  type HeldRole,
  type Permissions,
  type Role,
} from "../model/permissions.ts";
import type { Span } from "../source-text.ts";
import { changesShape, linkApproval, silentApproval } from "./approval.ts";
import { type LinkedEntity, resolveField } from "./entities/entities.ts";
import {
  type DeclaredPermission,
  findInverseLists,
  holdThroughPath,
  type Like,
  likePermissions,
  pathBy,
} from "./inherited-permissions.ts";
import { alwaysFalse, clauseAt, type Linking, linkExpression, reportUnknownName } from "./linking/link-context.ts";
import { reaches } from "./linking/reachability.ts";

/** Point 6: roles and permissions. */
const globalRole = record(
  "a role",
  {
    members: optional(word("anyone", "signed in", "granted")),
    title: optional(plainText),
    was: optional(name("role")),
  },
  "members",
);
const heldRole = record("a role held on a record", { when: required(expression), title: optional(plainText) }, "when");
const heldRoles = memoized(named("role", heldRole));

/** A capitalized name declares roles held on an entity's records, a lower-case name a global role. */
export interface RolesSyntax {
  readonly global: readonly Named<ShapeValue<typeof globalRole>>[];
  readonly ofRecord: readonly Named<readonly Named<ShapeValue<typeof heldRole>>[]>[];
}

/** `Staff: signed in` is a capitalized global role, not an entity with roles. */
const isOfEntity = (key: Scalar, value: Tree): boolean =>
  /^[A-Z]/u.test(key.text) && !(value.kind === "scalar" && /^(?:anyone|signed[ -]?in|granted)$/u.test(value.text));

const roles: Shape<RolesSyntax> = {
  expected: "a mapping from names to roles",
  form: namesForm([
    { kind: "role", of: globalRole },
    { kind: "entity", of: heldRoles },
  ]),
  read: (tree, report) => {
    const split = (wanted: boolean) =>
      tree.kind === "mapping"
        ? { ...tree, entries: tree.entries.filter(({ key, value }) => isOfEntity(key, value) === wanted) }
        : tree;
    const global = named("role", globalRole).read(split(false), report);
    const ofRecord = tree.kind === "mapping" ? named("entity", heldRoles).read(split(true), report) : undefined;
    return global && ofRecord && { global, ofRecord };
  },
};

/** `like: request`, or `like: { request: update }` for a different action. */
export interface LikeSyntax {
  readonly field: Spanned<string>;
  readonly action?: Spanned<Action>;
}
const like = byKind<LikeSyntax>("a reference, or a reference with an action", {
  scalar: map(name("field"), (field) => ({ field })),
  mapping: map(single("one reference with an action", "field", word(...actions)), (only) => ({
    field: { value: only.name, span: only.key },
    action: only.value,
  })),
});

const permission = record(
  "a permission",
  {
    role: optional(name("role")),
    when: optional(expression),
    fields: optional(list(name("field"))),
    like: optional(like),
    discloses: optional(flag),
  },
  "role",
);
const permissionList = withDefault("ACTION_BY_NOBODY", orNone(listOrOne(permission)));
const entityPermissions = record("the permissions of an entity", {
  read: optional(permissionList),
  create: optional(permissionList),
  update: optional(permissionList),
  delete: optional(permissionList),
});

const NOWHERE: Span = { file: "", start: 0, end: 0 };

/** `none` for an entity means that nobody has any permission on it. */
const ofEntity = map(
  orNone(entityPermissions),
  (said): ShapeValue<typeof entityPermissions> =>
    said === "none" ? { read: "none", create: "none", update: "none", delete: "none", span: NOWHERE, keys: {} } : said,
);

const both = record("point 6", {
  roles: optional(orNone(roles)),
  permissions: optional(orNone(named("entity", withDefault("ADMINISTRATORS_ONLY", memoized(ofEntity))))),
  changes: optional(changesShape),
});
/** `none` covers both roles and permissions. */
export const permissionsShape = map(
  orNone(both),
  (said): ShapeValue<typeof both> =>
    said === "none" ? { roles: "none", permissions: "none", changes: undefined, span: NOWHERE, keys: {} } : said,
);

export type PermissionsSyntax = ShapeValue<typeof permissionsShape>;
type EntityPermissions = ShapeValue<typeof entityPermissions>;
type PermissionSyntax = ShapeValue<typeof permission>;

const saidRoles = (syntax: PermissionsSyntax | undefined): RolesSyntax =>
  syntax?.roles === undefined || syntax.roles === "none" ? { global: [], ofRecord: [] } : syntax.roles;
const saidPermissions = (
  syntax: PermissionsSyntax | undefined,
): readonly Named<ShapeValue<typeof entityPermissions>>[] =>
  syntax?.permissions === undefined || syntax.permissions === "none" ? [] : syntax.permissions;

/** Global roles with their former names; `administrator` is built in. */
export const readGlobalRoles = (
  syntax: PermissionsSyntax | undefined,
): readonly { readonly name: string; readonly was: Spanned<string> | undefined }[] => [
  { name: ADMINISTRATOR, was: undefined },
  ...saidRoles(syntax).global.map(({ name, value: { was } }) => ({ name, was })),
];

/** Advice for a role name in a condition. */
export const insteadOfRoles = (syntax: PermissionsSyntax | undefined): ReadonlyMap<string, string> =>
  new Map([
    [ADMINISTRATOR, "Conditions can’t ask for administrators, who only manage people."],
    ...saidRoles(syntax).global.map(({ name, value }): [string, string] => [
      name,
      value.members === undefined || value.members.value === "granted"
        ? `Write '${name}' in user.roles.`
        : "Everyone, or everyone who is signed in, has this role. Remove it.",
    ]),
    ...saidRoles(syntax).ofRecord.flatMap(({ value }) =>
      value.map((one): [string, string] => [one.name, `Write its condition: ${one.value.when.text.trim()}`]),
    ),
  ]);

/** The entities named in point 6. */
export const namedEntities = (syntax: PermissionsSyntax | undefined): ReadonlySet<string> =>
  new Set([...saidPermissions(syntax), ...saidRoles(syntax).ofRecord].map((one) => one.name));

export interface LinkedPermissions {
  readonly roles: ReadonlyMap<string, Role>;
  readonly recordRoles: ReadonlyMap<string, ReadonlyMap<string, HeldRole>>;
  readonly permissions: ReadonlyMap<string, Permissions>;
  readonly approval: Approval;
}

/** Input from other points. */
export interface AroundPermissions {
  readonly entities: ReadonlyMap<string, LinkedEntity>;
  /** The references of each part to its parents. */
  readonly parentReferences: ReadonlyMap<string, readonly { readonly reference: string; readonly parent: string }[]>;
  readonly transitionRoles: readonly { readonly entity: string; readonly role: Spanned<string> }[];
}

/** Context for linking the parts of point 6. */
interface Known {
  readonly entities: ReadonlyMap<string, LinkedEntity>;
  readonly roles: ReadonlyMap<string, Role>;
  readonly recordRoles: ReadonlyMap<string, ReadonlyMap<string, HeldRole>>;
  readonly scope: Scope;
}

export const linkPermissions = (
  syntax: PermissionsSyntax | undefined,
  { entities, parentReferences, transitionRoles }: AroundPermissions,
  scope: Scope,
  linking: Linking,
): LinkedPermissions => {
  const roles = linkRoles(saidRoles(syntax), linking);
  const own = linkHeldRoles(saidRoles(syntax), roles, entities, scope, linking);
  const recordRoles = withWholes(own, parentReferences, scope, linking);
  const known: Known = { entities, roles, recordRoles, scope };
  const said = saidPermissions(syntax);
  checkLikes(said, entities, linking);
  const of = permitted(said, known, linking);
  const permissions = new Map<string, Permissions>();
  for (const { name, key, value } of said) {
    if (!entities.has(name)) {
      reportUnknownName(linking, key, "entity", name, entities.keys());
      continue;
    }
    const open = {
      read: of(name, "read"),
      create: of(name, "create"),
      update: of(name, "update"),
      delete: of(name, "delete"),
    };
    // Only administrators create and close accounts, whatever the document permits on their records.
    const relevant = name === "User" ? (["read", "update"] as const) : actions;
    const silent = new Set(relevant.filter((action) => value[action] === undefined));
    permissions.set(name, { clause: clauseAt(`6.${name}`, key), actions: open, silent });
  }
  for (const { entity, role } of transitionRoles) mayUse(role, entity, known, linking);
  return { roles, recordRoles, permissions, approval: linkApproval(syntax?.changes, roles, linking) };
};

const linkRoles = (syntax: RolesSyntax, linking: Linking): ReadonlyMap<string, Role> => {
  const roles = new Map<string, Role>();
  for (const { name, key, value } of syntax.global) {
    const clause = clauseAt(`6.roles.${name}`, key);
    if (name === ADMINISTRATOR)
      linking.report(
        finding("RESERVED_NAME", key, "The role administrator is built in.", "Choose another name for this role."),
      );
    else
      roles.set(name, {
        name,
        clause,
        members: value.members?.value ?? "granted",
        title: value.title?.value ?? toTitle(name),
      });
  }
  return roles;
};

/** Nobody holds a role whose condition is not executable. */
const linkHeldRoles = (
  syntax: RolesSyntax,
  roles: ReadonlyMap<string, Role>,
  entities: ReadonlyMap<string, LinkedEntity>,
  scope: Scope,
  linking: Linking,
): Known["recordRoles"] => {
  const recordRoles = new Map<string, ReadonlyMap<string, HeldRole>>();
  for (const { name: entity, key, value } of syntax.ofRecord) {
    if (!entities.has(entity)) {
      reportUnknownName(linking, key, "entity", entity, entities.keys());
      continue;
    }
    const ofEntity = new Map<string, HeldRole>();
    for (const one of value) {
      const { when, title } = one.value;
      if (roles.has(one.name))
        linking.report(
          finding(
            "NAME_TWICE",
            one.key,
            `${one.name} is already a role that people have everywhere.`,
            "Choose another name.",
          ),
        );
      const id = `6.roles.${entity}.${one.name}`;
      const condition =
        linkExpression(when, { ...scope, entity }, { kind: "boolean" }, linking, id) ?? alwaysFalse(when.span);
      ofEntity.set(one.name, {
        name: one.name,
        clause: clauseAt(id, one.key),
        title: title?.value ?? toTitle(one.name),
        condition,
        from: null,
      });
    }
    recordRoles.set(entity, ofEntity);
  }
  return recordRoles;
};

const mayUse = (role: Spanned<string>, entity: string, { roles, recordRoles }: Known, linking: Linking): boolean => {
  const ofEntity = recordRoles.get(entity);
  const known = [ADMINISTRATOR, ...roles.keys(), ...(ofEntity?.keys() ?? [])];
  if (known.includes(role.value)) {
    linking.mentions.push({ of: "role", entity, name: role.value, span: role.span });
    const of = ofEntity?.get(role.value);
    linking.rolesUsed.add(of === undefined ? role.value : `${of.from ?? entity}.${role.value}`);
    return true;
  }
  reportUnknownName(linking, role.span, "role", role.value, known);
  return false;
};

/** Roles held on a record also hold on its parts, recursively. A role declared on the part itself takes precedence. */
const withWholes = (
  own: Known["recordRoles"],
  wholes: AroundPermissions["parentReferences"],
  scope: Scope,
  linking: Linking,
): Known["recordRoles"] => {
  const recordRoles = new Map(own);
  const done = new Set<string>();
  const heldOn = (entity: string): ReadonlyMap<string, HeldRole> => {
    const roles = new Map(recordRoles.get(entity));
    const shape = scope.entities.get(entity);
    if (shape === undefined || done.has(entity)) return roles;
    done.add(entity);
    for (const { reference, parent } of wholes.get(entity) ?? [])
      for (const role of heldOn(parent).values()) {
        const path = pathBy(shape, reference, role.clause.span);
        if (path === undefined || roles.has(role.name)) continue;
        roles.set(role.name, holdThroughPath(role, path, role.from ?? parent));
        if (linking.unsettled.has(role.clause.id)) linking.unsettled.add(`6.roles.${entity}.${role.name}`);
      }
    if (roles.size > 0) recordRoles.set(entity, roles);
    return roles;
  };
  for (const entity of wholes.keys()) heldOn(entity);
  return recordRoles;
};

type Permitted = (entity: string, action: Action) => readonly DeclaredPermission[];

/** The permissions of each action, linked on demand, since `like` permissions depend on others. */
const permitted = (said: readonly Named<EntityPermissions>[], known: Known, linking: Linking): Permitted => {
  const byEntity = new Map(said.map(({ name, value }) => [name, value]));
  const done = new Map<string, readonly DeclaredPermission[]>();
  const lookedUp = new Set<string>();
  const of: Permitted = (entity, action) => {
    const id = `${entity}.${action}`;
    const before = done.get(id);
    if (before !== undefined) return before;
    // A cycle of `like` permissions grants nothing; an analyzer reports it.
    if (lookedUp.has(id)) {
      linking.unsettled.add(`6.${id}`);
      return [];
    }
    lookedUp.add(id);
    const syntax = byEntity.get(entity);
    const clauses = syntax?.[action];
    const linked = known.entities.get(entity);
    const openings =
      syntax === undefined || linked === undefined
        ? [administrators]
        : clauses === undefined || clauses === "none"
          ? []
          : clauses.flatMap((one) => linkPermission(one, entity, action, linked, known, of, linking));
    done.set(id, openings);
    return openings;
  };
  return of;
};

/** The default permission where the document is silent: administrators only. */
const administrators: DeclaredPermission = {
  clause: clauseAt("6", NOWHERE),
  role: ADMINISTRATOR,
  roleCondition: null,
  when: null,
  fields: null,
  like: null,
  said: null,
};

const linkPermission = (
  syntax: PermissionSyntax,
  entity: string,
  action: Action,
  linked: LinkedEntity,
  known: Known,
  permitted: Permitted,
  linking: Linking,
): readonly DeclaredPermission[] => {
  const clause = clauseAt(`6.${entity}.${action}`, syntax.span);
  const who = syntax.role?.value ?? syntax.like?.field.value;
  if (syntax.discloses?.value === true && who !== undefined) linking.disclosed.add(`${clause.id} ${who}`);
  const fields = syntax.fields?.flatMap((field) => resolveField(entity, linked, field, linking)?.name ?? []);
  const when =
    syntax.when === undefined
      ? null
      : linkExpression(syntax.when, { ...known.scope, entity }, { kind: "boolean" }, linking, clause.id);
  const opening = {
    clause,
    when: when ?? null,
    fields: fields === undefined ? null : new Set(fields),
    said: syntax.fields === undefined ? null : new Set(syntax.fields.map((one) => one.value)),
  };
  const { role, like } = syntax;
  /** The syntax error is already reported; the permission's consequences are not further mistakes. */
  const unread = (): readonly DeclaredPermission[] => {
    linking.unsettled.add(clause.id);
    return [];
  };
  if (role === undefined && like === undefined && ("role" in syntax.keys || "like" in syntax.keys)) return unread();
  if ((role === undefined) === (like === undefined)) {
    linking.report(
      role === undefined
        ? finding(
            "MISSING_KEY",
            syntax.span,
            "A permission needs “role” or “like”.",
            "Name the role that gets the permission.",
            {
              clause: clause.id,
            },
          )
        : finding(
            "BAD_VALUE",
            syntax.keys.like ?? syntax.span,
            "A permission has “role” or “like”, but this one has both.",
            "Split it into two permissions, or use “when:” for the condition of the role.",
            { clause: clause.id },
          ),
    );
    return [];
  }
  if (like !== undefined)
    return when === undefined ? unread() : linkLike(like, entity, linked, opening, known, permitted, linking);
  if (role === undefined || !mayUse(role, entity, known, linking) || when === undefined) return unread();
  const roleCondition = known.recordRoles.get(entity)?.get(role.value)?.condition ?? null;
  return [{ ...opening, role: role.value, roleCondition, like: null }];
};

const linkLike = (
  { field, action }: LikeSyntax,
  entity: string,
  linked: LinkedEntity,
  opening: Omit<Like, "path" | "action"> & Pick<DeclaredPermission, "said">,
  known: Known,
  permitted: Permitted,
  linking: Linking,
): readonly DeclaredPermission[] => {
  const shape = known.scope.entities.get(entity);
  const path = shape && pathBy(shape, field.value, field.span);
  const to = linked.fields.get(field.value)?.entity;
  if (path === undefined || to == null) return [];
  const inheritedAction = action?.value ?? "read";
  const others = permitted(to, inheritedAction);
  const { id } = opening.clause;
  const target = `6.${to}.${inheritedAction}`;
  if (linking.unsettled.has(target)) linking.unsettled.add(id);
  const [list] = findInverseLists(known.scope.entities.get(to), entity, field.value);
  const openings = likePermissions(
    { ...opening, path, action: inheritedAction },
    others.map((other) => ({ ...other, leads: list !== undefined && other.said?.has(list) === true })),
  );
  if (openings.length === 0 && !linking.unsettled.has(target))
    linking.report(
      finding(
        "NEVER_TRUE",
        field.span,
        others.length === 0
          ? `No one can ${inheritedAction} ${withArticle(entityWords(to))}, so this has no effect.`
          : `Every permission to ${inheritedAction} ${withArticle(entityWords(to))} covers only some of its fields, so this has no effect.`,
        others.length === 0
          ? "Give a role that permission, or name a role here."
          : list === undefined
            ? `Name a role here, or give ${to} a list of these records and add it to those fields.`
            : `Add ${list} to those fields, or name a role here.`,
        { clause: id },
      ),
    );
  return openings.map((one) => ({ ...one, said: opening.said }));
};

/** Reports `like:` that names no reference, and cycles of `like`. */
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
        const field = resolveField(entity, linked, one.like.field, linking);
        const to = field?.entity;
        if (field !== undefined && to == null)
          linking.report(
            finding(
              "TYPES_DIFFER",
              one.like.field.span,
              `${field.name} is not a reference.`,
              "Name a reference to the record whose permissions apply here.",
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
            `This permission depends on itself: ${start} leads back to ${start}.`,
            "Name a role in one of the permissions in this circle.",
          ),
        );
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
    ...silentApproval(syntax?.changes),
  ];
};
