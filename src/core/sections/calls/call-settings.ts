import {
  byKind,
  expression,
  keyed,
  lazily,
  listOrOne,
  type Named,
  name,
  optional,
  orItself,
  orNone,
  plainText,
  type Read,
  record,
  type Shape,
  type Spanned,
  word,
} from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import { type Expr, subexpressions } from "../../expression/expr.ts";
import { parseDuration } from "../../expression/values/duration.ts";
import type { ContextName, Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import {
  type CallSettings,
  type ErrorMember,
  type ErrorShape,
  errorMembers,
  problemMembers,
  type TokenSettings,
} from "../../model/model.ts";
import { nearest, type Span } from "../../source-text.ts";
import { checkExpression, clauseAt, type Linking, reportUnknownName } from "../linking/link-context.ts";
import { callVerbs } from "./call-syntax.ts";

/** Settings of all calls in the document, and authentication of programs. */

/** The form of an error: an expression, names with forms, or a list with the form of each error. */
type ErrorPayload =
  | Scalar
  | { readonly each: ErrorPayload; readonly span: Span }
  | readonly Named<ErrorPayload | "itself">[];

const eachError: Shape<ErrorPayload> = {
  expected: "a list with the form of one error",
  form: { kind: "list", of: lazily("the form of one error", () => errorPayload) },
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

const errorPayload: Shape<ErrorPayload> = byKind<ErrorPayload>("the form of an error", {
  scalar: expression,
  mapping: lazily("names with values", () => keyed("names with values", orItself(errorPayload))),
  list: eachError,
});

const token = record("a token", {
  by: optional(listOrOne(name("role"))),
  longest: optional(plainText),
  scheme: optional(plainText),
});

export const settingsParts = {
  "error shape": optional(errorPayload),
  cors: optional(orNone(listOrOne(plainText))),
  token: optional(orNone(token)),
  headers: optional(keyed("names with values", plainText)),
  status: optional(keyed("verbs with statuses", plainText)),
  unknown: optional(word("refused", "ignored")),
};

export type SettingsSyntax = Pick<Read<ReturnType<typeof getShape>>, keyof typeof settingsParts | "keys">;
const getShape = () => record("point 7", settingsParts);

/** Default response status by verb. */
export type UsualStatuses = ReadonlyMap<string, Spanned<string>>;

export const noSettings: CallSettings = { base: "/api", errorShape: null, cors: [], token: null };

export const linkSettings = (
  syntax: SettingsSyntax,
  base: string,
  roles: ReadonlySet<string>,
  scope: Scope,
  linking: Linking,
): CallSettings => ({
  base,
  errorShape: syntax["error shape"] === undefined ? null : linkErrorShape(syntax["error shape"], scope, linking),
  cors:
    syntax.cors === undefined || syntax.cors === "none"
      ? []
      : syntax.cors.flatMap((one) => originOf(one, linking) ?? []),
  token:
    syntax.token === undefined || syntax.token === "none"
      ? null
      : linkToken(syntax.token, syntax.keys.token ?? syntax.token.span, roles, scope, linking),
});

/** Links the default statuses by verb. */
export const usualStatuses = (said: readonly Named<Spanned<string>>[] | undefined, linking: Linking): UsualStatuses => {
  for (const { name: verb, key } of said ?? [])
    if (!callVerbs.some((one) => one === verb)) reportUnknownName(linking, key, "verb of a call", verb, callVerbs);
  return new Map((said ?? []).map((one) => [one.name, one.value]));
};

/**
 * Links the format of error responses: a member of the problem document, a constant, an expression over single members,
 * an object with names of its own, or a list of errors.
 */
const linkErrorShape = (shape: ErrorPayload, scope: Scope, linking: Linking, isEach = false): ErrorShape => {
  if ("text" in shape) return linkErrorValue(shape, scope, linking, isEach);
  if ("each" in shape) {
    if (isEach)
      linking.report(
        finding(
          "WRONG_SHAPE",
          shape.span,
          "A list of errors can’t be inside another one.",
          "Remove the inner brackets.",
          { clause: "7.error shape" },
        ),
      );
    return { kind: "each", of: linkErrorShape(shape.each, scope, linking, true) };
  }
  for (const { name: key, key: span } of shape)
    if (key.includes("{"))
      linking.report(
        finding(
          "BAD_VALUE",
          span,
          `Names appear in the response as you write them, so the response would contain “${key}” itself.`,
          "Write only “messages” for an object with the messages of each field, or [{ at, message }] for a list.",
          { clause: "7.error shape" },
        ),
      );
  return {
    kind: "names",
    of: shape.map(({ name: key, key: span, value }) => [
      key,
      value === "itself"
        ? linkErrorValue(
            { kind: "scalar", text: key, span, quoted: false, locate: (offset) => span.start + offset },
            scope,
            linking,
            isEach,
          )
        : linkErrorShape(value, scope, linking, isEach),
    ]),
  };
};

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
]);

