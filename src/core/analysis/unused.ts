import { possibleRefusals } from "../derive/http/possible-errors.ts";
import { conventionalRoutes } from "../derive/http/routes.ts";
import { type Finding, type FindingCode, finding } from "../findings.ts";
import type { Clause } from "../model/clause.ts";
import { builtInErrors } from "../model/errors.ts";
import type { Model } from "../model/model.ts";
import type { Analyzer } from "./analyzer.ts";

/** Finds declarations that nothing uses, usually because of a misspelling. */
export const findUnused: Analyzer = ({ model, uses }) => [
  ...[...model.errors.values()].flatMap(({ code, clause }) =>
    clause === null || Object.hasOwn(builtInErrors, code) || uses.errors.has(code)
      ? []
      : [
          createFinding(
            "UNUSED_ERROR",
            clause,
            `No rule raises ${code}.`,
            "Name it after “else:” in a rule of point 5, or remove it.",
          ),
        ],
  ),
  ...neverAnswered(model),
  ...[...model.limits.all.values()].flatMap(({ name, clause }) =>
    clause === null || uses.limits.has(name)
      ? []
      : [
          createFinding(
            "UNUSED_LIMIT",
            clause,
            `Nothing reads the constant ${name}.`,
            "Use it in place of the number, or remove it.",
          ),
        ],
  ),
  ...[...model.outgoing.values()].flatMap(({ name, clause }) =>
    uses.calls.has(name)
      ? []
      : [
          createFinding(
            "UNUSED_CALL",
            clause,
            `No effect makes the call ${name}.`,
            `Add an effect with “call: ${name}” to an “after:” in point 4, or remove the call.`,
          ),
        ],
  ),
  ...getRoles(model).flatMap(({ name, id, clause }) =>
    uses.roles.has(id)
      ? []
      : [createFinding("UNUSED_ROLE", clause, `Nothing uses the role ${name}.`, "Give it a permission, or remove it.")],
  ),
];

/** Finds scoped errors such as `Device.name.TAKEN` that no call can return to anybody. */
const neverAnswered = (model: Model): readonly Finding[] =>
  [...model.errors].flatMap(([name, { code, clause }]) => {
    const [entity, field] = name.split(".");
    const own = model.entities.get(entity ?? "");
    if (clause === null || name === code || own === undefined || !own.served) return [];
    const isField = field !== code;
    const fields = new Set(own.fields.keys());
    const answers = conventionalRoutes(model)
      .filter((route) => route.entity === entity)
      .flatMap((route) => possibleRefusals(model, route, fields))
      .concat(anywhere.map((item) => ({ code: item })));
    if (
      answers.some(
        (answer) => answer.code === code && (!isField || answer.at === undefined || answer.at === `/${field}`),
      )
    )
      return [];
    const what = isField ? `${entity}.${field}` : entity;
    return [
      createFinding(
        "UNUSED_ERROR",
        clause,
        `The error ${code} never occurs for ${what}.`,
        "Name an entity or a field for which it occurs, or remove it.",
      ),
    ];
  });

/** Errors that any request can return before its target is known. */
const anywhere = [
  "NOT_SIGNED_IN",
  "FORBIDDEN",
  "NOT_FOUND",
  "MALFORMED",
  "TOO_MUCH",
  "UNSUPPORTED",
  "BAD_QUERY",
  "BAD_PATH",
];

const getRoles = ({ roles, entities }: Model) => [
  ...[...roles.values()].map(({ name, clause }) => ({ name, id: name, clause })),
  // Roles between people (colleague, deputy) are useful without permissions.
  ...[...entities.values()].flatMap((entity) =>
    entity.name === "User"
      ? []
      : [...entity.roles.values()].flatMap(({ name, clause, from }) =>
          from === null ? [{ name, id: `${entity.name}.${name}`, clause }] : [],
        ),
  ),
];

const createFinding = (code: FindingCode, { id, span }: Clause, message: string, hint: string): Finding =>
  finding(code, span, message, hint, { clause: id });
