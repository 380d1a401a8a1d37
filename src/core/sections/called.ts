import type { Named, Said } from "../document/shape.ts";
import type { Scalar } from "../document/tree.ts";
import { finding } from "../findings.ts";
import type { Call, CallParameter, CallQuery, Gives, Taken } from "../model/model.ts";
import type { NotExecuted } from "../model/not-executed.ts";
import type { Expr } from "../rule/expr.ts";
import type { FieldShape, Scope, Type } from "../rule/type.ts";
import type { Span } from "../text.ts";
import type { FieldTypeName } from "../wire.ts";
import { type CallSyntax, type CallVerb, callVerbs } from "./call-syntax.ts";
import type { EffectNames } from "./effects.ts";
import { checkExpression, clauseAt, type Linking, reportNotExecuted, unknownName } from "./linking.ts";
import { linkGives, type Payload, runsInCall, type ShapeNames } from "./payloads.ts";

export interface CallNames extends EffectNames {
  /** The addresses of the screens. */
  readonly screens: readonly string[];
  /** Roles that a person holds everywhere. */
  readonly roles: ReadonlySet<string>;
}

/** A method and a path, and what stands under them. */
export interface CallPlace {
  readonly name: string;
  readonly key: Span;
  readonly method: Call["method"];
  /** As written, without the base. */
  readonly path: string;
  readonly base: string;
}

/** Resolves and types a call. Undefined where a part of it cannot run: the call is then not served, which was said. */
export const linkCall = (
  place: CallPlace,
  syntax: CallSyntax,
  shapes: ShapeNames,
  names: CallNames,
  scope: Scope,
  linking: Linking,
): Call | undefined => {
  const clause = clauseAt(`7.${place.name}`, place.key);
  let isWhole = true;
  const later = (kind: NotExecuted, span: Span): undefined => {
    isWhole = false;
    reportNotExecuted(linking, kind, span, clause.id);
  };
  const verb = verbOf(syntax, names, linking);
  const inputs = inputsOf(syntax, scope.entities.get(verb?.entity ?? "")?.fields, scope);
  const by = linkRoles(syntax.by, names, linking);
  if (verb === undefined) {
    later("call", place.key);
    return undefined;
  }
  const { entity, kind } = verb;
  const inRecord: Scope = { ...scope, entity, names: inputs };
  const condition = (at: Scalar | undefined): Expr | null | undefined => {
    if (at === undefined) return null;
    const expr = checkExpression(at, inRecord, { kind: "boolean" }, linking);
    if (expr !== undefined && !runsInCall(expr, inRecord, linking)) later("reads what is not executed", at.span);
    return expr;
  };

  const parameters = linkParameters(place, kind, entity, syntax.span, scope, linking);
  if (parameters === undefined) isWhole = false;
  const where = condition(syntax.where);
  const query = (syntax.query ?? []).map((one) => linkQuery(one, entity, inRecord, condition, linking));
  const isList = kind === "list";
  if (!isList)
    for (const key of ["where", "query", "sort", "paging"] as const) {
      const span = syntax.keys[key];
      if (span !== undefined) later("call", span);
    }
  for (const key of ["set"] as const) {
    const span = syntax.keys[key];
    if (span !== undefined) later("call", span);
  }
  if (syntax.query?.some((one) => one.value.default !== undefined) === true)
    later("call", syntax.keys.query ?? place.key);

  const paging = syntax.paging?.value ?? (isList ? "cursor" : "none");
  const record: Type = { kind: "record", entity };
  const ofLists: readonly (readonly [string, { readonly type: Type; readonly optional: boolean }])[] = isList
    ? [
        ["page", { type: { kind: "list", of: record }, optional: false }],
        ["found", { type: { kind: "list", of: record }, optional: false }],
        ...(paging === "cursor" ? ([["next", { type: { kind: "text" }, optional: true }]] as const) : []),
      ]
    : [];
  // In the answer of a list there is no record at hand but those of its page.
  const { entity: _, ...without } = inRecord;
  const answering: Scope = { ...(isList ? without : inRecord), names: new Map([...inputs, ...ofLists]) };
  const gives = syntax.gives === undefined ? null : linkGives(syntax.gives, shapes, answering, linking, clause.id);
  if (kind === "delete" && syntax.gives !== undefined) later("call", syntax.keys.gives ?? place.key);
  const takes = linkTakes(syntax.takes, entity, scope, (span) => later("call", span));
  const status = statusOf(syntax.status, kind, linking);
  const sort = sortOf(syntax.sort ?? [], entity, scope, linking);
  if (
    !isWhole ||
    parameters === undefined ||
    where === undefined ||
    gives === undefined ||
    by === undefined ||
    query.some((one) => one === undefined)
  )
    return undefined;
  return {
    name: place.name,
    clause,
    method: place.method,
    path: `${place.base.replace(/\/$/u, "")}${place.path}`,
    entity,
    does:
      kind === "list"
        ? { kind, where, query: query.flatMap((one) => one ?? []), sort, paging }
        : kind === "transition"
          ? { kind, transition: verb.transition ?? "" }
          : { kind },
    parameters,
    takes,
    gives,
    by: by === null ? null : by.map(({ value }) => value),
    status,
    headers: new Map((syntax.headers ?? []).map(({ name, value }) => [name, value.value])),
  };
};

