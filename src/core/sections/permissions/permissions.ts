import type { Named, Spanned } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import type { Expr } from "../../expression/expr.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { DefaultCode } from "../../model/defaults.ts";
import { entityWords, withArticle } from "../../model/inflection.ts";
import {
  type Action,
  ADMINISTRATOR,
  type Approval,
  actions,
  type Deputies,
  type HeldRole,
  type Permissions,
  type Role,
} from "../../model/permissions.ts";
import type { Span } from "../../source-text.ts";
import { type LinkedEntity, resolveField } from "../entities/entities.ts";
import { clauseAt, type Linking, linkExpression, reportUnknownName } from "../linking/link-context.ts";
import { linkOnce } from "../linking/link-once.ts";
import { reaches } from "../linking/reachability.ts";
import { scopeOn } from "../linking/scope-on.ts";
import { linkApproval, listApprovalDefaults } from "./approval.ts";
import {
  type DeclaredPermission,
  findInverseLists,
  holdThroughPath,
  type Like,
  likePermissions,
  pathBy,
} from "./inherited-permissions.ts";
import {
  declaredPermissions,
  declaredRoles,
  type EntityPermissions,
  type LikeSyntax,
  NOWHERE,
  type PermissionSyntax,
  type PermissionsSyntax,
} from "./permissions-syntax.ts";
import type { RolesContext } from "./roles.ts";
import { linkHeldRoles, linkRoles, mayUse } from "./roles.ts";

/** The entities named in point 6. */
export const namedEntities = (syntax: PermissionsSyntax | undefined): ReadonlySet<string> =>
  new Set([...declaredPermissions(syntax), ...declaredRoles(syntax).ofRecord].map((item) => item.name));

export interface LinkedPermissions {
  readonly roles: ReadonlyMap<string, Role>;
  readonly recordRoles: ReadonlyMap<string, ReadonlyMap<string, HeldRole>>;
  readonly permissions: ReadonlyMap<string, Permissions>;
  readonly approval: Approval;
  readonly deputies: Deputies | null;
}

/** Input from other points. */
export interface PermissionInput {
  readonly entities: ReadonlyMap<string, LinkedEntity>;
  /** The references of each part to its parents. */
  readonly parentReferences: ReadonlyMap<string, readonly { readonly reference: string; readonly parent: string }[]>;
  readonly transitionRoles: readonly { readonly entity: string; readonly role: Spanned<string> }[];
  /** Expressions for the people whom deputies represent, by `approver_deputy` or `Request.manager_deputy`. */
  readonly represented: ReadonlyMap<string, Scalar>;
}

