import type { Spanned } from "../../document/shape.ts";
import { isNone, type Scalar } from "../../document/tree.ts";
import type { Expr } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import type { Scope, Type } from "../../expression/values/type.ts";
import { typeWords, valueKinds } from "../../expression/values/value-kinds.ts";
import { finding } from "../../findings.ts";
import { type CallParameter, type CallStep, type Gives, isOnRecord, type TakenField } from "../../model/endpoint.ts";
import type { Paging, Sorting } from "../../model/paging.ts";
import { checkExpression, reportUnknownName } from "../linking/link-context.ts";
import { hasOtherType, inputNames, isCreating, linkParameters, linkQuery } from "./call-address.ts";
import type { CallContext, CallNames, CallPlace } from "./call-context.ts";
import { linkPaging, pagingNames } from "./call-paging.ts";
import type { StepSyntax } from "./call-syntax.ts";
import { isExecutableInCall, linkGives, type PayloadNames } from "./payloads.ts";
import { createStepContext, type StepContext } from "./step-context.ts";
import { linkAsks, linkSet, linkTakes, ownCredentials } from "./step-input.ts";
import { checkQueryWords, checkStepKeys, writesFields } from "./step-keys.ts";
import { linkSorting, linkStepSort } from "./step-sort.ts";
import { findVerb, type StepVerb } from "./step-verb.ts";

/** The position of a step: its call, and whether the call has several steps. */
export interface StepPlace extends CallPlace {
  readonly clause: string;
  readonly several: boolean;
}

/** Resolves and types the record operation of a call. Undefined, with a finding, if a part of it is not executable. */
export const linkStep = (place: StepPlace, syntax: StepSyntax, context: CallContext): CallStep | undefined => {
  const { scope, names, linking } = context;
  const verb = findVerb(syntax, names, linking);
  if (verb === undefined) return undefined;
  const { entity } = verb;
  const step = createStepContext(context, verb, place.several);
  const inRecord: Scope = { ...scope, entity, names: inputNames(syntax.query ?? [], entity, scope, true) };
  // In the order of the document's keys, which is also that of findings at one place.
  const address = linkStepAddress(place, syntax, step);
  const { where, query } = linkStepRecords(syntax, inRecord, step);
  const when = linkWhen(syntax.when, inRecord, step);
  const isOwn = where != null && entity === "User" && isCaller(where);
  checkStepKeys(syntax, verb, { clause: step.clause, isOwnAccount: isOwn && step.kind === "read" }, step.report);
  checkAddressesRecord(syntax, address, step);
  const paging = linkPaging(syntax.paging, step);
  const set = linkSet(syntax, step);
  const { distinct, gives } = linkStepResponse(syntax, { paging, isOwn, inRecord }, step);
  const takes = linkTakes(syntax.takes, isOwn ? ownCredentials(step.kind) : [], step);
  const asks = linkAsks(syntax.asks ?? [], takes, step);
  const sort = linkStepSort(syntax.sort ?? [], entity, scope, linking);
  const sorting = linkSorting(syntax.sortable, entity, scope, step);
  checkQueryWords(syntax, { paging, sorting }, step.clause, step.report);
  const selectable = linkSelectable(syntax.selectable ?? [], gives ?? null, step);
  if (address === undefined || where === undefined || when === undefined || query === undefined) return undefined;
  if (distinct === undefined || gives === undefined || takes === undefined) return undefined;
  checkIsRead(
    syntax,
    [where, when, distinct, ...query.flatMap(readsOf), ...set.values(), ...expressionsIn(gives)],
    step,
  );
  const key = checkIdentifies(syntax, { address, set, takes }, step);
  if (!step.isComplete()) return undefined;
  const { parameters, creates } = address;
  return {
    entity,
    does: toOperation(verb, { distinct, sort, sorting, paging, key, creates }),
    parameters,
    where,
    when,
    query,
    set,
    // In a call with several steps, a step accepts only the fields that it lists.
    takes: takes ?? (place.several ? [] : null),
    asks,
    replaces: verb.replaces === true,
    gives,
    selectable,
  };
};

/** The parameters of the path: those that find the record, and those with which `put` creates it. */
interface StepAddress {
  readonly parameters: readonly CallParameter[];
  readonly creates: readonly CallParameter[];
}

const linkStepAddress = (place: StepPlace, { span }: StepSyntax, step: StepContext): StepAddress | undefined => {
  const { kind, names, linking } = step;
  const parameters = linkParameters(place, step, span, linking)?.map((parameter, _, all) =>
    identifiesParent(parameter, all, names) ? parameter : { ...parameter, parent: null },
  );
  const creates =
    kind === "put" && parameters !== undefined
      ? linkParameters(place, { ...step, kind: "create" }, span, linking)?.map((parameter) =>
          parameter.fixes === "id" ? { ...parameter, fixes: null } : parameter,
        )
      : [];
  return parameters === undefined || creates === undefined ? undefined : { parameters, creates };
};

