import { byKind, lazy, orKeyName } from "../../document/shape/combinators.ts";
import { keyed } from "../../document/shape/list-and-mapping.ts";
import { expression } from "../../document/shape/scalar.ts";
import type { Named, Shape } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import { type Expr, subexpressions } from "../../expression/expr.ts";
import type { ContextName, Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import { type ErrorMember, type ErrorShape, errorMembers, problemMembers } from "../../model/endpoint.ts";
import { nearest, type Span } from "../../source-text.ts";
import { checkExpression, type Linking } from "./link-context.ts";

/** The names of an object's member that stand for each field with an error, or for each place in the body. */
const fieldNames: ReadonlyMap<string, "field" | "path"> = new Map([
  ["{field}", "field"],
  ["{path}", "path"],
]);

/** The form of an error: an expression, names with forms, or a list with the form of each error. */
type ErrorPayload =
  | Scalar
  | { readonly each: ErrorPayload; readonly span: Span }
  | readonly Named<ErrorPayload | "itself">[];

const eachError: Shape<ErrorPayload> = {
  expected: "a list with the form of one error",
  form: { kind: "list", of: lazy("the form of one error", () => errorPayload) },
  read: (tree, report) => {
    const items = tree.kind === "list" ? tree.items : [];
    const [first] = items;
    if (first === undefined || items.length > 1) {
      report(
        finding(
          "WRONG_SHAPE",
          tree.span,
          "A list stands for all errors, so it has one item: the form of each error.",
          "Write for example [{ at, message }], or [message].",
        ),
      );
      return undefined;
    }
    const each = errorPayload.read(first, report);
    return each === undefined ? undefined : { each, span: tree.span };
  },
};

export const errorPayload: Shape<ErrorPayload> = byKind<ErrorPayload>("the form of an error", {
  scalar: expression,
  mapping: lazy("names with values", () => keyed("names with values", orKeyName(errorPayload))),
  list: eachError,
});

/** The errors that a part of a form is about: all of them, those of one field, or a single one of a list. */
type About = "all" | "field" | "each";

/**
 * Links the form of error responses: a member of the problem document, a constant, an expression over single members,
 * an object with names of its own or with the names of the fields, or a list of errors.
 */
export const linkErrorShape = (
  shape: ErrorPayload,
  clause: string,
  scope: Scope,
  linking: Linking,
  about: About = "all",
): ErrorShape => {
  if ("text" in shape) return linkErrorValue(shape, clause, scope, linking, about);
  if ("each" in shape) {
    if (about === "each")
      linking.report(
        finding(
          "WRONG_SHAPE",
          shape.span,
          "A list of errors can’t be inside another one.",
          "Remove the inner brackets.",
          { clause },
        ),
      );
    return { kind: "each", of: linkErrorShape(shape.each, clause, scope, linking, "each") };
  }
  const [first] = shape;
  const by = fieldNames.get(first?.name ?? "");
  if (about === "all" && shape.length === 1 && first !== undefined && by !== undefined)
    return { kind: "fields", by, of: linkNamed(first, clause, scope, linking, "field") };
  for (const { name: key, key: span } of shape)
    if (key.includes("{"))
      linking.report(
        finding(
          "BAD_VALUE",
          span,
          `Names appear in the response as you write them, so the response would contain “${key}” itself.`,
          'Write { "{field}": { message, value } } for an object with the name of each field and nothing else, or [{ at, message }] for a list.',
          { clause },
        ),
      );
  return {
    kind: "names",
    of: shape.map((entry) => [entry.name, linkNamed(entry, clause, scope, linking, about)]),
  };
};

/** The form of a named value; a name alone is the member of that name. */
const linkNamed = (
  { name: text, key: span, value }: Named<ErrorPayload | "itself">,
  clause: string,
  scope: Scope,
  linking: Linking,
  about: About,
): ErrorShape =>
  linkErrorShape(
    value === "itself" ? { kind: "scalar", text, span, quoted: false, origin: span.start } : value,
    clause,
    scope,
    linking,
    about,
  );

/** Types of the members that stand for one value. */
const memberTypes: ReadonlyMap<ErrorMember, ContextName> = new Map([
  ["code", { type: { kind: "text" }, optional: false }],
  ["status", { type: { kind: "integer" }, optional: false }],
  ["title", { type: { kind: "text" }, optional: false }],
  ["message", { type: { kind: "text" }, optional: false }],
  ["clause", { type: { kind: "text" }, optional: true }],
  ["help", { type: { kind: "text" }, optional: true }],
  ["at", { type: { kind: "text" }, optional: true }],
  ["field", { type: { kind: "text" }, optional: true }],
  ["path", { type: { kind: "text" }, optional: true }],
]);

/** Types of values that have the same form in JSON as in an expression. */
const jsonTypes: ReadonlySet<string> = new Set(["text", "integer", "boolean", "datetime", "null"]);

const linkErrorValue = (at: Scalar, clause: string, scope: Scope, linking: Linking, about: About): ErrorShape => {
  const members: readonly ErrorMember[] = about === "all" ? problemMembers : errorMembers;
  const member = members.find((member) => member === at.text);
  if (member !== undefined) return { kind: "member", member };
  const isConstant = at.text === "true" || at.text === "false" || at.text === "null" || at.text === "now";
  if (/^[A-Za-z_]+$/u.test(at.text) && !isConstant && !scope.limits.has(at.text)) {
    reportNoMember(at, members, clause, linking);
    return { kind: "member", member: "code" };
  }
  const place: Scope = {
    user: false,
    entities: new Map(),
    limits: scope.limits,
    timezone: scope.timezone,
    names: new Map([...memberTypes].filter(([name]) => members.includes(name))),
  };
  const value = checkExpression(at, place, undefined, linking);
  if (value === undefined) return { kind: "member", member: "code" };
  if (!jsonTypes.has(value.type.kind) || readsDay(value))
    linking.report(
      finding(
        "BAD_VALUE",
        at.span,
        "A value of an error is a text, a whole number, true, false, null or “now”.",
        "Put a text in two pairs of quotes, such as \"'fail'\".",
        { clause },
      ),
    );
  return { kind: "value", value };
};

const readsDay = (expr: Expr): boolean => expr.kind === "today" || subexpressions(expr).some(readsDay);

const reportNoMember = ({ text, span }: Scalar, members: readonly string[], clause: string, linking: Linking): void => {
  const near = nearest(text, members);
  linking.report(
    finding(
      "UNKNOWN_NAME",
      span,
      `An error response has no “${text}”.`,
      near === undefined
        ? `It has ${members.join(", ")}. For the text itself, write "'${text}'".`
        : `Did you mean “${near}”?`,
      { clause, ...(near === undefined ? {} : { nearest: near, fix: [{ span, text: near }] }) },
    ),
  );
};
