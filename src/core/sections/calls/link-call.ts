import type { Named, Spanned } from "../../document/shape.ts";
import { isNone } from "../../document/tree.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { Call, CallStep, Gives, Signing } from "../../model/endpoint.ts";
import { type BuiltInError, builtInErrors } from "../../model/errors.ts";
import { nearest } from "../../source-text.ts";
import { checkBraces } from "../linking/error-catalogue.ts";
import { clauseAt, type Linking, reportUnknownName } from "../linking/link-context.ts";
import type { CallNames, CallPlace } from "./call-context.ts";
import { isCaller, linkStep, withToken } from "./call-steps.ts";
import type { CallSyntax, StepSyntax } from "./call-syntax.ts";
import { linkGives, type PayloadNames } from "./payloads.ts";
import { givenToPeople, identifyingFields, isGivable } from "./sign-in.ts";
import { payloadFields } from "./step-input.ts";
import { readVerb } from "./step-verb.ts";

/**
 * Resolves and types a call. Undefined, with a finding, if a part of it is not executable; the call is then not served.
 */
export const linkCall = (
  place: CallPlace,
  syntax: CallSyntax,
  shapes: PayloadNames,
  names: CallNames,
  scope: Scope,
  linking: Linking,
): Call | undefined => {
  const clause = clauseAt(`7.${place.name}`, place.key);
  const by = linkRoles(syntax.by, names, linking);
  const verb = readVerb(syntax, linking);
  const does =
    verb === undefined ? undefined : linkAction(verb, place, clause.id, syntax, shapes, names, scope, linking);
  if (does === undefined || by === undefined) return undefined;
  if (syntax.unknown?.value === "ignored" && does.kind === "steps" && does.steps.some(takesAnything))
    linking.report(
      finding(
        "MISSING_KEY",
        syntax.unknown.span,
        "Members can only be ignored if “takes” names the others.",
        "Add “takes” with the members that the call reads.",
        { clause: clause.id },
      ),
    );
  if (syntax.missing !== undefined && syntax.gives === undefined && syntax.do?.at(-1)?.gives === undefined)
    linking.report(
      finding(
        "MISSING_KEY",
        syntax.missing.span,
        "“missing” is about the members that “gives” names, and this call has none.",
        "Add “gives” with the members of the response, or remove “missing”.",
        { clause: clause.id },
      ),
    );
  return {
    name: place.name,
    clause,
    method: place.method,
    path: `${place.base.replace(/\/$/u, "")}${place.path}`,
    does,
    by: by === null ? null : by.map(({ value }) => value),
    status: findStatus(syntax.status ?? place.usual.statuses.get(verb ?? ""), saysSomething(does), linking),
    headers: new Map([
      ...place.usual.headers,
      ...(syntax.headers ?? []).map(({ name, value }) => [name, value.value] as const),
    ]),
    ignoresUnknown: syntax.unknown === undefined ? place.usual.ignoresUnknown : syntax.unknown.value === "ignored",
    omitsMissing: syntax.missing === undefined ? place.usual.omitsMissing : syntax.missing.value === "omitted",
    errors: linkCallErrors(syntax.errors ?? [], names, clause.id, linking),
  };
};

/** Links the entries of point 8 that a call answers in place of built-in errors. */
const linkCallErrors = (
  entries: readonly Named<Spanned<string>>[],
  { catalogue: { errors, messages } }: CallNames,
  clause: string,
  linking: Linking,
): Call["errors"] => {
  const own = new Map<string, string>();
  for (const { name, key, value } of entries) {
    if (!Object.hasOwn(builtInErrors, name)) {
      reportUnknownName(linking, key, "built-in error", name, Object.keys(builtInErrors));
      continue;
    }
    const message = messages.get(value.value);
    if (message === undefined || !errors.has(value.value)) {
      reportUnknownName(
        linking,
        value.span,
        "error in point 8 called",
        value.value,
        messages.keys(),
        "NO_ERROR_ENTRY",
        `Add “${value.value}” with its status and message to point 8.`,
      );
      continue;
    }
    if (checkBraces(name as BuiltInError, message, clause, linking)) own.set(name, value.value);
  }
  return own;
};