/** The condition under which a call is open. That of a call that is about no single record reads the caller alone. */
const linkWhen = (
  at: Scalar | undefined,
  inRecord: Scope,
  { kind, several, clause, linking, report, notExecuted }: StepContext,
): Expr | null | undefined => {
  if (at === undefined) return null;
  if (several) {
    report(
      finding("BAD_VALUE", at.span, "“when” is only for calls with one step.", "Remove it, or write “by”.", { clause }),
    );
    return null;
  }
  const { entity: _, ...withoutRecord } = inRecord;
  const expr = checkExpression(at, isOnRecord(kind) ? inRecord : withoutRecord, { kind: "boolean" }, linking);
  if (expr !== undefined && !isExecutableInCall(expr, inRecord, linking))
    notExecuted("reads what is not decided", at.span);
  return expr;
};

/** The conditions on the records that a step uses: its own and those of its query parameters. */
const linkStepRecords = (
  syntax: StepSyntax,
  inRecord: Scope,
  { clause, entity, kind, names, linking, notExecuted }: StepContext,
): { readonly where: Expr | null | undefined; readonly query: CallStep["query"] | undefined } => {
  const condition = (at: Scalar | undefined): Expr | null | undefined => {
    if (at === undefined) return null;
    const expr = checkExpression(at, inRecord, { kind: "boolean" }, linking);
    if (expr !== undefined && !isExecutableInCall(expr, inRecord, linking))
      notExecuted("reads what is not decided", at.span);
    return expr;
  };
  const where = condition(syntax.where);
  const query = (syntax.query ?? []).map((entry) =>
    linkQuery(entry, { kind, entity, scope: inRecord }, condition, { ...names, clause }, linking),
  );
  const known = query.flatMap((entry) => entry ?? []);
  return { where, query: known.length < query.length ? undefined : known };
};

const readsOf = ({ where, rule }: CallStep["query"][number]): readonly (Expr | null)[] => [where, rule?.holds ?? null];

/** The expressions of a response that can read the input of a call. */
const expressionsIn = (gives: Gives | null): readonly Expr[] => {
  if (gives?.kind === "names") return gives.of.flatMap(([, value]) => expressionsIn(value));
  return gives?.kind === "value" ? [gives.value] : [];
};

/**
 * Reports a parameter that has the name of a field but another type, so that it is not compared with it, if nothing else
 * reads it: its author expects a condition.
 */
const checkIsRead = (
  { query = [] }: StepSyntax,
  expressions: readonly (Expr | null)[],
  { clause, entity, kind, scope, linking }: StepContext,
): void => {
  const read = new Set(expressions.flatMap((expr) => (expr === null ? [] : [...collectReadSet(expr).names])));
  for (const parameter of query)
    if (!isCreating(kind) && hasOtherType(parameter, entity, scope) && !read.has(`input.${parameter.name}`))
      linking.report(
        finding(
          "TYPES_DIFFER",
          parameter.key,
          `“${parameter.name}” has another type than the field, so it is not compared with it, and nothing else reads it.`,
          `Remove the type to compare it with the field, or write a condition: “where: … input.${parameter.name} …”.`,
          { clause },
        ),
      );
};

/** Reports a step on one record that names no record. */
const checkAddressesRecord = (syntax: StepSyntax, address: StepAddress | undefined, step: StepContext): void => {
  const { entity, kind, reportMissingKey } = step;
  if (isOnRecord(kind) && address?.parameters.length === 0 && !("where" in syntax.keys))
    reportMissingKey(
      syntax.span,
      `This call does not say which ${entity} it uses.`,
      "Add a field in braces to the path, or write “where”.",
    );
};

/** The response of a step, and the values that a list returns once each. */
const linkStepResponse = (
  syntax: StepSyntax,
  { paging, isOwn, inRecord }: { readonly paging: Paging; readonly isOwn: boolean; readonly inRecord: Scope },
  step: StepContext,
): { readonly distinct: Expr | null | undefined; readonly gives: Gives | null | undefined } => {
  const { kind } = step;
  const distinct = linkDistinct(syntax.distinct, inRecord, step);
  const answers = answering(kind, paging, inRecord, distinct?.type);
  const withOwnToken = isOwn && (kind === "read" || kind === "update") ? withToken(answers, true) : answers;
  return { distinct, gives: linkStepGives(syntax.gives, distinct, withOwnToken, step) };
};

