import { orNone } from "../../document/shape/combinators.ts";
import { keyed, listOrOne } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record } from "../../document/shape/record.ts";
import { plainText, word } from "../../document/shape/scalar.ts";
import type { Named, ShapeValue, Spanned } from "../../document/shape.ts";
import { parseDuration } from "../../expression/values/duration.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import { type BodyForms, bodyForms, type CallSettings, type TokenSettings } from "../../model/endpoint.ts";
import type { Span } from "../../source-text.ts";
import { errorPayload, linkErrorShape } from "../linking/error-shape.ts";
import { clauseAt, type Linking, reportUnknownName } from "../linking/link-context.ts";
import { callVerbs } from "./call-syntax.ts";

/** Settings of all calls in the document, and authentication of programs. */

const token = record("a token", {
  by: optional(listOrOne(name("role"))),
  longest: optional(plainText),
  header: optional(plainText),
  scheme: optional(plainText),
  cookie: optional(plainText),
});

export const settingsParts = {
  "error shape": optional(errorPayload),
  cors: optional(orNone(listOrOne(plainText))),
  token: optional(orNone(token)),
  headers: optional(keyed("names with values", plainText)),
  status: optional(keyed("verbs with statuses", plainText)),
  unknown: optional(word("refused", "ignored")),
  missing: optional(word("null", "omitted")),
  accepts: optional(listOrOne(word("json", ...bodyForms))),
  decimals: optional(word("texts", "numbers")),
};

export type SettingsSyntax = Pick<ShapeValue<ReturnType<typeof getShape>>, keyof typeof settingsParts | "keys">;
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
  errorShape:
    syntax["error shape"] === undefined ? null : linkErrorShape(syntax["error shape"], "7.error shape", scope, linking),
  cors:
    syntax.cors === undefined || syntax.cors === "none"
      ? []
      : syntax.cors.flatMap((origin) => readOrigin(origin, linking) ?? []),
  token:
    syntax.token === undefined || syntax.token === "none"
      ? null
      : linkToken(syntax.token, syntax.keys.token ?? syntax.token.span, roles, scope, linking),
});

/** Links the default statuses by verb. */
export const usualStatuses = (
  statuses: readonly Named<Spanned<string>>[] | undefined,
  linking: Linking,
): UsualStatuses => {
  for (const { name: verb, key } of statuses ?? [])
    if (!callVerbs.some((callVerb) => callVerb === verb))
      reportUnknownName(linking, key, "verb of a call", verb, callVerbs);
  return new Map((statuses ?? []).map((entry) => [entry.name, entry.value]));
};

/** The forms of a body besides JSON. */
export const getBodyForms = (words: SettingsSyntax["accepts"] = []): BodyForms => {
  const has = (form: keyof BodyForms): boolean => words.some(({ value }) => value === form);
  const [texts, forms] = bodyForms;
  return { [texts]: has(texts), [forms]: has(forms) };
};

/** An allowed origin, or the environment variable that holds one or several. */
const readOrigin = ({ value, span }: Spanned<string>, linking: Linking): string | undefined => {
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

/** Headers that have another meaning, or that browsers and proxies write. */
const isTaken = (header: string): boolean =>
  /^(?:accept|access|connection|content|cookie|forwarded|host|idempotency|if|keep|ninefold|origin|proxy|range|referer|sec|te|trailer|transfer|upgrade|user|via|x-forwarded|x-real)(?:-|$)/iu.test(
    header,
  );

/** True for a header that has no other meaning. */
export const isHeaderName = (header: string): boolean =>
  /^[A-Za-z][A-Za-z0-9-]{0,59}$/u.test(header) && !isTaken(header);

const linkToken = (
  syntax: ShapeValue<typeof token>,
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
  const { longest, header, scheme, cookie } = syntax;
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
    wrong(scheme, `“${scheme.value}” is not a word in front of a token.`, "Write a word such as “Bearer” or “Token”.");
  if (header !== undefined && !isHeaderName(header.value))
    wrong(
      header,
      `A token can’t be in the header “${header.value}”.`,
      "Write “Authorization”, or a header of your own such as “X-Auth-Token”.",
    );
  if (cookie !== undefined && !/^(?!ninefold|session$)[A-Za-z][A-Za-z0-9._-]{0,59}$/u.test(cookie.value))
    wrong(cookie, `A token can’t be in the cookie “${cookie.value}”.`, "Write a name such as “token”.");
  const isAlone = header !== undefined && header.value.toLowerCase() !== "authorization";
  return {
    clause: clauseAt("7.token", span),
    by: (syntax.by ?? []).map(({ value }) => value),
    longestDays: days,
    header: header?.value ?? "Authorization",
    scheme: scheme?.value ?? (isAlone ? null : "Bearer"),
    cookie: cookie?.value ?? null,
  };
};
