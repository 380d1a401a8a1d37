import type { Spanned } from "../../document/shape.ts";
import { isNone, type Scalar } from "../../document/tree.ts";
import type { Expr } from "../../expression/expr.ts";
import type { Scope, Type } from "../../expression/values/type.ts";
import { typeWords, valueKinds } from "../../expression/values/value-kinds.ts";
import { type Finding, finding } from "../../findings.ts";
import type { CallParameter, CallStep, Gives } from "../../model/endpoint.ts";
import type { NotExecuted } from "../../model/not-executed.ts";
import type { Span } from "../../source-text.ts";
import { checkExpression, type Linking, reportNotExecuted, reportUnknownName } from "../linking/link-context.ts";
import { inputNames, isCreating, linkParameters, linkQuery } from "./call-address.ts";
import type { CallNames, CallPlace } from "./call-context.ts";
import type { StepSyntax } from "./call-syntax.ts";
import { isExecutableInCall, linkGives, type PayloadNames } from "./payloads.ts";
import { linkAsks, linkSet, linkTakes } from "./step-input.ts";
import { checkQueryWords, checkStepKeys, writesFields } from "./step-keys.ts";
import { linkStepSort, sortableFields } from "./step-sort.ts";
import { findVerb, type StepKind, type StepVerb } from "./step-verb.ts";

/** The position of a step: its call, and whether the call has several steps. */
export interface StepPlace extends CallPlace {
  readonly clause: string;
  readonly several: boolean;
}

/** Resolves and types the record operation of a call. Undefined, with a finding, if a part of it is not executable. */
export const linkStep = (
  place: StepPlace,
  syntax: StepSyntax,
  shapes: PayloadNames,
  names: CallNames,
  scope: Scope,
  linking: Linking,
): CallStep | undefined => {
  const { clause } = place;
  let isComplete = true;
  const wrong = (found: Finding): undefined => {
    isComplete = false;
    linking.report(found);
  };
  const later = (kind: NotExecuted, span: Span): undefined => {
    isComplete = false;
    reportNotExecuted(linking, kind, span, clause);
  };
  const missingKey = (what: string, instead: string): Finding =>
    finding("MISSING_KEY", syntax.span, what, instead, { clause });
  const verb = findVerb(syntax, names, linking);
  if (verb === undefined) return undefined;
  const { entity, kind } = verb;
  const inRecord: Scope = { ...scope, entity, names: inputNames(syntax.query ?? [], entity, scope, true) };
  const condition = (at: Scalar | undefined): Expr | null | undefined => {
    if (at === undefined) return null;
    const expr = checkExpression(at, inRecord, { kind: "boolean" }, linking);
    if (expr !== undefined && !isExecutableInCall(expr, inRecord, linking)) later("reads what is not decided", at.span);
    return expr;
  };

  const parameters = linkParameters(place, kind, entity, syntax.span, scope, linking)?.map((parameter, _, all) =>
    identifiesParent(parameter, all, names) ? parameter : { ...parameter, parent: null },
  );
  const creates =
    kind === "put" && parameters !== undefined
      ? linkParameters(place, "create", entity, syntax.span, scope, linking)?.map((parameter) =>
          parameter.fixes === "id" ? { ...parameter, fixes: null } : parameter,
        )
      : [];
  const where = condition(syntax.where);
  const query = (syntax.query ?? []).map((entry) =>
    linkQuery(entry, kind, entity, inRecord, condition, clause, linking),
  );
  const isList = kind === "list";
  checkStepKeys(syntax, verb, clause, wrong);
  if (!isList && !isCreating(kind) && kind !== "delete all" && parameters?.length === 0 && !("where" in syntax.keys))
    wrong(
      missingKey(
        `This call does not say which ${entity} it uses.`,
        "Add a field in braces to the path, or write “where”.",
      ),
    );

  const paging = syntax.paging?.value ?? (isList ? "cursor" : "none");
  checkQueryWords(syntax, isList ? paging : "none", clause, wrong);
  const set = linkSet(syntax, entity, scope, linking, later);
  const isOwn = where !== undefined && where !== null && entity === "User" && isCaller(where);
  const distinct = linkDistinct(syntax.distinct, inRecord, { clause, linking, later });
  const answers = answering(kind, paging, inRecord, distinct?.type);
  const withOwnToken = isOwn && (kind === "read" || kind === "update") ? withToken(answers, true) : answers;
  const gives = linkStepGives(syntax.gives, kind, distinct, withOwnToken, { clause, linking, shapes });
  const takes = linkTakes(
    syntax.takes,
    entity,
    { clause, isOwn: isOwn && kind === "update" },
    shapes,
    names,
    scope,
    linking,
    later,
  );
  const asks = linkAsks(syntax.asks ?? [], entity, takes, place.several, scope, linking);
  const sort = linkStepSort(syntax.sort ?? [], entity, scope, linking);
  const selectable = linkSelectable(syntax.selectable ?? [], gives ?? null, shapes, { clause, linking });
  const sortable = sortableFields(syntax.sortable ?? [], entity, scope, { clause, linking });
  if (
    parameters === undefined ||
    creates === undefined ||
    where === undefined ||
    gives === undefined ||
    takes === undefined ||
    distinct === undefined ||
    query.some((query) => query === undefined)
  )
    return undefined;
  const fieldNames = [
    ...parameters.flatMap(({ fixes }) => fixes ?? []),
    ...set.keys(),
    ...(takes ?? []).map((field) => field.field),
  ];
  const fixed = (creates ?? []).flatMap(({ fixes }) => fixes ?? []);
  const identifies = parameters.some(({ field }) => field.name === "id") || isUnique(entity, fixed, names);
  if (kind === "put" && parameters.length > 0 && !identifies)
    wrong(
      missingKey(
        `The path of this call does not identify one ${entity}, so it could create another each time.`,
        "Use a unique field, all fields of a “unique” rule in point 5, or {id} in the path.",
      ),
    );
  const key = kind === "ensure" ? findKey(entity, fieldNames, names) : undefined;
  if (kind === "ensure" && key === undefined && isComplete)
    wrong(
      missingKey(
        `This call does not say how to find an existing ${entity}.`,
        "Use the path, “takes” or “set” to give a unique field, or all fields of a “unique” rule in point 5.",
      ),
    );
  if (!isComplete) return undefined;
  return {
    entity,
    does: toOperation(verb, { distinct, sort, sortable, paging, key: key ?? [], creates }),
    parameters,
    where,
    query: query.flatMap((query) => query ?? []),
    set,
    // In a call with several steps, a step accepts only the fields that it lists.
    takes: takes ?? (place.several ? [] : null),
    asks,
    replaces: verb.replaces === true,
    gives,
    selectable,
  };
};