interface StepInput {
  readonly address: StepAddress;
  readonly set: ReadonlyMap<string, Expr>;
  readonly takes: readonly TakenField[] | null;
}

/** The fields by which `ensure` finds an existing record. Reports steps that could create a record twice. */
const checkIdentifies = (
  { span }: StepSyntax,
  { address: { parameters, creates }, set, takes }: StepInput,
  { entity, kind, names, reportMissingKey, isComplete }: StepContext,
): readonly string[] => {
  const fixed = creates.flatMap(({ fixes }) => fixes ?? []);
  const identifies = parameters.some(({ field }) => field.name === "id") || isUnique(entity, fixed, names);
  if (kind === "put" && parameters.length > 0 && !identifies)
    reportMissingKey(
      span,
      `The path of this call does not identify one ${entity}, so it could create another each time.`,
      "Use a unique field, all fields of a “unique” rule in point 5, or {id} in the path.",
    );
  if (kind !== "ensure") return [];
  const givenFields = [
    ...parameters.flatMap(({ fixes }) => fixes ?? []),
    ...set.keys(),
    ...(takes ?? []).map(({ field }) => field),
  ];
  const key = findKey(entity, givenFields, names);
  if (key === undefined && isComplete())
    reportMissingKey(
      span,
      `This call does not say how to find an existing ${entity}.`,
      "Use the path, “takes” or “set” to give a unique field, or all fields of a “unique” rule in point 5.",
    );
  return key ?? [];
};

/** The response of a step. Null if the document leaves it to the kind of call. */
const linkStepGives = (
  gives: StepSyntax["gives"],
  distinct: ReturnType<typeof linkDistinct>,
  answers: Scope,
  { clause, kind, linking, shapes }: StepContext,
): Gives | null | undefined => {
  const isSilent = gives !== undefined && "text" in gives && isNone(gives);
  if (gives === undefined || (isSilent && (kind === "delete" || kind === "delete all"))) return usualGives(distinct);
  return isSilent && writesFields(kind) ? { kind: "none" } : linkGives(gives, shapes, answers, linking, clause);
};

/** The parts of every kind of operation; a step has those of its kind. */
interface OperationParts {
  readonly distinct: Expr | null;
  readonly sort: readonly string[];
  readonly sorting: Sorting;
  readonly paging: Paging;
  readonly key: readonly string[];
  readonly creates: readonly CallParameter[];
}

const toOperation = (
  { kind, transition }: StepVerb,
  { distinct, sort, sorting, paging, key, creates }: OperationParts,
): CallStep["does"] => {
  switch (kind) {
    case "list":
      return { kind, distinct, sort, sorting, paging };
    case "transition":
      return { kind, transition: transition ?? "" };
    case "ensure":
      return { kind, key };
    case "put":
      return { kind, creates };
    default:
      return { kind };
  }
};

/** The members of the records in a response that a caller can choose. */
const linkSelectable = (
  names: readonly Spanned<string>[],
  gives: Gives | null,
  { clause, shapes: { shapes }, linking }: StepContext,
): readonly string[] => {
  if (gives === null) return [];
  const members = new Set(recordMembers(gives, shapes));
  for (const [i, { value, span }] of names.entries())
    if (!members.has(value)) reportUnknownName(linking, span, "member of the response", value, members);
    else if (names.findIndex((item) => item.value === value) !== i)
      linking.report(finding("NAME_TWICE", span, `“${value}” occurs twice.`, "Remove one.", { clause }));
  return names.map(({ value }) => value);
};

/**
 * The members of a record in a response: those of the shape of the page or of the record, otherwise those of the
 * response.
 */
const recordMembers = (gives: Gives, shapes: PayloadNames["shapes"]): readonly string[] => {
  const inShapes = shapesOfRecord(gives).flatMap((name) => {
    const [entity = "", shape = ""] = name.split(".");
    return shapes.get(entity)?.get(shape) ?? [];
  });
  if (inShapes.length > 0) return inShapes;
  return gives.kind === "names" ? gives.of.map(([name]) => name) : [];
};

const shapesOfRecord = (gives: Gives): readonly string[] => {
  if (gives.kind === "names") return gives.of.flatMap(([, value]) => shapesOfRecord(value));
  return gives.kind === "shape" && (gives.of === "page" || gives.of.kind === "this") ? [gives.shape] : [];
};

/** True if a parameter of a list identifies one record, by a unique field or together with others; else it is a filter. */
const identifiesParent = (
  { parent, field }: CallParameter,
  all: readonly CallParameter[],
  { entities }: CallNames,
): boolean =>
  parent !== null &&
  (field.name === "id" ||
    entities.get(field.entity)?.fields.get(field.name)?.unique === true ||
    all.filter((parameter) => parameter.parent?.reference === parent.reference).length > 1);