const linkAction = (
  verb: NonNullable<ReturnType<typeof readVerb>>,
  place: CallPlace,
  clause: string,
  syntax: CallSyntax,
  shapes: PayloadNames,
  names: CallNames,
  scope: Scope,
  linking: Linking,
): Call["does"] | undefined => {
  if (verb === "sign in" || verb === "sign up" || verb === "sign out")
    return linkSigning(verb, place, clause, syntax, shapes, names, scope, linking);
  const several = verb === "do";
  if (several)
    onlyWith(
      ["where", "query", "distinct", "sort", "sortable", "paging", "takes", "asks", "gives", "selectable", "set"],
      "the steps of a call",
      syntax,
      clause,
      linking,
    );
  const stepSyntaxes: readonly StepSyntax[] = several ? (syntax.do ?? []) : [syntax];
  if (stepSyntaxes.length === 0 && !(several && syntax.do === undefined))
    linking.report(
      finding("MISSING_KEY", syntax.keys.do ?? place.key, "This call has no steps.", "Write the steps as a list.", {
        clause,
      }),
    );
  const steps = stepSyntaxes.map((item) =>
    linkStep({ ...place, clause, several }, item, shapes, names, scope, linking),
  );
  const linked = steps.flatMap((callStep): readonly CallStep[] => (callStep === undefined ? [] : [callStep]));
  if (linked.length !== steps.length || linked[0] === undefined) return undefined;
  if (!linked.some(closesAccount)) return { kind: "steps", steps: linked };
  if (!several) return { kind: "close", takes: [], gives: linked[0].gives };
  linking.report(
    finding(
      "BAD_VALUE",
      syntax.keys.do ?? place.key,
      "An account is closed by a call of its own, not by a step.",
      "Move “delete: User” to another call.",
      { clause },
    ),
  );
  return undefined;
};

/** True for `delete: User` with `where: this == user`. */
const closesAccount = ({ entity, does, where, parameters, query }: CallStep): boolean =>
  entity === "User" &&
  does.kind === "delete" &&
  where !== null &&
  isCaller(where) &&
  parameters.length === 0 &&
  query.length === 0;

