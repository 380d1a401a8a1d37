import type { Named, ReportFinding } from "../../document/shape.ts";
import type { Tree } from "../../document/tree.ts";
import { titleFor } from "../../i18n/titles.ts";
import { toTitle } from "../../model/inflection.ts";
import { ADMINISTRATOR, DEPUTY, toDeputyRole } from "../../model/permissions.ts";
import type { Span } from "../../source-text.ts";
import { buildList, buildMapping, buildScalar } from "../linking/build-tree.ts";
import {
  declaredPermissions,
  declaredRoles,
  type EntityPermissions,
  type PermissionSyntax,
  type PermissionsSyntax,
  permissionsShape,
} from "../permissions/permissions-syntax.ts";
import { type Expansion, forBoth, holds, standsIn } from "./deputy-conditions.ts";

/** Roles on the records of `Deputy`: the absent person, and the deputy. */
const AWAY = "has_deputy";
const STANDS_IN = "is_deputy";

/** Point 6: adds the roles of deputies, with the permissions of the roles that they represent. */
export const withRoles = (
  syntax: PermissionsSyntax,
  expansion: Expansion,
  locale: string,
  report: ReportFinding,
): PermissionsSyntax => {
  const { clause: span, delegated, titleOf } = expansion;
  const { global, ofRecord } = declaredRoles(syntax);
  const added = permissionsShape.read(buildDeputyPermissions(span, locale), report);
  const ownRoles = declaredRoles(added).ofRecord;
  const heldRoles = ofRecord.map((entry) => ({
    ...entry,
    value: [
      ...entry.value,
      ...entry.value.flatMap((role) =>
        delegated.has(role.name)
          ? [
              {
                ...role,
                name: toDeputyRole(role.name),
                value: {
                  ...role.value,
                  when: standsIn(span, holds(entry.name, role.name, expansion)),
                  title: { value: titleOf(role.name, role.value.title?.value), span },
                },
              },
            ]
          : [],
      ),
      ...(entry.name === DEPUTY ? ownRoles.flatMap(({ value }) => value) : []),
    ],
  }));
  return {
    ...syntax,
    roles: {
      global: [
        ...global,
        ...global.flatMap((role) =>
          delegated.has(role.name)
            ? [
                {
                  ...role,
                  name: toDeputyRole(role.name),
                  value: {
                    ...role.value,
                    was: role.value.was && { ...role.value.was, value: toDeputyRole(role.value.was.value) },
                    members: { value: "granted" as const, span },
                    title: { value: titleOf(role.name, role.value.title?.value), span },
                  },
                },
              ]
            : [],
        ),
      ],
      ofRecord: ofRecord.some(({ name }) => name === DEPUTY) ? heldRoles : [...heldRoles, ...ownRoles],
    },
    permissions: [
      ...declaredPermissions(syntax).map((permission) => ({
        ...permission,
        value: withDeputyPermissions(permission, expansion),
      })),
      ...(declaredPermissions(syntax).some(({ name }) => name === DEPUTY) ? [] : declaredPermissions(added)),
    ],
  };
};

const withDeputyPermissions = (
  { name: entity, value }: Named<EntityPermissions>,
  expansion: Expansion,
): EntityPermissions => {
  const withDeputies = (all: readonly PermissionSyntax[] | "none" | undefined) =>
    all === undefined || all === "none"
      ? all
      : all.flatMap((item) => {
          const { role } = item;
          if (role === undefined || !expansion.delegated.has(role.value)) return [item];
          const when = forBoth(entity, role.value, item.when, [], expansion);
          return [item, { ...item, role: { ...role, value: toDeputyRole(role.value) }, when }];
        });
  return {
    ...value,
    read: withDeputies(value.read),
    create: withDeputies(value.create),
    update: withDeputies(value.update),
    delete: withDeputies(value.delete),
  };
};

/**
 * People name their own deputy. They, the deputy and administrators can read it; they and administrators can change its last day and end it.
 */
const buildDeputyPermissions = (span: Span, locale: string): Tree => {
  const text = (value: string) => buildScalar(value, span);
  const list = (...all: readonly string[]) => buildList(span, all.map(text));
  const role = (condition: string, title: string) => buildMapping(span, { when: text(condition), title: text(title) });
  return buildMapping(span, {
    roles: buildMapping(span, {
      [DEPUTY]: buildMapping(span, {
        [AWAY]: role("person == user", titleFor("deputies.away", locale)),
        [STANDS_IN]: role("deputy == user", toTitle(titleFor("deputies.one", locale))),
      }),
    }),
    permissions: buildMapping(span, {
      [DEPUTY]: buildMapping(span, {
        read: list(AWAY, STANDS_IN, ADMINISTRATOR),
        create: buildMapping(span, { role: text(AWAY), fields: list("deputy", "first_day", "last_day") }),
        update: buildMapping(span, { role: list(AWAY, ADMINISTRATOR), fields: list("last_day") }),
        delete: list(AWAY, ADMINISTRATOR),
      }),
    }),
  });
};
