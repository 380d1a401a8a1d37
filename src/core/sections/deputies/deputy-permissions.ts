import type { Named, ReportFinding } from "../../document/shape.ts";
import type { Tree } from "../../document/tree.ts";
import { titleFor } from "../../i18n/titles.ts";
import { ADMINISTRATOR, DEPUTY, toDeputyRole } from "../../model/permissions.ts";
import type { Span } from "../../source-text.ts";
import { buildList, buildMapping, buildScalar } from "../linking/build-tree.ts";
import {
  type EntityPermissions,
  type PermissionSyntax,
  type PermissionsSyntax,
  permissionsShape,
  saidPermissions,
  saidRoles,
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
  const { clause: span, handed, titleOf } = expansion;
  const { global, ofRecord } = saidRoles(syntax);
  const added = permissionsShape.read(buildDeputyPermissions(span, locale), report);
  const ownRoles = saidRoles(added).ofRecord;
  const heldRoles = ofRecord.map((one) => ({
    ...one,
    value: [
      ...one.value,
      ...one.value.flatMap((role) =>
        handed.has(role.name)
          ? [
              {
                ...role,
                name: toDeputyRole(role.name),
                value: {
                  ...role.value,
                  when: standsIn(span, holds(one.name, role.name, expansion)),
                  title: { value: titleOf(role.name, role.value.title?.value), span },
                },
              },
            ]
          : [],
      ),
      ...(one.name === DEPUTY ? ownRoles.flatMap(({ value }) => value) : []),
    ],
  }));
  return {
    ...syntax,
    roles: {
      global: [
        ...global,
        ...global.flatMap((role) =>
          handed.has(role.name)
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
      ...saidPermissions(syntax).map((one) => ({ ...one, value: withDeputyPermissions(one, expansion) })),
      ...(saidPermissions(syntax).some(({ name }) => name === DEPUTY) ? [] : saidPermissions(added)),
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
      : all.flatMap((one) => {
          const { role } = one;
          if (role === undefined || !expansion.handed.has(role.value)) return [one];
          const when = forBoth(entity, role.value, one.when, [], expansion);
          return [one, { ...one, role: { ...role, value: toDeputyRole(role.value) }, when }];
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
 * People name their own deputy. They, the deputy and administrators can read it; they and administrators can end it.
 */
const buildDeputyPermissions = (span: Span, locale: string): Tree => {
  const text = (value: string) => buildScalar(value, span);
  const list = (...all: readonly string[]) => buildList(span, all.map(text));
  const role = (condition: string, title: string) => buildMapping(span, { when: text(condition), title: text(title) });
  return buildMapping(span, {
    roles: buildMapping(span, {
      [DEPUTY]: buildMapping(span, {
        [AWAY]: role("person == user", titleFor("deputies.away", locale)),
        [STANDS_IN]: role("deputy == user", titleFor("deputies.one", locale)),
      }),
    }),
    permissions: buildMapping(span, {
      [DEPUTY]: buildMapping(span, {
        read: list(AWAY, STANDS_IN, ADMINISTRATOR),
        create: buildMapping(span, { role: text(AWAY), fields: list("deputy", "first_day", "last_day") }),
        update: buildMapping(span, { role: text(AWAY), fields: list("last_day") }),
        delete: list(AWAY, ADMINISTRATOR),
      }),
    }),
  });
};
