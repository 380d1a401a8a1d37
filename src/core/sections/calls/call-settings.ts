import {
  keyed,
  listOrOne,
  type Named,
  name,
  optional,
  orNone,
  plainText,
  type Read,
  record,
  type Said,
  type Shape,
} from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import { parseDuration } from "../../expression/values/duration.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import { type CallSettings, type ErrorShape, problemMembers, type TokenSettings } from "../../model/model.ts";
import { nearest, type Span } from "../../source-text.ts";
import { clauseAt, type Linking, reportUnknownName } from "../linking/link-context.ts";
import { callVerbs } from "./call-syntax.ts";
import { type Payload, payload } from "./payloads.ts";

/** Settings of all calls in the document, and authentication of programs. */

/** Values stand alone or in named objects; `errors` and `messages` already stand for several values. */
const errorShape: Shape<Payload> = {
  ...payload,
  read: (tree, report, whole) => {
    const hint = "Write only “errors” for the list of errors, or only “messages” for the messages by field.";
    return payload.read(tree, (one) => report(one.code === "WRONG_SHAPE" ? { ...one, hint } : one), whole);
  },
};

const token = record("a token", {
  by: optional(listOrOne(name("role"))),
  longest: optional(plainText),
  scheme: optional(plainText),
});

export const settingsParts = {
  "error shape": optional(errorShape),
  cors: optional(orNone(listOrOne(plainText))),
  token: optional(orNone(token)),
  headers: optional(keyed("names with values", plainText)),
  status: optional(keyed("verbs with statuses", plainText)),
};

export type SettingsSyntax = Pick<Read<ReturnType<typeof getShape>>, keyof typeof settingsParts | "keys">;
const getShape = () => record("point 7", settingsParts);

/** Default response status by verb. */
export type UsualStatuses = ReadonlyMap<string, Said<string>>;

export const noSettings: CallSettings = { base: "/api", errorShape: null, cors: [], token: null };

export const linkSettings = (
  syntax: SettingsSyntax,
  base: string,
  roles: ReadonlySet<string>,
  scope: Scope,
  linking: Linking,
): CallSettings => ({
  base,
  errorShape: syntax["error shape"] === undefined ? null : linkErrorShape(syntax["error shape"], linking),
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
export const usualStatuses = (said: readonly Named<Said<string>>[] | undefined, linking: Linking): UsualStatuses => {
  for (const { name: verb, key } of said ?? [])
    if (!callVerbs.some((one) => one === verb)) reportUnknownName(linking, key, "verb of a call", verb, callVerbs);
  return new Map((said ?? []).map((one) => [one.name, one.value]));
};

/** Links the format of error responses: a member of the problem document, or an object with names of its own. */
const linkErrorShape = (shape: Payload, linking: Linking): ErrorShape => {
  if ("text" in shape) return member(shape, linking);
  for (const { name: key, key: span } of shape)
    if (key.includes("{"))
      linking.report(
        finding(
          "BAD_VALUE",
          span,
          `Names appear in the response as you write them, so the response would contain “${key}” itself.`,
          "Write only “messages” for an object with the messages of each field, or only “errors” for a list of places and messages.",
          { clause: "7.error shape" },
        ),
      );
  return {
    kind: "names",
    of: shape.map(({ name: key, key: span, value }) => [
      key,
      value === "itself"
        ? member({ kind: "scalar", text: key, span, quoted: false, locate: (offset) => span.start + offset }, linking)
        : linkErrorShape(value, linking),
    ]),
  };
};

const member = ({ text: said, span }: Scalar, linking: Linking): ErrorShape => {
  const known = problemMembers.find((one) => one === said);
  if (known !== undefined) return { kind: "member", member: known };
  const near = nearest(said, problemMembers);
  linking.report(
    finding(
      "UNKNOWN_NAME",
      span,
      `An error response has no “${said}”.`,
      near === undefined ? `It has ${problemMembers.join(", ")}.` : `Did you mean “${near}”?`,
      { clause: "7.error shape", ...(near === undefined ? {} : { nearest: near, fix: [{ span, text: near }] }) },
    ),
  );
  return { kind: "member", member: "code" };
};

/** An allowed origin, or the environment variable that holds one or several. */
const originOf = ({ value, span }: Said<string>, linking: Linking): string | undefined => {
  if (/^APP_[A-Z0-9_]+$/u.test(value) || /^https?:\/\/[^/\s?#]+$/u.test(value)) return value;
  linking.report(
    finding(
      "BAD_VALUE",
      span,
      `“${value}” is not the origin of another site.`,
      "Write an origin such as “https://desk.example.com”, or an environment variable that begins with APP_.",
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
  const wrong = (at: Said<string>, message: string, hint: string): void =>
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
