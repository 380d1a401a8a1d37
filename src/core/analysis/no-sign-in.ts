import { type Finding, finding } from "../findings.ts";
import type { Clause } from "../model/clause.ts";
import type { Entity } from "../model/entity.ts";
import type { Model } from "../model/model.ts";
import { ADMINISTRATOR } from "../model/permissions.ts";
import type { Analyzer } from "./analyzer.ts";

/** If nobody signs in (`sign in: none`), reports clauses that need a person, and entities that nobody can use. */
export const findMissingSignIn: Analyzer = ({ model }) => {
  if (!model.signIn.isOff) return [];
  return [
    ...findRoles(model),
    ...[...model.entities.values()].flatMap((entity) => [...findPeopleIn(entity), ...findClosed(entity)]),
    ...findCalls(model),
  ];
};

const needless = ({ id, span }: Clause, message: string, hint: string): Finding =>
  finding("BAD_VALUE", span, message, hint, { clause: id });

/**
 * Roles that are granted, or held by everyone who is signed in. Roles for changes of the document apply to the
 * workbench.
 */
const findRoles = ({ roles, approval }: Model): readonly Finding[] =>
  [...roles.values()]
    .filter(({ name, members }) => members !== "anyone" && ![...approval.propose, ...approval.approve].includes(name))
    .map(({ name, clause }) =>
      needless(
        clause,
        `No one signs in, so no one has the role ${name}.`,
        "Write “members: anyone”, or remove the role. Or remove “sign in: none” from point 7.",
      ),
    );

/** References to people, and notifications. */
const findPeopleIn = ({ name, fields, after, permissions }: Entity): readonly Finding[] => [
  ...[...fields.values()]
    .filter(({ type, entity }) => type === "reference" && entity === "User")
    .map((field) =>
      needless(
        field.clause,
        `No one signs in, so ${name}.${field.name} can name no one.`,
        "Write the name as a text, or create an entity for these people.",
      ),
    ),
  ...[...after.values()]
    .flat()
    .filter(({ kind }) => kind === "notify")
    .map(({ clause }) =>
      needless(
        clause,
        "No one signs in, so no one can be notified.",
        "Remove the notification, or call another program.",
      ),
    ),
  ...Object.values(permissions?.actions ?? {})
    .flat()
    .filter(({ role }) => role === ADMINISTRATOR)
    .map(({ clause }) =>
      needless(
        clause,
        "Administrators sign in for the workbench alone, so they are visitors in the application.",
        "Name a role with “members: anyone”.",
      ),
    ),
];

/** An entity that point 6 does not name is open to administrators only, who are visitors in the application. */
const findClosed = ({ name, clause, served, permissions }: Entity): readonly Finding[] =>
  !served || permissions !== null || name === "User"
    ? []
    : [
        finding(
          "MISSING_KEY",
          clause.span,
          `No one signs in, and point 6 does not say what visitors can do with ${name}.`,
          `Write in point 6 “roles: { visitor: { members: anyone } }”, and the permissions of ${name}.`,
          { clause: clause.id },
        ),
      ];

/** Calls about sessions, and tokens for programs. */
const findCalls = ({ calls, callSettings: { token } }: Model): readonly Finding[] => [
  ...calls
    .filter(({ does }) => does.kind !== "steps")
    .map(({ name, clause }) =>
      needless(clause, `No one signs in, so ${name} is for no one.`, "Remove the call, or “sign in: none”."),
    ),
  ...(token === null
    ? []
    : [needless(token.clause, "No one signs in, so no one needs a token.", "Remove “token”, or “sign in: none”.")]),
];
