import { isNone, type Scalar } from "../../document/tree.ts";
import type { Expr } from "../../expression/expr.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import { type Gives, namesToken, type Signing, type TakenField } from "../../model/endpoint.ts";
import { nearest } from "../../source-text.ts";
import { checkExpression, type Linking } from "../linking/link-context.ts";
import { inputNames, linkQuery } from "./call-address.ts";
import type { CallContext, CallNames, CallPlace } from "./call-context.ts";
import { withToken } from "./call-steps.ts";
import type { CallSyntax, SigningVerb } from "./call-syntax.ts";
import { payloadFields } from "./payload-fields.ts";
import { isExecutableInCall, linkGives } from "./payloads.ts";
import { checkEnvironment, identifyingFields, isRegistrationField, listRegistrationFields } from "./sign-in.ts";

/** Reports keys that belong to another kind of call. */
export const onlyWith = (
  keys: readonly (keyof CallSyntax["keys"])[],
  whom: string,
  syntax: CallSyntax,
  clause: string,
  linking: Linking,
): void => {
  for (const key of keys) {
    const span = syntax.keys[key];
    if (span !== undefined)
      linking.report(finding("BAD_VALUE", span, `“${key}” is only for ${whom}.`, "Remove it.", { clause }));
  }
};

/** The body of a call about an account: the fields that it can have, those that it needs, and those without `takes`. */
interface SigningBody {
  readonly known: readonly string[];
  readonly required: readonly string[];
  readonly usual: readonly string[];
  /** In place of an unknown field: “`room` is not …”. */
  readonly isNot: string;
  /** Before a missing field: “Registering needs `email`.” */
  readonly what: string;
  readonly hint?: string;
}

/** `givesToken`: the response has the token of the new session, which can be the only credential of a program. */
const signingBody = (kind: SigningVerb, names: CallNames, givesToken: boolean): SigningBody => {
  const credentials = ["email", "password"];
  switch (kind) {
    case "sign out":
      return { known: ["token"], required: [], usual: [], isNot: "part of signing out", what: "Signing out" };
    case "sign in":
      return {
        known: [...identifyingFields(names), "password"],
        required: ["password"],
        usual: credentials,
        isNot: "part of signing in",
        what: "Signing in",
      };
    case "forgot password":
      return {
        known: ["email"],
        required: ["email"],
        usual: ["email"],
        isNot: "part of this request",
        what: "The mail",
      };
    case "reset password": {
      const all = ["token", "password"];
      return { known: all, required: all, usual: all, isNot: "part of a new password", what: "A new password" };
    }
    case "sign up": {
      const what = "Registering";
      if (names.signsUp !== "at once")
        return {
          known: ["email"],
          required: ["email"],
          usual: ["email"],
          isNot: "part of signing up with a mailed link",
          what,
          ...(names.signsUp === null
            ? {}
            : {
                hint: "People enter it when they open the link. To take it at once, write “sign up: { verify email: false }” under “sign in”.",
              }),
        };
      const fields = listRegistrationFields(names);
      return {
        known: [...fields, ...credentials],
        required: [
          "email",
          ...(givesToken ? [] : ["password"]),
          ...(fields.length === 0 ? [] : [...requiredPersonFields(names), ...names.registrationFields]),
        ],
        usual: ["name", ...credentials],
        isNot: fields.length > 0 ? "a field that a new person has" : "part of registering",
        what,
      };
    }
  }
};