/** The scope of a response: the record, or the page for several records, of which none is the current one. */
const answering = (
  kind: CallStep["does"]["kind"],
  paging: Paging,
  inRecord: Scope,
  distinct: Type | undefined,
): Scope => {
  const record: Type = { kind: "record", entity: inRecord.entity ?? "" };
  if (kind !== "list" && kind !== "delete all") return inRecord;
  const { entity: _, ...without } = inRecord;
  const records = { type: toListType(distinct ?? record), optional: false };
  return {
    ...without,
    names: new Map([
      ...(inRecord.names ?? []),
      ...pagingNames(paging),
      ["page", records],
      ["found", records],
      ...(paging.by === "cursor" ? ([["next", { type: { kind: "text" }, optional: true }]] as const) : []),
    ]),
  };
};

/** The type of a list of values, or of the elements of lists. */
const toListType = (type: Type): Type & { kind: "list" } => (type.kind === "list" ? type : { kind: "list", of: type });

/** Links the values of a list that returns each distinct value once; null for a list of records. */
const linkDistinct = (
  at: Scalar | undefined,
  inRecord: Scope,
  { clause, linking, notExecuted }: StepContext,
): Expr | null | undefined => {
  if (at === undefined) return null;
  const expr = checkExpression(at, inRecord, undefined, linking);
  if (expr === undefined) return undefined;
  const { of } = toListType(expr.type);
  if (valueKinds[of.kind].compares !== "in order" && of.kind !== "choice" && of.kind !== "boolean") {
    linking.report(
      finding(
        "BAD_VALUE",
        at.span,
        `The distinct values of a list can’t be ${typeWords(of)}.`,
        of.kind === "record"
          ? `Write “list: ${of.entity}” with a condition, such as “where: ${inRecord.entity}.exists(r, …)”.`
          : "Name a value with an order, such as a text, a number or a date.",
        { clause },
      ),
    );
    return undefined;
  }
  return isExecutableInCall(expr, inRecord, linking) ? expr : notExecuted("reads what is not decided", at.span);
};

/** The default response: null for the conventional form, which exists for records only. */
const usualGives = (distinct: Expr | null | undefined): Gives | null =>
  distinct == null
    ? null
    : {
        kind: "names",
        of: [
          [
            "items",
            {
              kind: "value",
              value: {
                kind: "name",
                name: "page",
                type: toListType(distinct.type),
                missing: false,
                span: distinct.span,
              },
            },
          ],
          ["next", { kind: "next" }],
        ],
      };

/** True for `this == user`: the call is about the caller's own account. */
export const isCaller = (where: Expr): boolean =>
  where.kind === "call" &&
  where.row === "same == same" &&
  where.args.some(({ kind }) => kind === "this") &&
  where.args.some(({ kind }) => kind === "user");

/** The scope of a response that can name the token of a session. `isOptional`: a request can come without one. */
export const withToken = (scope: Scope, isOptional: boolean): Scope => ({
  ...scope,
  names: new Map([...(scope.names ?? []), ["token", { type: { kind: "text" }, optional: isOptional }]]),
});

/** True if no two records have the same values in these fields. */
const isUnique = (entity: string, names: readonly string[], { entities, uniquenessRules }: CallNames): boolean =>
  names.some((name) => entities.get(entity)?.fields.get(name)?.unique === true) ||
  uniquenessRules
    .get(entity)
    ?.some(
      ({ range, where, same }) => range === null && where === null && same.every((name) => names.includes(name)),
    ) === true;

/** The fields that identify an existing record: a unique combination for which the call has all values. */
const findKey = (
  entity: string,
  names: readonly string[],
  { entities, uniquenessRules }: CallNames,
): readonly string[] | undefined => {
  const fields = entities.get(entity)?.fields;
  const hasValue = (name: string): boolean => names.includes(name) || fields?.get(name)?.set != null;
  const alone = [...(fields?.values() ?? [])].find((field) => field.unique && hasValue(field.name));
  if (alone !== undefined) return [alone.name];
  return uniquenessRules
    .get(entity)
    ?.find(({ range, where, same }) => range === null && where === null && same.every(hasValue))?.same;
};

/** The shapes that a response applies directly. */
export const shapesIn = (gives: Gives): readonly string[] => {
  if (gives.kind === "names") return gives.of.flatMap(([, value]) => shapesIn(value));
  return gives.kind === "shape" ? [gives.shape] : [];
};