interface Verb {
  readonly kind: Call["does"]["kind"];
  readonly entity: string;
  readonly transition?: string;
}

/** What a call does and to which entity; undefined where nothing executes its verb, or a name is wrong, which is said. */
const verbOf = (value: CallSyntax, names: CallNames, linking: Linking): Verb | undefined => {
  const said = callVerbs.filter((verb) => verb in value.keys);
  const [verb, second] = said;
  if (verb === undefined || second !== undefined) {
    linking.report(
      finding(
        "MISSING_KEY",
        second === undefined ? value.span : (value.keys[second] ?? value.span),
        second === undefined
          ? "A call needs a verb."
          : `A call does one thing, and this one says “${verb}” and “${second}”.`,
        second === undefined ? `Write one of ${callVerbs.join(", ")}.` : "Make two calls of it.",
      ),
    );
    return undefined;
  }
  if (verb === "transition") return transitionOf(value, names, linking);
  const entity = entityOf(value, verb);
  if (entity === undefined) return undefined;
  if (!names.entities.has(entity.value)) {
    unknownName(linking, entity.span, "entity", entity.value, names.entities.keys());
    return undefined;
  }
  const isRun = verb === "list" || verb === "read" || verb === "create" || verb === "update" || verb === "delete";
  return isRun ? { kind: verb, entity: entity.value } : undefined;
};

const entityOf = (value: CallSyntax, verb: CallVerb): Said<string> | undefined => {
  switch (verb) {
    case "list":
    case "read":
    case "create":
    case "update":
    case "delete":
    case "delete all":
    case "ensure":
      return value[verb];
    default:
      return undefined;
  }
};

const transitionOf = (value: CallSyntax, names: CallNames, linking: Linking): Verb | undefined => {
  if (value.transition === undefined) return undefined;
  const [entity = "", transition = ""] = value.transition.value.split(".");
  if (!names.entities.has(entity)) unknownName(linking, value.transition.span, "entity", entity, names.entities.keys());
  else if (names.transitions.get(entity)?.has(transition) !== true)
    unknownName(
      linking,
      value.transition.span,
      `transition of ${entity}`,
      transition,
      names.transitions.get(entity) ?? [],
    );
  else return { kind: "transition", entity, transition };
  return undefined;
};

const linkRoles = (
  by: readonly Said<string>[] | undefined,
  names: CallNames,
  linking: Linking,
): readonly Said<string>[] | null | undefined => {
  if (by === undefined) return null;
  for (const role of by) {
    if (names.roles.has(role.value)) linking.rolesUsed.add(role.value);
    else unknownName(linking, role.span, "role", role.value, names.roles);
  }
  return by.every((role) => names.roles.has(role.value)) ? by : undefined;
};