/** Types of values that have the same form in JSON as in an expression. */
const jsonTypes: ReadonlySet<string> = new Set(["text", "integer", "boolean", "datetime", "null"]);

const linkErrorValue = (at: Scalar, scope: Scope, linking: Linking, isEach: boolean): ErrorShape => {
  const members: readonly ErrorMember[] = isEach ? errorMembers : problemMembers;
  const member = members.find((one) => one === at.text);
  if (member !== undefined) return { kind: "member", member };
  const isConstant = at.text === "true" || at.text === "false" || at.text === "null" || at.text === "now";
  if (/^[A-Za-z_]+$/u.test(at.text) && !isConstant && !scope.limits.has(at.text)) {
    reportNoMember(at, members, linking);
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
        { clause: "7.error shape" },
      ),
    );
  return { kind: "value", value };
};

const readsDay = (expr: Expr): boolean => expr.kind === "today" || subexpressions(expr).some(readsDay);

const reportNoMember = ({ text: said, span }: Scalar, members: readonly string[], linking: Linking): void => {
  const near = nearest(said, members);
  linking.report(
    finding(
      "UNKNOWN_NAME",
      span,
      `An error response has no “${said}”.`,
      near === undefined
        ? `It has ${members.join(", ")}. For the text itself, write "'${said}'".`
        : `Did you mean “${near}”?`,
      { clause: "7.error shape", ...(near === undefined ? {} : { nearest: near, fix: [{ span, text: near }] }) },
    ),
  );
};

/** An allowed origin, or the environment variable that holds one or several. */
const originOf = ({ value, span }: Spanned<string>, linking: Linking): string | undefined => {
  if (value === "*" || /^APP_[A-Z0-9_]+$/u.test(value) || /^https?:\/\/(?:\*\.)?[^/\s?#*]+$/u.test(value)) return value;
  linking.report(
    finding(
      "BAD_VALUE",
      span,
      `“${value}” is not the origin of another site.`,
      "Write an origin such as “https://desk.example.com” or “https://*.example.com”, “*” for every site, or an environment variable that begins with APP_.",
      { clause: "7.cors" },
    ),
  );
  return undefined;
};

/** Default and maximum lifetime of a token in days. */
const LONGEST_DAYS = 365;

const linkToken = (
  syntax: Read<typeof token>,
  span: Span,
  roles: ReadonlySet<string>,
  scope: Scope,
  linking: Linking,
): TokenSettings => {
  for (const role of syntax.by ?? []) {
    if (roles.has(role.value)) linking.rolesUsed.add(role.value);
    else reportUnknownName(linking, role.span, "role", role.value, roles);
  }
  const wrong = (at: Spanned<string>, message: string, hint: string): void =>
    linking.report(finding("BAD_VALUE", at.span, message, hint, { clause: "7.token" }));
  const { longest, scheme } = syntax;
  const named = scope.limits.get(longest?.value.replace(/^limits\./u, "") ?? "");
  if (named !== undefined && longest !== undefined) linking.limitsRead.add(longest.value.replace(/^limits\./u, ""));
  const duration = longest === undefined ? undefined : parseDuration(named?.value ?? longest.value);
  const days = duration === undefined ? LONGEST_DAYS : duration.days + duration.months * 30;
  if (longest !== undefined && (duration === undefined || days < 1 || days > 3_650 || duration.milliseconds > 0))
    wrong(
      longest,
      `“${longest.value}” is not a valid lifetime of a token.`,
      "Write days, months or years, such as “90 days”.",
    );
  if (scheme !== undefined && !/^[A-Za-z][A-Za-z0-9-]{0,29}$/u.test(scheme.value))
    wrong(
      scheme,
      `“${scheme.value}” is not a scheme of the Authorization header.`,
      "Write a word such as “Bearer” or “Token”.",
    );
  return {
    clause: clauseAt("7.token", span),
    by: (syntax.by ?? []).map(({ value }) => value),
    longestDays: days,
    scheme: scheme?.value ?? "Bearer",
  };
};