/** Reports keys that belong to another kind of call. */
const onlyWith = (
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

const linkSigning = (
  kind: "sign in" | "sign up" | "sign out",
  place: CallPlace,
  clause: string,
  syntax: CallSyntax,
  shapes: PayloadNames,
  names: CallNames,
  scope: Scope,
  linking: Linking,
): Signing | undefined => {
  onlyWith(
    ["where", "query", "distinct", "sort", "sortable", "paging", "asks", "selectable", "set"],
    "calls that find or write records",
    syntax,
    clause,
    linking,
  );
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
  if (kind === "sign out") {
    onlyWith(["takes"], "calls that take fields", syntax, clause, linking);
    if (syntax.gives === undefined || ("text" in syntax.gives && isNone(syntax.gives)))
      return { kind, takes: [], gives: null };
    const gives = linkGives(syntax.gives, shapes, { ...scope, entity: "User" }, linking, clause);
    return gives === undefined ? undefined : { kind, takes: [], gives };
  }
  const isMailed = kind === "sign up" && names.signsUp !== "at once";
  const requiredFields = isMailed ? ["email"] : ["email", "password"];
  const fields = kind === "sign up" && !isMailed ? givenToPeople(names) : [];
  const known = kind === "sign in" ? [...identifyingFields(names), "password"] : [...fields, ...requiredFields];
  if (kind === "sign up") {
    if (isMailed) onlyWith(["gives"], "calls that return fields", syntax, clause, linking);
    if (names.signsUp === null)
      linking.report(
        finding(
          "MISSING_KEY",
          syntax.keys["sign up"] ?? place.key,
          "No one can register, because “sign in” does not say who can.",
          "Write for example “sign in: { sign up: open }”.",
          { clause },
        ),
      );
  }
  const takes =
    syntax.takes === undefined
      ? (isMailed || kind === "sign in" ? requiredFields : ["name", ...requiredFields]).map((field) => ({
          path: [field],
          field,
        }))
      : payloadFields(syntax.takes, linking, ({ key, field, span }) => {
          if (known.includes(field)) return true;
          const near = nearest(field, known);
          linking.report(
            finding(
              "UNKNOWN_NAME",
              span ?? key,
              fields.length > 0
                ? `“${field}” is not a field that a new person has.`
                : `“${field}” is not part of signing ${kind === "sign up" ? "up with a mailed link" : "in"}.`,
              near !== undefined
                ? `Did you mean “${near}”?`
                : isMailed && names.signsUp !== null
                  ? "People enter it when they open the link. To take it at once, write “sign up: { verify email: false }” under “sign in”."
                  : `Use ${known.join(", ")}.`,
              { clause },
            ),
          );
          return false;
        });
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
  const missing = [
    ...(kind === "sign in" ? [identifying[0]?.field ?? "email", "password"] : requiredFields),
    ...(fields.length > 0 ? [...requiredPersonFields(names), ...names.registrationFields] : []),
  ].find((field) => takes?.some((item) => item.field === field) === false);
  if (missing !== undefined)
    linking.report(
      finding(
        "MISSING_KEY",
        syntax.keys.takes ?? place.key,
        `${kind === "sign up" ? "Registering" : "Signing in"} needs “${missing}”.`,
        `Add ${missing} to the body.`,
        { clause },
      ),
    );
  const gives =
    syntax.gives === undefined
      ? null
      : linkGives(syntax.gives, shapes, withToken({ ...scope, entity: "User" }, false), linking, clause);
  return takes === undefined || gives === undefined ? undefined : { kind, takes, gives };
};

/** The fields without which no person can be created. The name has a default. */
const requiredPersonFields = ({ entities }: CallNames): readonly string[] =>
  [...(entities.get("User")?.fields.values() ?? [])]
    .filter((field) => isGivable(field) && !field.optional && !field.many && field.type !== "boolean")
    .filter(({ name, default: initial, type }) => name !== "name" && initial === null && type !== "slug")
    .map(({ name }) => name);

const linkRoles = (
  by: readonly Spanned<string>[] | undefined,
  names: CallNames,
  linking: Linking,
): readonly Spanned<string>[] | null | undefined => {
  if (by === undefined) return null;
  for (const role of by) {
    if (names.roles.has(role.value)) linking.rolesUsed.add(role.value);
    else reportUnknownName(linking, role.span, "role", role.value, names.roles);
  }
  return by.every((role) => names.roles.has(role.value)) ? by : undefined;
};

/** True if a step reads every member of the body by its own name. */
const takesAnything = ({ does, takes }: CallStep): boolean =>
  takes === null &&
  does.kind !== "list" &&
  does.kind !== "read" &&
  does.kind !== "delete" &&
  does.kind !== "delete all";

/** The possible responses of a call. */
export const givesIn = ({ does }: Call): readonly Gives[] => {
  if (does.kind === "steps") return does.steps.flatMap(({ gives }) => gives ?? []);
  return does.gives === null ? [] : [does.gives];
};

/** True if the response has a body. */
const saysSomething = (does: Call["does"]): boolean => {
  if (does.kind !== "steps") return does.gives !== null;
  const last = does.steps.at(-1);
  if (last?.gives?.kind === "none") return false;
  return last?.gives != null || (last?.does.kind !== "delete" && last?.does.kind !== "delete all");
};

const findStatus = (written: Spanned<string> | undefined, says: boolean, linking: Linking): number | null => {
  if (written === undefined) return null;
  const status = /^2\d\d$/u.test(written.value) ? Number(written.value) : undefined;
  if (status !== undefined && !(says && (status === 204 || status === 205))) return status;
  linking.report(
    finding(
      "BAD_VALUE",
      written.span,
      `The status of a response with a body is from 200 to 299, but not ${status ?? written.value}.`,
      status === undefined
        ? "The statuses of errors are in point 8."
        : "Write “gives: none” for a response without a body.",
    ),
  );
  return null;
};
