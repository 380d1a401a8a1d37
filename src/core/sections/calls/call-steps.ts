import type { Named, Spanned } from "../../document/shape.ts";
import { isNone, type Scalar } from "../../document/tree.ts";
import type { Expr } from "../../expression/expr.ts";
import type { FieldShape, Scope, Type } from "../../expression/values/type.ts";
import { typeWords, valueKinds } from "../../expression/values/value-kinds.ts";
import { finding } from "../../findings.ts";
import type { CallParameter, CallStep, Gives, TakenField } from "../../model/endpoint.ts";
import type { NotExecuted } from "../../model/not-executed.ts";
import { pagingWords, SORT_WORD } from "../../model/paging.ts";
import type { Span } from "../../source-text.ts";
import { checkExpression, type Linking, reportNotExecuted, reportUnknownName } from "../linking/link-context.ts";
import { inputNames, isCreating, linkParameters, linkQuery } from "./call-address.ts";
import type { CallNames, CallPlace } from "./call-context.ts";
import { type CallVerb, callVerbs, type StepSyntax } from "./call-syntax.ts";
import { isExecutableInCall, linkGives, type Payload, type PayloadNames } from "./payloads.ts";

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
  let isWhole = true;
  const wrong = (found: ReturnType<typeof finding>): undefined => {
    isWhole = false;
    linking.report(found);
  };
  const later = (kind: NotExecuted, span: Span): undefined => {
    isWhole = false;
    reportNotExecuted(linking, kind, span, clause);
  };
  const verb = findVerb(syntax, names, linking);
  if (verb === undefined) return undefined;
  const { entity, kind } = verb;
  const fields = scope.entities.get(entity)?.fields;
  const inRecord: Scope = { ...scope, entity, names: inputNames(syntax.query ?? [], fields, scope, true) };
  const condition = (at: Scalar | undefined): Expr | null | undefined => {
    if (at === undefined) return null;
    const expr = checkExpression(at, inRecord, { kind: "boolean" }, linking);
    if (expr !== undefined && !isExecutableInCall(expr, inRecord, linking)) later("reads what is not decided", at.span);
    return expr;
  };

  const parameters = linkParameters(place, kind, entity, syntax.span, scope, linking)?.map((one, _, all) =>
    identifiesParent(one, all, names) ? one : { ...one, parent: null },
  );
  const where = condition(syntax.where);
  const query = (syntax.query ?? []).map((one) => linkQuery(one, kind, entity, inRecord, condition, clause, linking));
  const isList = kind === "list";
  const goesWith = (key: keyof StepSyntax["keys"], fits: boolean, whom: string): void => {
    const span = syntax.keys[key];
    if (span !== undefined && !fits)
      wrong(finding("BAD_VALUE", span, `“${key}” is only for calls that ${whom}.`, "Remove it.", { clause }));
  };
  const writes = isCreating(kind) || kind === "update" || kind === "transition";
  const isOfRecords = isList && syntax.distinct === undefined;
  goesWith("distinct", isList, "list records");
  goesWith("sort", isOfRecords, "list records");
  goesWith("sortable", isOfRecords, "list records");
  goesWith("paging", isList, "list records");
  goesWith("where", !isCreating(kind), "find records");
  goesWith("set", writes, "write fields");
  goesWith("takes", writes, "write fields");
  goesWith("asks", writes, "write fields");
  if (verb.replaces && syntax.takes === undefined)
    wrong(
      finding(
        "MISSING_KEY",
        syntax.span,
        `This call does not say what it replaces of ${entity}.`,
        "Add “takes” with the fields that a request gives. Those that it does not send are cleared.",
        { clause },
      ),
    );
  goesWith("gives", kind !== "delete all", "return a record or a page");
  if (!isList && !isCreating(kind) && kind !== "delete all" && parameters?.length === 0 && !("where" in syntax.keys))
    wrong(
      finding(
        "MISSING_KEY",
        syntax.span,
        `This call does not say which ${entity} it uses.`,
        "Add a field in braces to the path, or write “where”.",
        { clause },
      ),
    );

  const paging = syntax.paging?.value ?? (isList ? "cursor" : "none");
  const isSorted = isOfRecords && (syntax.sortable ?? []).length > 0;
  for (const { name, key } of syntax.query ?? [])
    if ((isList && pagingWords[paging].some((word) => word === name)) || (isSorted && name === SORT_WORD))
      wrong(
        finding(
          "RESERVED_NAME",
          key,
          `“${name}” is reserved for lists with “${name === SORT_WORD ? "sortable" : `paging: ${paging}`}”.`,
          "Choose another word.",
          { clause },
        ),
      );
  const set = linkSet(syntax, entity, scope, linking, later);
  const isSilent = syntax.gives !== undefined && "text" in syntax.gives && isNone(syntax.gives);
  const isOwn = where !== undefined && where !== null && entity === "User" && isCaller(where);
  const distinct = linkDistinct(syntax.distinct, inRecord, { clause, linking, later });
  const answers = answering(kind, paging, inRecord, distinct?.type);
  const gives: Gives | null | undefined =
    syntax.gives === undefined || (isSilent && kind === "delete")
      ? usualGives(distinct)
      : isSilent && writes
        ? { kind: "none" }
        : linkGives(
            syntax.gives,
            shapes,
            isOwn && (kind === "read" || kind === "update") ? withToken(answers, true) : answers,
            linking,
            clause,
          );
  const takes = linkTakes(
    syntax.takes,
    entity,
    { clause, isOwn: isOwn && kind === "update" },
    names,
    scope,
    linking,
    later,
  );
  const asks = linkAsks(syntax.asks ?? [], entity, takes, place.several, scope, linking);
  const sort = sortOf(syntax.sort ?? [], entity, scope, linking);
  const sortable = sortableFields(syntax.sortable ?? [], entity, scope, { clause, linking });
  if (
    parameters === undefined ||
    where === undefined ||
    gives === undefined ||
    takes === undefined ||
    distinct === undefined ||
    query.some((one) => one === undefined)
  )
    return undefined;
  const given = [
    ...parameters.flatMap(({ fixes }) => fixes ?? []),
    ...set.keys(),
    ...(takes ?? []).map((one) => one.field),
  ];
  const key = kind === "ensure" ? findKey(entity, given, names) : undefined;
  if (kind === "ensure" && key === undefined && isWhole)
    wrong(
      finding(
        "MISSING_KEY",
        syntax.span,
        `This call does not say how to find an existing ${entity}.`,
        "Use the path, “takes” or “set” to give a unique field, or all fields of a “unique” rule in point 5.",
        { clause },
      ),
    );
  if (!isWhole) return undefined;
  return {
    entity,
    does:
      kind === "list"
        ? { kind, distinct, sort, sortable, paging }
        : kind === "transition"
          ? { kind, transition: verb.transition ?? "" }
          : kind === "ensure"
            ? { kind, key: key ?? [] }
            : { kind },
    parameters,
    where,
    query: query.flatMap((one) => one ?? []),
    set,
    // In a call with several steps, a step accepts only the fields that it lists.
    takes: takes ?? (place.several ? [] : null),
    asks,
    replaces: verb.replaces === true,
    gives,
  };
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
    all.filter((one) => one.parent?.reference === parent.reference).length > 1);