/** The response of a step. Null if the document leaves it to the kind of call. */
const linkStepGives = (
  gives: StepSyntax["gives"],
  kind: StepKind,
  distinct: ReturnType<typeof linkDistinct>,
  answers: Scope,
  { clause, linking, shapes }: { readonly clause: string; readonly linking: Linking; readonly shapes: PayloadNames },
): Gives | null | undefined => {
  const isSilent = gives !== undefined && "text" in gives && isNone(gives);
  if (gives === undefined || (isSilent && (kind === "delete" || kind === "delete all"))) return usualGives(distinct);
  return isSilent && writesFields(kind) ? { kind: "none" } : linkGives(gives, shapes, answers, linking, clause);
};

/** The parts of every kind of operation; a step has those of its kind. */
interface OperationParts {
  readonly distinct: Expr | null;
  readonly sort: readonly string[];
  readonly sortable: readonly string[];
  readonly paging: "offset" | "cursor" | "none";
  readonly key: readonly string[];
  readonly creates: readonly CallParameter[];
}

const toOperation = (
  { kind, transition }: StepVerb,
  { distinct, sort, sortable, paging, key, creates }: OperationParts,
): CallStep["does"] => {
  switch (kind) {
    case "list":
      return { kind, distinct, sort, sortable, paging };
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
  { shapes }: PayloadNames,
  { clause, linking }: { readonly clause: string; readonly linking: Linking },
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
  paging: string,
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
      ["page", records],
      ["found", records],
      ...(paging === "cursor" ? ([["next", { type: { kind: "text" }, optional: true }]] as const) : []),
    ]),
  };
};

/** The type of a list of values, or of the elements of lists. */
const toListType = (type: Type): Type & { kind: "list" } => (type.kind === "list" ? type : { kind: "list", of: type });

/** Links the values of a list that returns each distinct value once; null for a list of records. */
const linkDistinct = (
  at: Scalar | undefined,
  inRecord: Scope,
  {
    clause,
    linking,
    later,
  }: {
    readonly clause: string;
    readonly linking: Linking;
    readonly later: (kind: NotExecuted, span: Span) => undefined;
  },
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
  return isExecutableInCall(expr, inRecord, linking) ? expr : later("reads what is not decided", at.span);
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
const isUnique = (entity: string, names: readonly string[], { entities, together }: CallNames): boolean =>
  names.some((name) => entities.get(entity)?.fields.get(name)?.unique === true) ||
  together
    .get(entity)
    ?.some(
      ({ range, where, same }) => range === null && where === null && same.every((name) => names.includes(name)),
    ) === true;

/** The fields that identify an existing record: a unique combination for which the call has all values. */
const findKey = (
  entity: string,
  names: readonly string[],
  { entities, together }: CallNames,
): readonly string[] | undefined => {
  const fields = entities.get(entity)?.fields;
  const hasValue = (name: string): boolean => names.includes(name) || fields?.get(name)?.set != null;
  const alone = [...(fields?.values() ?? [])].find((field) => field.unique && hasValue(field.name));
  if (alone !== undefined) return [alone.name];
  return together
    .get(entity)
    ?.find(({ range, where, same }) => range === null && where === null && same.every(hasValue))?.same;
};

/** The shapes that a response applies directly. */
export const shapesIn = (gives: Gives): readonly string[] => {
  if (gives.kind === "names") return gives.of.flatMap(([, value]) => shapesIn(value));
  return gives.kind === "shape" ? [gives.shape] : [];
};
