import { type Finding, type FindingCode, finding } from "../findings.ts";
import { builtInErrors } from "../model/errors.ts";
import type { Clause, Model } from "../model/model.ts";
import type { Check } from "./check.ts";

/** What the document declares and nothing uses: most often a misspelling of what something should. */
export const unused: Check = ({ model, uses }) => [
  ...[...model.errors.values()].flatMap(({ code, clause }) =>
    clause === null || Object.hasOwn(builtInErrors, code) || uses.errors.has(code)
      ? []
      : [
          found(
            "UNUSED_ERROR",
            clause,
            `No rule raises ${code}.`,
            "Name it after “else:” in a rule of point 5, or take it out.",
          ),
        ],
  ),
  ...[...model.limits.all.values()].flatMap(({ name, clause }) =>
    clause === null || uses.limits.has(name)
      ? []
      : [
          found(
            "UNUSED_LIMIT",
            clause,
            `Nothing reads the constant ${name}.`,
            "Use it where the number stands, or take it out.",
          ),
        ],
  ),
  ...rolesOf(model).flatMap(({ name, id, clause }) =>
    uses.roles.has(id)
      ? []
      : [found("UNUSED_ROLE", clause, `Nothing uses the role ${name}.`, "Permit it something, or take it out.")],
  ),
];

const rolesOf = ({ roles, entities }: Model) => [
  ...[...roles.values()].map(({ name, clause }) => ({ name, id: name, clause })),
  // What people are to one another (a colleague, a deputy) is said for its own sake.
  ...[...entities.values()].flatMap((entity) =>
    entity.name === "User"
      ? []
      : [...entity.roles.values()].flatMap(({ name, clause, from }) =>
          from === null ? [{ name, id: `${entity.name}.${name}`, clause }] : [],
        ),
  ),
];

const found = (code: FindingCode, { id, span }: Clause, message: string, hint: string): Finding =>
  finding(code, span, message, hint, { clause: id });
