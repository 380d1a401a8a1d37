import type { ReportFinding, Spanned } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import { finding } from "../../findings.ts";
import { titleFor } from "../../i18n/titles.ts";
import { toTitle } from "../../model/inflection.ts";
import { ADMINISTRATOR, toDeputyRole } from "../../model/permissions.ts";
import type { CallsSyntax } from "../calls/calls.ts";
import type { EntitiesSyntax } from "../entities/entities-syntax.ts";
import { composeExpression } from "../linking/build-tree.ts";
import { declaredRoles, type PermissionsSyntax } from "../permissions/permissions-syntax.ts";
import type { RulesSyntax } from "../rules/rules.ts";
import type { ScreensSyntax } from "../screens/screens-syntax.ts";
import type { StatesSyntax } from "../states/states-syntax.ts";
import { withCalls, withScreens } from "./audiences.ts";
import { type Expansion, holds, IN_FORCE, listNamed, PERSON, RECORD } from "./deputy-conditions.ts";
import { withDeputyEntity, withRepresentedFields } from "./deputy-entity.ts";
import { withRoles } from "./deputy-permissions.ts";
import { withDeputyRules } from "./deputy-rules.ts";
import { withMakers, withNotice } from "./deputy-transitions.ts";

/*
 * People hand their roles to a deputy for some time. `deputies: { for: [approver, manager], up to: 30 days }` is
 * expanded before names are resolved. It adds the entity `Deputy`, whose records say who represents whom on which days,
 * and for each of these roles another one, such as `manager_deputy`. The condition of that role is the condition of
 * `manager` with the absent person in place of `user`, and it has every permission of `manager`. So one evaluator
 * decides for both, and all later stages see only ordinary roles.
 */

interface Points {
  readonly screens: ScreensSyntax | undefined;
  readonly entities: EntitiesSyntax | undefined;
  readonly states: StatesSyntax | undefined;
  readonly rules: RulesSyntax | undefined;
  readonly permissions: PermissionsSyntax | undefined;
  readonly calls: CallsSyntax | undefined;
}

/** Expressions by which the model finds the people whom a deputy represents: by `approver_deputy`, or `Request.manager_deputy`. */
export type Represented = ReadonlyMap<string, Scalar>;

/** Expands `deputies` in the syntax. Reports roles that nobody can hand over. */
export const expandDeputies = <P extends Points>(
  points: P,
  locale: string,
  report: ReportFinding,
): P & { readonly represented: Represented } => {
  const syntax = points.permissions?.deputies;
  if (points.permissions === undefined || syntax === undefined) return { ...points, represented: new Map() };
  const roles = declaredRoles(points.permissions);
  const delegated = new Set(syntax.for.flatMap((role) => checkRole(role, points.permissions, report) ?? []));
  const conditionOf: Expansion["conditionOf"] = (entity, role) =>
    roles.ofRecord.find(({ name }) => name === entity)?.value.find(({ name }) => name === role)?.value.when;
  const expansion: Expansion = {
    clause: syntax.span,
    delegated,
    isGlobal: (role) => roles.global.some(({ name }) => name === role),
    conditionOf,
    isHeldByUser: (entity, role) => {
      const condition = conditionOf(entity, role);
      if (condition !== undefined) return ["(", condition, ")"];
      const members = roles.global.find(({ name }) => name === role)?.value.members?.value;
      return [members === "anyone" || members === "signed in" ? "true" : `'${role}' in user.roles`];
    },
    titleOf: (role, title) => titleFor("deputies.role", locale).replace("{role}", title ?? toTitle(role)),
  };
  return {
    ...points,
    screens: withScreens(points.screens, expansion),
    entities: withDeputyEntity(
      withRepresentedFields(listNamed(points.entities), points.states, expansion, locale),
      syntax,
      locale,
      report,
    ),
    states: withNotice(withMakers(points.states, points.rules, expansion), syntax, locale, report),
    rules: withDeputyRules(points.rules, syntax, report),
    permissions: withRoles(points.permissions, expansion, locale, report),
    calls: withCalls(points.calls, expansion),
    represented: findRepresented(points.permissions, expansion),
  };
};

/**
 * Checks that a role is granted to people, globally or on records. Unknown names are reported where roles are linked.
 */
const checkRole = (
  { value, span }: Spanned<string>,
  syntax: PermissionsSyntax | undefined,
  report: ReportFinding,
): string | undefined => {
  const { global, ofRecord } = declaredRoles(syntax);
  const role = global.find(({ name }) => name === value);
  const wrong = (message: string, hint: string): undefined =>
    void report(finding("BAD_VALUE", span, message, hint, { clause: "6.deputies" }));
  if (value === ADMINISTRATOR)
    return wrong("Nobody can hand over the role administrator.", "Make a second person administrator instead.");
  if (role !== undefined && role.value.members !== undefined && role.value.members.value !== "granted")
    return wrong(
      `Everybody who can be a deputy has the role ${value} already.`,
      "Name roles that an administrator grants, or that people have on single records.",
    );
  if (role === undefined && !ofRecord.some((entry) => entry.value.some(({ name }) => name === value)))
    return void report(
      finding("UNKNOWN_NAME", span, `There is no role ${value}.`, "Declare it under “roles:”.", {
        clause: "6.deputies",
      }),
    );
  return value;
};

const findRepresented = (syntax: PermissionsSyntax, expansion: Expansion): Represented => {
  const { global, ofRecord } = declaredRoles(syntax);
  const people = (entity: string, role: string) =>
    composeExpression(
      expansion.clause,
      `Deputy.filter(${RECORD}, ${IN_FORCE} && `,
      ...holds(entity, role, expansion),
      `).map(${RECORD}, ${PERSON})`,
    );
  return new Map([
    ...global.flatMap(({ name }): [string, Scalar][] =>
      expansion.delegated.has(name) ? [[toDeputyRole(name), people("", name)]] : [],
    ),
    ...ofRecord.flatMap(({ name: entity, value }) =>
      value.flatMap(({ name }): [string, Scalar][] =>
        expansion.delegated.has(name) ? [[`${entity}.${toDeputyRole(name)}`, people(entity, name)]] : [],
      ),
    ),
  ]);
};