export const linkPermissions = (
  syntax: PermissionsSyntax | undefined,
  { entities, parentReferences, transitionRoles, represented }: PermissionInput,
  scope: Scope,
  linking: Linking,
): LinkedPermissions => {
  const peopleOf = (role: string, entity?: string): Expr | undefined => {
    const people = represented.get(entity === undefined ? role : `${entity}.${role}`);
    const type = { kind: "list", of: { kind: "record", entity: "User" } } as const;
    return (
      people &&
      (linkExpression(people, { ...scope, ...(entity === undefined ? {} : { entity }) }, type, linking, "6.deputies") ??
        undefined)
    );
  };
  const roles = linkRoles(declaredRoles(syntax), peopleOf, linking);
  const own = linkHeldRoles(declaredRoles(syntax), { roles, entities, scope }, peopleOf, linking);
  const recordRoles = withWholes(own, parentReferences, scope, linking);
  const known: RolesContext = { entities, roles, recordRoles, scope };
  const entries = declaredPermissions(syntax);
  checkLikes(entries, entities, linking);
  const of = permitted(entries, known, linking);
  const permissions = new Map<string, Permissions>();
  for (const { name, key, value } of entries) {
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
  const deputies =
    syntax?.deputies === undefined
      ? null
      : {
          clause: clauseAt("6.deputies", syntax.deputies.span),
          roles: new Set(syntax.deputies.for.map(({ value }) => value)),
        };
  return { roles, recordRoles, permissions, approval: linkApproval(syntax?.changes, roles, linking), deputies };
};

/** Roles held on a record also hold on its parts, recursively. A role declared on the part itself takes precedence. */
const withWholes = (
  own: RolesContext["recordRoles"],
  parents: PermissionInput["parentReferences"],
  scope: Scope,
  linking: Linking,
): RolesContext["recordRoles"] => {
  const recordRoles = new Map(own);
  const done = new Set<string>();
  const heldOn = (entity: string): ReadonlyMap<string, HeldRole> => {
    const roles = new Map(recordRoles.get(entity));
    const shape = scope.entities.get(entity);
    if (shape === undefined || done.has(entity)) return roles;
    done.add(entity);
    for (const { reference, parent } of parents.get(entity) ?? [])
      for (const role of heldOn(parent).values()) {
        const path = pathBy(shape, reference, role.clause.span);
        if (path === undefined || roles.has(role.name)) continue;
        roles.set(role.name, holdThroughPath(role, path, role.from ?? parent));
        if (linking.unsettled.has(role.clause.id)) linking.unsettled.add(`6.roles.${entity}.${role.name}`);
      }
    if (roles.size > 0) recordRoles.set(entity, roles);
    return roles;
  };
  for (const entity of parents.keys()) heldOn(entity);
  return recordRoles;
};

type Permitted = (entity: string, action: Action) => readonly DeclaredPermission[];

interface PermissionsContext extends RolesContext {
  /** The permissions for an action, for those that are like them. */
  readonly permitted: Permitted;
}

/** An action on the records of an entity. */
interface ActionOn {
  readonly entity: string;
  readonly action: Action;
  readonly linked: LinkedEntity;
}

/** The permissions of each action, linked on demand, since `like` permissions depend on others. */
const permitted = (entries: readonly Named<EntityPermissions>[], known: RolesContext, linking: Linking): Permitted => {
  const byEntity = new Map(entries.map(({ name, value }) => [name, value]));
  const done = new Map<string, readonly DeclaredPermission[]>();
  const lookedUp = new Set<string>();
  const permitted: Permitted = (entity, action) => {
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
          : clauses.flatMap((clause) => linkPermissionOnce(clause, { entity, action, linked }, context, linking));
    done.set(id, openings);
    return openings;
  };
  const context = { ...known, permitted };
  return permitted;
};

/** A permission like that of another record depends on others, and is linked each time. */
const linkPermissionOnce = (
  syntax: PermissionSyntax,
  on: ActionOn,
  known: PermissionsContext,
  linking: Linking,
): readonly DeclaredPermission[] => {
  const { role, like } = syntax;
  const link = (linking: Linking) => linkPermission(syntax, on, known, linking);
  if (role === undefined || like !== undefined) return link(linking);
  const held = known.recordRoles.get(on.entity)?.get(role.value);
  return linkOnce(linking, syntax, [on.entity, on.action, on.linked, held, known.roles.has(role.value)], link);
};

/** The default permission where the document is silent: administrators only. */
const administrators: DeclaredPermission = {
  clause: clauseAt("6", NOWHERE),
  role: ADMINISTRATOR,
  roleCondition: null,
  when: null,
  fields: null,
  like: null,
  declaredFields: null,
};

const linkPermission = (
  syntax: PermissionSyntax,
  on: ActionOn,
  known: PermissionsContext,
  linking: Linking,
): readonly DeclaredPermission[] => {
  const { entity, action, linked } = on;
  const clause = clauseAt(`6.${entity}.${action}`, syntax.span);
  const holder = syntax.role?.value ?? syntax.like?.field.value;
  if (syntax.discloses?.value === true && holder !== undefined) linking.disclosed.add(`${clause.id} ${holder}`);
  const fields = linkFields(syntax, linked, clause.id, linking);
  const when =
    syntax.when === undefined
      ? null
      : linkExpression(syntax.when, scopeOn(known.scope, entity), { kind: "boolean" }, linking, clause.id);
  const opening = {
    clause,
    when: when ?? null,
    fields,
    declaredFields: syntax.fields === undefined ? fields : new Set(syntax.fields.map((field) => field.value)),
  };
  const { role, like } = syntax;
  /** Suppresses findings that would only be consequences of a syntax error, which is already reported. */
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
  if (like !== undefined) return when === undefined ? unread() : linkLike(like, opening, on, known, linking);
  if (role === undefined || !mayUse(role, entity, known, linking) || when === undefined) return unread();
  const roleCondition = known.recordRoles.get(entity)?.get(role.value)?.condition ?? null;
  return [{ ...opening, role: role.value, roleCondition, like: null }];
};

/** The fields that a permission covers: those that it names, all but those in `except`, or null for all. */
const linkFields = (
  { fields, except, keys }: PermissionSyntax,
  linked: LinkedEntity,
  clause: string,
  linking: Linking,
): ReadonlySet<string> | null => {
  const resolve = (names: readonly Spanned<string>[]) =>
    names.flatMap((field) => resolveField(linked, field, linking, { acts: true })?.name ?? []);
  if (fields !== undefined && except !== undefined)
    linking.report(
      finding(
        "BAD_VALUE",
        keys.except ?? NOWHERE,
        "A permission has “fields” or “except”, but this one has both.",
        "Remove “except”: “fields” names all fields that it covers.",
        { clause },
      ),
    );
  if (fields !== undefined) return new Set(resolve(fields));
  // A mistake in the list must not give away what it hides.
  if (except === undefined) return keys.except === undefined ? null : new Set();
  const hidden = new Set(resolve(except));
  return new Set([...linked.fields.keys()].filter((name) => !hidden.has(name)));
};

const linkLike = (
  { field, action }: LikeSyntax,
  opening: Omit<Like, "path" | "action"> & Pick<DeclaredPermission, "declaredFields">,
  { entity, linked }: ActionOn,
  { scope, permitted }: PermissionsContext,
  linking: Linking,
): readonly DeclaredPermission[] => {
  const shape = scope.entities.get(entity);
  const path = shape && pathBy(shape, field.value, field.span);
  const to = linked.fields.get(field.value)?.entity;
  if (path === undefined || to == null) return [];
  const inheritedAction = action?.value ?? "read";
  const others = permitted(to, inheritedAction);
  const { id } = opening.clause;
  const target = `6.${to}.${inheritedAction}`;
  if (linking.unsettled.has(target)) linking.unsettled.add(id);
  const [list] = findInverseLists(scope.entities.get(to), entity, field.value);
  const openings = likePermissions(
    { ...opening, path, action: inheritedAction },
    others.map((other) => ({ ...other, leads: list !== undefined && other.declaredFields?.has(list) === true })),
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
  return openings.map((permission) => ({ ...permission, declaredFields: opening.declaredFields }));
};

/** Reports `like:` that names no reference, and cycles of `like`. */
const checkLikes = (
  syntax: readonly Named<EntityPermissions>[],
  entities: ReadonlyMap<string, LinkedEntity>,
  linking: Linking,
): void => {
  const followed = new Map<string, { readonly to: string; readonly span: Span }[]>();
  for (const { name: entity, value } of syntax) {
    const linked = entities.get(entity);
    if (linked === undefined) continue;
    for (const action of actions)
      for (const item of value[action] === undefined || value[action] === "none" ? [] : value[action]) {
        if (item.like === undefined) continue;
        const field = resolveField(linked, item.like.field, linking);
        const to = field?.entity;
        if (field !== undefined && to == null)
          linking.report(
            finding(
              "TYPES_DIFFER",
              item.like.field.span,
              `${field.name} is not a reference.`,
              "Name a reference to the record whose permissions apply here.",
            ),
          );
        if (to != null)
          followed.set(`${entity}.${action}`, [
            ...(followed.get(`${entity}.${action}`) ?? []),
            { to: `${to}.${item.like.action?.value ?? "read"}`, span: item.like.field.span },
          ]);
      }
  }
  for (const [start, edges] of followed)
    for (const edge of edges)
      if (reaches(followed, edge.to, start))
        linking.report(
          finding(
            "CYCLE",
            edge.span,
            `This permission depends on itself: ${start} leads back to ${start}.`,
            "Name a role in one of the permissions in this circle.",
          ),
        );
};

export const listPermissionDefaults = (
  syntax: PermissionsSyntax | undefined,
  entities: Iterable<string>,
): readonly DefaultCode[] => {
  const spoken = new Set(declaredPermissions(syntax).map((permission) => permission.name));
  const silent =
    syntax?.permissions === undefined || [...entities].some((entity) => entity !== "User" && !spoken.has(entity));
  const without = declaredPermissions(syntax).some((permission) =>
    actions.some((action) => permission.value[action] === undefined),
  );
  const memberless = declaredRoles(syntax).global.some((entry) => entry.value.members === undefined);
  return [
    ...(without ? (["ACTION_BY_NOBODY"] as const) : []),
    ...(memberless ? (["ROLE_GRANTED"] as const) : []),
    ...(silent ? (["ADMINISTRATORS_ONLY"] as const) : []),
    ...(syntax?.roles === undefined ? (["NO_ROLES"] as const) : []),
    ...listApprovalDefaults(syntax?.changes),
  ];
};