/** What expressions of a call may name as `input.kind`: what is given in its address. */
const inputsOf = (syntax: CallSyntax, fields: ReadonlyMap<string, FieldShape> | undefined, scope: Scope) => {
  const inputs = new Map<string, { readonly type: Type; readonly optional: boolean }>(scope.names ?? []);
  for (const { name, value } of syntax.query ?? []) {
    const type = typeNamed(value.type?.value) ?? fields?.get(name)?.type ?? { kind: "unknown" };
    inputs.set(`input.${name}`, { type, optional: false });
  }
  return inputs;
};

const namedTypes = ["text", "integer", "decimal", "boolean", "date", "datetime"] as const;

const typeNamed = (name: string | undefined): Type | undefined => {
  const kind = namedTypes.find((one) => one === name?.replace(/\?$/u, ""));
  return kind === undefined ? undefined : { kind };
};

/** A word of the address; without a condition it is the value of the field of its name. */
const linkQuery = (
  { name, key, value }: Named<{ readonly where?: Scalar; readonly type?: Said<string> }>,
  entity: string,
  scope: Scope,
  condition: (at: Scalar | undefined) => Expr | null | undefined,
  linking: Linking,
): CallQuery | undefined => {
  const field = scope.entities.get(entity)?.fields.get(name);
  const type = typeNamed(value.type?.value);
  if (value.type !== undefined && type === undefined)
    unknownName(linking, value.type.span, "type of what is given called", value.type.value, namedTypes);
  else if (field === undefined && type === undefined)
    linking.report(
      finding(
        "UNKNOWN_NAME",
        key,
        `“${name}” is no field of ${entity}, so nothing says what may be given.`,
        `Say its type: “${name}: { type: text, where: … }”.`,
      ),
    );
  const said = `${name} == input.${name}`;
  const where = condition(
    value.where ?? { kind: "scalar", text: said, span: key, quoted: false, locate: () => key.start },
  );
  const as = namedTypes.find((one) => one === type?.kind) ?? fieldTypeOf(field);
  if (as === undefined && field !== undefined) reportNotExecuted(linking, "call", key);
  if (where === null || where === undefined || as === undefined) return undefined;
  return { name, type: as, field: type === undefined ? { entity, name } : null, where };
};

/** The type of field whose values an expression's type takes in an address. */
const fieldTypeOf = (field: FieldShape | undefined): FieldTypeName | undefined => {
  switch (field?.type.kind) {
    case "text":
    case "integer":
    case "decimal":
    case "boolean":
    case "date":
    case "datetime":
    case "choice":
      return field.type.kind;
    case "record":
      return "reference";
    default:
      return undefined;
  }
};

/** The parameters of a path; undefined where one names nothing or cannot run. */
const linkParameters = (
  { name, path, key }: CallPlace,
  kind: Verb["kind"],
  entity: string,
  span: Span,
  scope: Scope,
  linking: Linking,
): readonly CallParameter[] | undefined => {
  const parameters = [...path.matchAll(/\{([^}]*)\}/gu)].map((match) => match[1] ?? "");
  const linked = parameters.map((parameter): CallParameter | undefined => {
    const words = parameter.split(".");
    const last = endOf(name, words, entity, scope, span, linking);
    if (last === undefined) return undefined;
    const own = last.rest;
    const fixes = kind === "create" ? (own[0] ?? null) : null;
    const of = fixes === null ? entity : targetOf(entity, fixes, scope);
    const read = fixes === null ? own : own.slice(1);
    if (of === undefined || read.length === 0) {
      reportNotExecuted(linking, "call", key, `7.${name}`);
      return undefined;
    }
    const text = read.join(".");
    const at: Scalar = { kind: "scalar", text, span, quoted: false, locate: () => span.start };
    const expr = checkExpression(at, { ...scope, entity: of }, undefined, linking);
    if (expr === undefined) return undefined;
    if (expr.type.kind === "list" || !runsInCall(expr, scope, linking)) {
      reportNotExecuted(linking, "reads what is not executed", key, `7.${name}`);
      return undefined;
    }
    return { name: parameter, at: expr, field: { entity: last.entity, name: read.at(-1) ?? "id" }, fixes };
  });
  const found = linked.flatMap((one) => one ?? []);
  // What is changed, moved, deleted or read is one record.
  if (found.length === parameters.length && found.length === 0 && kind !== "list" && kind !== "create") {
    reportNotExecuted(linking, "call", key, `7.${name}`);
    return undefined;
  }
  return found.length === parameters.length ? found : undefined;
};

