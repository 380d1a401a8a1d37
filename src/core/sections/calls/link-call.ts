import type { Spanned } from "../../document/shape.ts";
import { finding } from "../../findings.ts";
import type { Call, CallStep, Gives } from "../../model/endpoint.ts";
import { clauseAt, type Linking, mentionRole, reportUnknownName } from "../linking/link-context.ts";
import type { CallContext, CallNames, CallPlace } from "./call-context.ts";
import { linkCallErrors } from "./call-errors.ts";
import { getBodyForms } from "./call-settings.ts";
import { isCaller, linkStep } from "./call-steps.ts";
import { type CallSyntax, isSigning, type StepSyntax } from "./call-syntax.ts";
import { linkCallerCondition, linkSigning, onlyWith } from "./link-signing.ts";
import { readVerb } from "./step-verb.ts";

/**
 * Resolves and types a call. Undefined, with a finding, if a part of it is not executable; the call is then not served.
 */
export const linkCall = (
  place: CallPlace,
  syntax: CallSyntax,
  known: Omit<CallContext, "clause">,
): Call | undefined => {
  const { names, linking } = known;
  const clause = clauseAt(`7.${place.name}`, place.key);
  const by = linkRoles(syntax.by, names, linking);
  const verb = readVerb(syntax, linking);
  const does = verb === undefined ? undefined : linkAction(verb, place, syntax, { ...known, clause: clause.id });
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
    accepts: syntax.accepts === undefined ? place.usual.accepts : getBodyForms(syntax.accepts),
    errors: linkCallErrors(syntax.errors ?? [], { ...names, clause: clause.id }, linking),
  };
};

const linkAction = (
  verb: NonNullable<ReturnType<typeof readVerb>>,
  place: CallPlace,
  syntax: CallSyntax,
  context: CallContext,
): Call["does"] | undefined => {
  const { clause, linking } = context;
  if (isSigning(verb)) return linkSigning(verb, place, syntax, context);
  onlyWith(["link"], "“forgot password”", syntax, clause, linking);
  const several = verb === "do";
  if (several)
    onlyWith(
      [
        "where",
        "when",
        "query",
        "distinct",
        "sort",
        "sortable",
        "paging",
        "takes",
        "asks",
        "gives",
        "selectable",
        "set",
      ],
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
  const steps = stepSyntaxes.map((item) => linkStep({ ...place, clause, several }, item, context));
  const linked = steps.flatMap((callStep): readonly CallStep[] => (callStep === undefined ? [] : [callStep]));
  if (linked.length !== steps.length || linked[0] === undefined) return undefined;
  if (!linked.some(closesAccount)) return { kind: "steps", steps: linked };
  if (!several) {
    const when = linkCallerCondition(syntax.when, context.scope, linking);
    const { query, gives } = linked[0];
    return when === undefined ? undefined : { kind: "close", takes: [], query, gives, when };
  }
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
  query.every((parameter) => parameter.where === null);

const linkRoles = (
  by: readonly Spanned<string>[] | undefined,
  names: CallNames,
  linking: Linking,
): readonly Spanned<string>[] | null | undefined => {
  if (by === undefined) return null;
  for (const role of by) {
    mentionRole(linking, role);
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
export const listResponses = ({ does }: Call): readonly Gives[] => {
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
