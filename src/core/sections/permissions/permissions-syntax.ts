import { byKind, map, memoized, orNone, withDefault } from "../../document/shape/combinators.ts";
import { list, listOrOne, named, namesForm, single } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record, required } from "../../document/shape/record.ts";
import { expression, flag, plainText, word } from "../../document/shape/scalar.ts";
import type { Named, ReportFinding, Shape, ShapeValue, Spanned } from "../../document/shape.ts";
import type { Scalar, Tree } from "../../document/tree.ts";
import { finding } from "../../findings.ts";
import { type Action, actions } from "../../model/permissions.ts";
import type { Span } from "../../source-text.ts";
import { changesShape } from "./approval.ts";
import { deputiesShape } from "./deputies-syntax.ts";

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

/** A condition in place of the members: `finance: user.department == finance`, or with `when`. */
const conditionOf = (value: Tree): Tree | undefined => {
  if (value.kind === "mapping") return value.entries.find(({ key }) => key.text === "when")?.value;
  return value.kind === "scalar" && /\buser\b|[=<>]/u.test(value.text) ? value : undefined;
};

/** Reports roles with a condition, which are held on records, and leaves them out. */
const withoutConditions = (tree: Tree, report: ReportFinding): Tree => {
  if (tree.kind !== "mapping") return tree;
  const entries = tree.entries.filter(({ key, value }) => {
    const condition = conditionOf(value);
    if (condition === undefined) return true;
    const example = condition.kind === "scalar" ? `${key.text}: ${condition.text.trim()}` : `${key.text}: …`;
    report(
      finding(
        "BAD_VALUE",
        condition.span,
        `The role ${key.text} is declared for everything, so it can’t have a condition.`,
        `Declare it for the records of each entity that names it: “Invoice: { ${example} }”. The condition can read “user”.`,
        { clause: `6.roles.${key.text}` },
      ),
    );
    return false;
  });
  return { ...tree, entries };
};

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
    const global = named("role", globalRole).read(withoutConditions(split(false), report), report);
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
    role: optional(listOrOne(name("role"))),
    when: optional(expression),
    fields: optional(list(name("field"))),
    except: optional(listOrOne(name("field"))),
    like: optional(like),
    discloses: optional(flag),
  },
  "role",
);

/** A permission for one role, or `like` another record. */
export type PermissionSyntax = Omit<ShapeValue<typeof permission>, "role"> & {
  readonly role: Spanned<string> | undefined;
};

/** `role: [clerk, manager]` is the same permission for each of the roles. */
const forEachRole = ({ role, ...more }: ShapeValue<typeof permission>): readonly PermissionSyntax[] =>
  role === undefined ? [{ ...more, role }] : role.map((one) => ({ ...more, role: one }));

const permissionList = withDefault(
  "ACTION_BY_NOBODY",
  orNone(map(listOrOne(permission), (all) => all.flatMap(forEachRole))),
);
const entityPermissions = record("the permissions of an entity", {
  read: optional(permissionList),
  create: optional(permissionList),
  update: optional(permissionList),
  delete: optional(permissionList),
});

export const NOWHERE: Span = { file: "", start: 0, end: 0 };

/** `none` for an entity means that nobody has any permission on it. */
const ofEntity = map(
  orNone(entityPermissions),
  (syntax): ShapeValue<typeof entityPermissions> =>
    syntax === "none"
      ? { read: "none", create: "none", update: "none", delete: "none", span: NOWHERE, keys: {} }
      : syntax,
);

const both = record("point 6", {
  roles: optional(orNone(roles)),
  permissions: optional(orNone(named("entity", withDefault("ADMINISTRATORS_ONLY", memoized(ofEntity))))),
  changes: optional(changesShape),
  deputies: optional(deputiesShape),
});
/** `none` covers both roles and permissions. */
export const permissionsShape = map(
  orNone(both),
  (syntax): ShapeValue<typeof both> =>
    syntax === "none"
      ? { roles: "none", permissions: "none", changes: undefined, deputies: undefined, span: NOWHERE, keys: {} }
      : syntax,
);

export type PermissionsSyntax = ShapeValue<typeof permissionsShape>;
export type EntityPermissions = ShapeValue<typeof entityPermissions>;

export const declaredRoles = (syntax: PermissionsSyntax | undefined): RolesSyntax =>
  syntax?.roles === undefined || syntax.roles === "none" ? { global: [], ofRecord: [] } : syntax.roles;
export const declaredPermissions = (
  syntax: PermissionsSyntax | undefined,
): readonly Named<ShapeValue<typeof entityPermissions>>[] =>
  syntax?.permissions === undefined || syntax.permissions === "none" ? [] : syntax.permissions;