/** Links a call that signs people in or out, registers them, or is about a forgotten password. */
export const linkSigning = (
  kind: SigningVerb,
  place: CallPlace,
  syntax: CallSyntax,
  context: CallContext,
): Signing | undefined => {
  const { clause, names, scope, linking } = context;
  onlyWith(
    ["where", "distinct", "sort", "sortable", "paging", "asks", "selectable", "set"],
    "calls that find or write records",
    syntax,
    clause,
    linking,
  );
  if (kind !== "sign up")
    onlyWith(["when"], "“sign up”, and for calls that find or write records", syntax, clause, linking);
  if (kind !== "forgot password") onlyWith(["link"], "“forgot password”", syntax, clause, linking);
  if (syntax[kind]?.value === false) {
    linking.report(
      finding("BAD_VALUE", syntax[kind].span, "The value must be true.", "Write true, or remove the call.", { clause }),
    );
    return undefined;
  }
  if (/\{/u.test(place.path))
    linking.report(
      finding(
        "NO_SUCH_PARAMETER",
        place.key,
        `The path of ${place.name} can’t have parameters.`,
        "Remove the parameters in braces.",
        { clause },
      ),
    );
  const inputs: Scope = { ...scope, entity: "User", names: inputNames(syntax.query ?? [], "User", scope, true) };
  const step = { kind: "create", entity: "User", scope: inputs } as const;
  const query = (syntax.query ?? []).flatMap(
    (entry) => linkQuery(entry, step, () => null, { ...names, clause }, linking) ?? [],
  );
  const gives = linkResponse(kind, syntax, context);
  if (kind === "sign up" && names.signsUp === null)
    linking.report(
      finding(
        "MISSING_KEY",
        syntax.keys["sign up"] ?? place.key,
        "No one can register, because “sign in” does not say who can.",
        "Write for example “sign in: { sign up: open }”.",
        { clause },
      ),
    );
  const takes = linkBody(kind, place, syntax, gives != null && namesToken(gives), context);
  if (takes === undefined || gives === undefined) return undefined;
  if (kind === "sign out") return { kind, takes: takes.map((take) => ({ ...take, isCredential: true })), query, gives };
  if (kind === "sign up") {
    const when = linkCallerCondition(syntax.when, scope, linking);
    return when === undefined ? undefined : { kind, takes, query, gives, when };
  }
  if (kind !== "forgot password") return { kind, takes, query, gives };
  if (syntax.link !== undefined) checkEnvironment(syntax.link, linking);
  return { kind, takes, query, gives, link: syntax.link?.value ?? null };
};

/** A condition on the caller alone; null for none. */
export const linkCallerCondition = (
  at: Scalar | undefined,
  scope: Scope,
  linking: Linking,
): Expr | null | undefined => {
  if (at === undefined) return null;
  const { entity: _, ...withoutRecord } = scope;
  const expr = checkExpression(at, withoutRecord, { kind: "boolean" }, linking);
  return expr !== undefined && isExecutableInCall(expr, withoutRecord, linking) ? expr : undefined;
};

/** The response; null for none. That to somebody who forgot a password is the same for everybody: it reads no record. */
const linkResponse = (
  kind: SigningVerb,
  syntax: CallSyntax,
  { clause, shapes, names: { signsUp }, scope, linking }: CallContext,
): Gives | null | undefined => {
  if (kind === "sign up" && signsUp !== "at once")
    onlyWith(["gives"], "calls that return fields", syntax, clause, linking);
  const { gives } = syntax;
  if (gives === undefined || (kind === "sign out" && "text" in gives && isNone(gives))) return null;
  const { entity: _, ...nothing } = scope;
  if (kind === "forgot password") return linkGives(gives, shapes, { ...nothing, user: false }, linking, clause);
  const own = { ...scope, entity: "User" };
  return linkGives(gives, shapes, kind === "sign out" ? own : withToken(own, false), linking, clause);
};

const linkBody = (
  kind: SigningVerb,
  place: CallPlace,
  syntax: CallSyntax,
  givesToken: boolean,
  { clause, names, linking }: CallContext,
): readonly TakenField[] | undefined => {
  const { known, required, usual, isNot, what, hint } = signingBody(kind, names, givesToken);
  const isToken = ({ field }: { readonly field: string }): boolean =>
    kind === "sign in" && field === "token" && !known.includes(field);
  const takes =
    syntax.takes === undefined
      ? usual.map((field) => ({ path: [field], field }))
      : payloadFields(syntax.takes, linking, ({ key, field, span }) => {
          if (known.includes(field) || isToken({ field })) return true;
          const near = nearest(field, known);
          linking.report(
            finding(
              "UNKNOWN_NAME",
              span ?? key,
              `“${field}” is not ${isNot}.`,
              near !== undefined ? `Did you mean “${near}”?` : (hint ?? `Use ${known.join(", ")}.`),
              { clause },
            ),
          );
          return false;
        });
  if (takes?.some(isToken) === true) {
    if (takes.length > 1)
      linking.report(
        finding(
          "BAD_VALUE",
          syntax.keys.takes ?? place.key,
          "The token of a session signs in alone.",
          "Remove the other members, or write a call for each of them.",
          { clause },
        ),
      );
    return takes;
  }
  const identifying = takes?.filter(({ field }) => field !== "password") ?? [];
  if (kind === "sign in" && identifying.length > 1)
    linking.report(
      finding(
        "BAD_VALUE",
        syntax.keys.takes ?? place.key,
        `A person is found by one field, not by ${identifying.map(({ field }) => field).join(" and ")}.`,
        "Write a call for each of them.",
        { clause },
      ),
    );
  const needed = kind === "sign in" ? [identifying[0]?.field ?? "email", ...required] : required;
  const missing = needed.find((field) => takes?.some((item) => item.field === field) === false);
  if (missing !== undefined)
    linking.report(
      finding(
        "MISSING_KEY",
        syntax.keys.takes ?? place.key,
        `${what} needs “${missing}”.`,
        `Add ${missing} to the body.`,
        { clause },
      ),
    );
  return takes;
};

/** The fields without which no person can be created. The name has a default. */
const requiredPersonFields = ({ entities }: CallNames): readonly string[] =>
  [...(entities.get("User")?.fields.values() ?? [])]
    .filter((field) => isRegistrationField(field) && !field.optional && !field.many && field.type !== "boolean")
    .filter(({ name, default: initial, type }) => name !== "name" && initial === null && type !== "slug")
    .map(({ name }) => name);