const targetOf = (entity: string, reference: string, scope: Scope): string | undefined => {
  const type = scope.entities.get(entity)?.fields.get(reference)?.type;
  return type?.kind === "record" ? type.entity : undefined;
};

/** `{id}`, a field's name, or a path through references that ends in one: the entity at its end, and the path without the entity's own name. */
const endOf = (
  given: string,
  words: readonly string[],
  entity: string,
  scope: Scope,
  span: Span,
  linking: Linking,
): { readonly entity: string; readonly rest: readonly string[] } | undefined => {
  const [first = ""] = words;
  const known = scope.entities.get(entity)?.fields.has(first) === true;
  // `{article.slug}` may begin with the entity's own name, in small letters.
  const rest = !known && words.length > 1 && first.toLowerCase() === entity.toLowerCase() ? words.slice(1) : words;
  let at: string | undefined = entity;
  let of = entity;
  for (const word of rest) {
    const field: FieldShape | undefined = at === undefined ? undefined : scope.entities.get(at)?.fields.get(word);
    if (at === undefined || field === undefined) {
      linking.report(
        finding(
          "NO_SUCH_PARAMETER",
          span,
          `The parameter {${words.join(".")}} of ${given} matches no field of ${at ?? of}.`,
          "Name a field, or a path of references that ends in one.",
        ),
      );
      return undefined;
    }
    of = at;
    at = field.type.kind === "record" ? field.type.entity : undefined;
  }
  return { entity: of, rest };
};

/** Where each field stands in the body: `{ user: { email, name } }`. */
const linkTakes = (
  payload: Payload | undefined,
  entity: string,
  scope: Scope,
  later: (span: Span) => void,
): readonly Taken[] | null => {
  if (payload === undefined) return null;
  if ("text" in payload) {
    later(payload.span);
    return null;
  }
  const fields = scope.entities.get(entity)?.fields;
  const walk = (of: readonly Named<Payload | "itself">[], path: readonly string[]): readonly Taken[] =>
    of.flatMap(({ name, key, value }): readonly Taken[] => {
      if (value !== "itself" && !("text" in value)) return walk(value, [...path, name]);
      const field = value === "itself" ? name : value.text;
      if (fields?.get(field)?.column === undefined) {
        later(key);
        return [];
      }
      return [{ path: [...path, name], field }];
    });
  return walk(payload, []);
};

const statusOf = (said: Said<string> | undefined, kind: Verb["kind"], linking: Linking): number | null => {
  if (said === undefined) return null;
  const status = /^2\d\d$/u.test(said.value) ? Number(said.value) : undefined;
  if (status !== undefined && !(kind !== "delete" && (status === 204 || status === 205))) return status;
  linking.report(
    finding(
      "BAD_VALUE",
      said.span,
      `The status of an answer that says something is from 200 to 299 and not ${status ?? said.value}.`,
      "Refusals have the statuses of point 8.",
    ),
  );
  return null;
};

const sortOf = (said: readonly Said<string>[], entity: string, scope: Scope, linking: Linking): readonly string[] => {
  const fields = scope.entities.get(entity)?.fields;
  return said.flatMap(({ value, span }) => {
    const name = value.replace(/^-/u, "");
    if (fields?.has(name) === true) return [value];
    unknownName(linking, span, `field of ${entity}`, name, fields?.keys() ?? []);
    return [];
  });
};

/** Whether a shape leads back to itself, by the shapes that it applies. */
export const shapesIn = (gives: Gives): readonly string[] => {
  if (gives.kind === "names") return gives.of.flatMap(([, one]) => shapesIn(one));
  return gives.kind === "shape" ? [gives.shape] : [];
};