/** The scope of a response: the record, or the page for a list, which has no current record. */
const answering = (
  kind: CallStep["does"]["kind"],
  paging: string,
  inRecord: Scope,
  distinct: Type | undefined,
): Scope => {
  const record: Type = { kind: "record", entity: inRecord.entity ?? "" };
  if (kind !== "list") return inRecord;
  const { entity: _, ...without } = inRecord;
  const records = { type: listOf(distinct ?? record), optional: false };
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
const listOf = (type: Type): Type & { kind: "list" } => (type.kind === "list" ? type : { kind: "list", of: type });

/** Links the values that a list gives once each; null for a list of records. */
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
  const { of } = listOf(expr.type);
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

/** The response without `gives`: null for the conventional form, which has records only. */
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
              value: { kind: "name", name: "page", type: listOf(distinct.type), missing: false, span: distinct.span },
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

/** Members that change the password of the caller's own account. */
const credentials: readonly string[] = ["password", "current_password"];

interface Verb {
  readonly kind: CallStep["does"]["kind"];
  readonly entity: string;
  readonly transition?: string;
  readonly replaces?: boolean;
}

/** The verb of a call; reports a call with none or several. */
export const readVerb = (
  value: { readonly span: Span; readonly keys: { readonly [key: string]: Span | undefined } },
  linking: Linking,
): CallVerb | undefined => {
  const said = callVerbs.filter((verb) => verb in value.keys);
  const [verb, second] = said;
  if (verb !== undefined && second === undefined) return verb;
  linking.report(
    finding(
      "MISSING_KEY",
      second === undefined ? value.span : (value.keys[second] ?? value.span),
      second === undefined
        ? "A call needs a verb."
        : `A call does one thing, but this one has “${verb}” and “${second}”.`,
      second === undefined
        ? `Write one of ${callVerbs.join(", ")}.`
        : "Split it into two calls, or into two steps of “do”.",
    ),
  );
  return undefined;
};

/** The operation of a step and its entity; undefined, with a finding, if a name is unknown. */
const findVerb = (value: StepSyntax, names: CallNames, linking: Linking): Verb | undefined => {
  const verb = readVerb(value, linking);
  if (verb === undefined) return undefined;
  if (verb === "transition") return findTransition(value, names, linking);
  if (verb === "sign in" || verb === "sign up" || verb === "sign out" || verb === "do") return undefined;
  const entity = value[verb];
  if (entity === undefined) return undefined;
  if (names.entities.has(entity.value))
    return verb === "replace"
      ? { kind: "update", entity: entity.value, replaces: true }
      : { kind: verb, entity: entity.value };
  reportUnknownName(linking, entity.span, "entity", entity.value, names.entities.keys());
  return undefined;
};

const findTransition = (value: StepSyntax, names: CallNames, linking: Linking): Verb | undefined => {
  if (value.transition === undefined) return undefined;
  const [entity = "", transition = ""] = value.transition.value.split(".");
  if (!names.entities.has(entity))
    reportUnknownName(linking, value.transition.span, "entity", entity, names.entities.keys());
  else if (names.transitions.get(entity)?.has(transition) !== true)
    reportUnknownName(
      linking,
      value.transition.span,
      `transition of ${entity}`,
      transition,
      names.transitions.get(entity) ?? [],
    );
  else return { kind: "transition", entity, transition };
  return undefined;
};

/** The fields that identify an existing record: a unique combination whose values are all given. */
const findKey = (
  entity: string,
  given: readonly string[],
  { entities, together }: CallNames,
): readonly string[] | undefined => {
  const fields = entities.get(entity)?.fields;
  const isGiven = (name: string): boolean => given.includes(name) || fields?.get(name)?.set != null;
  const alone = [...(fields?.values() ?? [])].find((field) => field.unique && isGiven(field.name));
  if (alone !== undefined) return [alone.name];
  return together.get(entity)?.find(({ range, where, same }) => range === null && where === null && same.every(isGiven))
    ?.same;
};

/**
 * Links the values that the call sets in addition to the payload. They can read the user, the time, constants and the
 * address, but no record.
 */
const linkSet = (
  syntax: StepSyntax,
  entity: string,
  scope: Scope,
  linking: Linking,
  later: (kind: NotExecuted, span: Span) => undefined,
): ReadonlyMap<string, Expr> => {
  const fields = scope.entities.get(entity)?.fields;
  const { entity: _, ...without } = scope;
  const place: Scope = { ...without, names: inputNames(syntax.query ?? [], fields, scope, false) };
  const set = new Map<string, Expr>();
  for (const { name, key, value } of syntax.set ?? []) {
    const field = fields?.get(name);
    linking.mentions.push({ of: "field", entity, name, span: key });
    if (field === undefined) reportUnknownName(linking, key, `field of ${entity}`, name, fields?.keys() ?? []);
    const expr = checkExpression(value, place, field?.type, linking);
    if (expr === undefined || field === undefined) continue;
    if (field.column === undefined || !isExecutableInCall(expr, place, linking))
      later("reads what is not decided", value.span);
    else set.set(name, expr);
  }
  return set;
};

/**
 * Links the position of each field in the request body: `{ user: { email, name } }`. Undefined, with a finding, if it
 * is not a valid payload.
 */
const linkTakes = (
  payload: Payload | undefined,
  entity: string,
  { clause, isOwn }: { readonly clause: string; readonly isOwn: boolean },
  names: CallNames,
  scope: Scope,
  linking: Linking,
  later: (kind: NotExecuted, span: Span) => undefined,
): readonly TakenField[] | null | undefined => {
  if (payload === undefined) return null;
  const fields = scope.entities.get(entity)?.fields;
  /** A list of parts, which can be sent with their record. */
  const isParts = ({ inverse }: FieldShape): boolean =>
    inverse !== undefined && names.entities.get(inverse.entity)?.fields.get(inverse.by)?.partOf === true;
  const isCredential = (field: string): boolean => isOwn && credentials.includes(field) && fields?.has(field) !== true;
  let confirmation: Span | undefined;
  const taken = payloadFields(payload, linking, ({ name, key, field: said, span }) => {
    const [field = "", ...more] = said.split(".");
    const shape = fields?.get(field);
    if (isCredential(said)) {
      if (said === "current_password") confirmation = span ?? key;
      return true;
    }
    if (entity === "User" && shape === undefined && credentials.includes(said)) {
      linking.report(
        finding(
          "BAD_VALUE",
          span ?? key,
          "A call changes only the password of its own caller.",
          "Write “update: User” with “where: this == user”, and without a path parameter.",
          { clause },
        ),
      );
      return false;
    }
    if (shape !== undefined && more.length > 0) return isKey(field, shape, more, span ?? key);
    if (shape === undefined) reportUnknownName(linking, span ?? key, `field of ${entity}`, field, fields?.keys() ?? []);
    else if (shape.column === undefined && !isParts(shape)) later("reads what is not decided", key);
    else return true;
    return name === "";
  });
  if (confirmation !== undefined && taken?.every(({ field }) => field !== "password"))
    linking.report(
      finding(
        "MISSING_KEY",
        confirmation,
        "The current password is only asked for a new one.",
        "Add “password” to “takes”, or remove “current_password”.",
        { clause },
      ),
    );
  return taken?.map(({ path, field: said }): TakenField => {
    if (isCredential(said)) return { path, field: said, isCredential: true };
    const [field = "", name] = said.split(".");
    const target = fields?.get(field)?.type;
    if (name === undefined || target?.kind !== "record") return { path, field };
    const at = withoutPlace(name, target.entity);
    return at === undefined
      ? { path, field }
      : { path, field, by: { name: said, at, field: { entity: target.entity, name }, parent: null, fixes: null } };
  });

  function withoutPlace(name: string, of: string): Expr | undefined {
    const span = payload !== undefined && "text" in payload ? payload.span : { file: "", start: 0, end: 0 };
    const text: Scalar = { kind: "scalar", text: name, span, quoted: false, locate: () => span.start };
    return checkExpression(text, { ...scope, entity: of }, undefined, linking);
  }

  /** `section.code`: the reference, and a unique field of its entity. */
  function isKey(field: string, { type }: FieldShape, [name = "", ...more]: readonly string[], span: Span): boolean {
    const of = type.kind === "record" ? names.entities.get(type.entity) : undefined;
    const target = of?.fields.get(name);
    if (of !== undefined && more.length === 0 && target?.unique === true) return true;
    linking.report(
      finding(
        "BAD_VALUE",
        span,
        `“${[field, name, ...more].join(".")}” does not identify one record.`,
        "Write a reference and a unique field of its entity, such as section.code, or the reference alone for its id.",
      ),
    );
    return false;
  }
};

/** Links the fields that a request must have. */
const linkAsks = (
  said: readonly Spanned<string>[],
  entity: string,
  takes: readonly TakenField[] | null | undefined,
  several: boolean,
  scope: Scope,
  linking: Linking,
): readonly string[] => {
  const fields = scope.entities.get(entity)?.fields;
  return said.flatMap(({ value, span }) => {
    linking.mentions.push({ of: "field", entity, name: value, span });
    if (fields?.has(value) !== true) {
      reportUnknownName(linking, span, `field of ${entity}`, value, fields?.keys() ?? []);
      return [];
    }
    if (takes === null ? !several : takes?.some(({ field }) => field === value) !== false) return [value];
    linking.report(
      finding("BAD_VALUE", span, `The call asks for ${value}, but does not take it.`, "Add it to “takes”."),
    );
    return [];
  });
};

/** The accepted names of a payload with the fields at their positions. */
export const payloadFields = (
  payload: Payload,
  linking: Linking,
  accept: (one: {
    readonly name: string;
    readonly key: Span;
    readonly field: string;
    readonly span: Span | undefined;
  }) => boolean,
): readonly TakenField[] | undefined => {
  if ("text" in payload) {
    linking.report(
      finding(
        "WRONG_SHAPE",
        payload.span,
        "The body of a response must be an object.",
        "Write for example { title, text }.",
      ),
    );
    return undefined;
  }
  const walk = (of: readonly Named<Payload | "itself">[], path: readonly string[]): readonly TakenField[] =>
    of.flatMap(({ name, key, value }): readonly TakenField[] => {
      if (value !== "itself" && !("text" in value)) return walk(value, [...path, name]);
      const field = value === "itself" ? name : value.text;
      const span = value === "itself" ? undefined : value.span;
      return accept({ name, key, field, span }) ? [{ path: [...path, name], field }] : [];
    });
  return walk(payload, []);
};

const sortOf = (
  said: readonly Spanned<string>[],
  entity: string,
  scope: Scope,
  linking: Linking,
): readonly string[] => {
  const fields = scope.entities.get(entity)?.fields;
  return said.flatMap(({ value, span }) => {
    const name = value.replace(/^-/u, "");
    if (fields?.has(name) === true) return [value];
    reportUnknownName(linking, span, `field of ${entity}`, name, fields?.keys() ?? []);
    return [];
  });
};

/** Fields by which callers can sort. Lists, references, files and JSON have no order. */
const sortableFields = (
  said: readonly Spanned<string>[],
  entity: string,
  scope: Scope,
  { clause, linking }: { readonly clause: string; readonly linking: Linking },
): readonly string[] => {
  const fields = scope.entities.get(entity)?.fields;
  return said.flatMap(({ value, span }) => {
    const type = fields?.get(value)?.type.kind;
    if (type === undefined) {
      reportUnknownName(linking, span, `field of ${entity}`, value, fields?.keys() ?? []);
      return [];
    }
    linking.mentions.push({ of: "field", entity, name: value, span });
    if (!unordered.has(type)) return [value];
    linking.report(
      finding(
        "BAD_VALUE",
        span,
        `A list can’t be sorted by ${value}.`,
        "Name a field with an order, such as a text, a number or a date.",
        {
          clause,
        },
      ),
    );
    return [];
  });
};

const unordered: ReadonlySet<string> = new Set(["list", "record", "file", "json"]);

/** The shapes that a response applies directly. */
export const shapesIn = (gives: Gives): readonly string[] => {
  if (gives.kind === "names") return gives.of.flatMap(([, one]) => shapesIn(one));
  return gives.kind === "shape" ? [gives.shape] : [];
};
