import type { Named, Spanned } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import type { Expr } from "../../expression/expr.ts";
import type { FieldShape, Scope, Type } from "../../expression/values/type.ts";
import { specless } from "../../field/kind.ts";
import { fieldKinds } from "../../field/kinds.ts";
import { finding } from "../../findings.ts";
import { kinds as kindNames } from "../../i18n/en/errors.ts";
import type { CallParameter, CallQuery, CallStep } from "../../model/endpoint.ts";
import { nearest, type Span } from "../../source-text.ts";
import type { FieldTypeName } from "../../wire/entities.ts";
import type { Json } from "../../wire/json.ts";
import {
  checkExpression,
  type Linking,
  mentionOwnField,
  mentionPath,
  reportNotExecuted,
  reportUnknownName,
} from "../linking/link-context.ts";
import type { CallNames, CallPlace } from "./call-context.ts";
import { findCallError } from "./call-errors.ts";
import { isHeaderName } from "./call-settings.ts";
import type { QueryParameter } from "./call-syntax.ts";
import { isExecutableInCall } from "./payloads.ts";

/** The address of a call: path parameters and query parameters. */

/**
 * True if the verb creates a record, so that its path parameters are values of the new record instead of identifying
 * one.
 */
export const isCreating = (kind: CallStep["does"]["kind"]): boolean => kind === "create" || kind === "ensure";

type QuerySyntax = Named<QueryParameter>;

/**
 * The names `input.kind` for the query parameters. Unless `isPresent`, a parameter's own condition is typed as if it
 * were present.
 */
export const inputNames = (
  query: readonly QuerySyntax[],
  entity: string,
  scope: Scope,
  isPresent: boolean,
): NonNullable<Scope["names"]> => {
  const inputs = new Map(scope.names ?? []);
  for (const parameter of query) {
    const { name, value } = parameter;
    const type = typeNamed(value.type?.value) ??
      resolveEntityField(value.type?.value, scope)?.shape.type ??
      elementType(findCompared(parameter, entity, scope)?.shape.type) ??
      scope.entities.get(entity)?.fields.get(name)?.type ?? { kind: "unknown" };
    inputs.set(`input.${name}`, { type, optional: !isPresent && value.default === undefined });
  }
  return inputs;
};

/** The type of one value of a field. */
const elementType = (type: Type | undefined): Type | undefined => (type?.kind === "list" ? type.of : type);

/** True if `==` takes values of both types. */
const areComparable = (one: Type, other: Type): boolean => {
  const isNumber = ({ kind }: Type): boolean => kind === "integer" || kind === "decimal";
  if (isNumber(one) && isNumber(other)) return true;
  if (one.kind === "choice" && other.kind === "choice") return one.of === other.of;
  if (one.kind === "record" && other.kind === "record") return one.entity === other.entity;
  return one.kind === other.kind || one.kind === "unknown" || other.kind === "unknown";
};

/** True if a parameter has the name of a field, a type that cannot be compared with it, and no condition. */
export const hasOtherType = ({ name, value }: QuerySyntax, entity: string, scope: Scope): boolean => {
  const own = typeNamed(value.type?.value) ?? elementType(resolveEntityField(value.type?.value, scope)?.shape.type);
  const type = elementType(scope.entities.get(entity)?.fields.get(name)?.type);
  return value.where === undefined && own !== undefined && type !== undefined && !areComparable(own, type);
};

interface Compared {
  /** From the entity of the call: `device.code`. */
  readonly path: string;
  readonly entity: string;
  readonly name: string;
  readonly shape: FieldShape;
}

/**
 * The field with which a parameter is compared: the one of its name, or the field or path of references that is written in
 * place of a condition (`author: writer.name`). Undefined for any other condition.
 */
const findCompared = ({ name, value }: QuerySyntax, entity: string, scope: Scope): Compared | undefined => {
  const path = value.where?.text.trim() ?? name;
  if (!/^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*$/u.test(path)) return undefined;
  let found: Compared | undefined;
  let of: string | undefined = entity;
  for (const word of path.split(".")) {
    const shape: FieldShape | undefined = scope.entities.get(of ?? "")?.fields.get(word);
    if (of === undefined || shape === undefined || shape.inverse !== undefined) return undefined;
    found = { path, entity: of, name: word, shape };
    of = shape.type.kind === "record" ? shape.type.entity : undefined;
  }
  return found;
};

const namedTypes = ["text", "integer", "decimal", "boolean", "date", "datetime", "time", "duration"] as const;

const typeNamed = (name: string | undefined): Type | undefined => {
  const kind = namedTypes.find((type) => type === name?.replace(/\?$/u, ""));
  return kind === undefined ? undefined : { kind };
};

/** A value of another entity's field, such as `Company.country`. */
const resolveEntityField = (
  text: string | undefined,
  scope: Scope,
): { readonly entity: string; readonly name: string; readonly shape: FieldShape } | undefined => {
  const [, entity = "", name = ""] = /^([A-Z][A-Za-z0-9]*)\.([a-z][a-z0-9_]*)$/u.exec(text ?? "") ?? [];
  const shape = scope.entities.get(entity)?.fields.get(name);
  return shape === undefined ? undefined : { entity, name, shape };
};

/** The step of a call to which an address belongs. */
interface AddressedStep {
  readonly kind: CallStep["does"]["kind"];
  readonly entity: string;
  readonly scope: Scope;
}

/** Links a query parameter. Without a condition, it is compared with a field, if the verb selects records. */
export const linkQuery = (
  parameter: QuerySyntax,
  { kind, entity, scope }: AddressedStep,
  condition: (at: Scalar | undefined) => Expr | null | undefined,
  { clause, token, errorCatalogue }: { readonly clause: string } & Pick<CallNames, "token" | "errorCatalogue">,
  linking: Linking,
): CallQuery | undefined => {
  const { name, key, value } = parameter;
  const compared = value.type === undefined ? findCompared(parameter, entity, scope) : undefined;
  if (compared !== undefined && value.where !== undefined)
    mentionPath(linking, scope, entity, compared.path, value.where.span);
  else if (compared !== undefined && value.default === undefined) mentionOwnField(linking, entity, name, key);
  const field = compared?.shape ?? scope.entities.get(entity)?.fields.get(name);
  const type = typeNamed(value.type?.value);
  const other = resolveEntityField(value.type?.value, scope);
  if (value.type !== undefined && type === undefined && other === undefined)
    reportUnknownName(linking, value.type.span, "type of what is given called", value.type.value, namedTypes, {
      hint: `Write ${namedTypes.join(", ")}, or a field whose values it takes, such as Device.kind.`,
    });
  else if (field === undefined && type === undefined && other === undefined)
    linking.report(
      finding(
        "UNKNOWN_NAME",
        key,
        `“${name}” is not a field of ${entity}, so its type is unknown.`,
        `Write its type: “${name}: { type: text, where: … }”.`,
      ),
    );
  if (isCreating(kind) && value.where !== undefined)
    linking.report(
      finding(
        "BAD_VALUE",
        value.where.span,
        "A call that creates a record can’t have a condition on its parameter.",
        `Remove the condition, and use input.${name} under “set”.`,
        { clause },
      ),
    );
  const where = isCreating(kind)
    ? null
    : condition(compared === undefined ? (value.where ?? usual()) : comparison(compared));
  const shape = other?.shape ?? field;
  const as = namedTypes.find((candidate) => candidate === type?.kind) ?? findFieldType(shape);
  if (as === undefined && type === undefined && shape?.type.kind === "unknown") {
    reportNotExecuted(linking, "reads what is not decided", key, clause);
  } else if (as === undefined && shape !== undefined)
    linking.report(
      finding(
        "TYPES_DIFFER",
        key,
        `A value of ${name} can’t be part of an address.`,
        `Write a type and a condition: “${name}: { type: text, where: … }”.`,
        { clause },
      ),
    );
  const rule = linkParameterRule(parameter, scope, { clause, errorCatalogue }, linking);
  if (where === undefined || as === undefined || rule === undefined) return undefined;
  const valueType = elementType(shape?.type);
  const values = valueType?.kind === "choice" ? valueType.values : [];
  return {
    name,
    type: as,
    field: type !== undefined ? null : getPlace(other ?? compared ?? { entity, name }),
    header: value.header === undefined ? null : readHeader(value.header, token, clause, linking),
    where,
    rule,
    default: findDefault(value.default, as, values, clause, linking),
  };

  function written(text: string): Scalar {
    return { kind: "scalar", text, span: value.where?.span ?? key, quoted: false, origin: () => key.start };
  }

  function comparison({ path, shape }: Pick<Compared, "path" | "shape">): Scalar {
    return written(shape.type.kind === "list" ? `input.${name} in ${path}` : `${path} == input.${name}`);
  }

  /** The condition of a parameter with a type of its own. */
  function usual(): Scalar | undefined {
    return field === undefined || hasOtherType(parameter, entity, scope)
      ? undefined
      : comparison({ path: name, shape: field });
  }
};

/** The header of a parameter. Headers that have another meaning cannot be one. */
const readHeader = ({ value, span }: Spanned<string>, token: string, clause: string, linking: Linking): string => {
  if (!isHeaderName(value) || value.toLowerCase() === token.toLowerCase())
    linking.report(
      finding(
        "BAD_VALUE",
        span,
        `The header “${value}” can’t be a parameter.`,
        "Write a header of your own such as “X-Tenant”.",
        { clause },
      ),
    );
  return value;
};

/**
 * Links the condition on a parameter, which reads parameters and constants, but no record and nobody. Null for none;
 * undefined, with a finding, if a part of it is wrong.
 */
const linkParameterRule = (
  { key, value }: QuerySyntax,
  scope: Scope,
  { clause, errorCatalogue }: { readonly clause: string } & Pick<CallNames, "errorCatalogue">,
  linking: Linking,
): CallQuery["rule"] | undefined => {
  if (value.rule === undefined && value.else === undefined) return null;
  if (value.rule === undefined || value.else === undefined) {
    linking.report(
      finding(
        "MISSING_KEY",
        value.rule?.span ?? value.else?.span ?? key,
        "A rule of a parameter needs “rule” and “else”.",
        "Write the condition as “rule”, and an error of point 8 as “else”.",
        { clause },
      ),
    );
    return undefined;
  }
  const { entity: _, names, ...around } = scope;
  const inputs = new Map([...(names ?? [])].filter(([name]) => name.startsWith("input.")));
  const place: Scope = { ...around, user: false, entities: new Map(), names: inputs };
  const holds = checkExpression(value.rule, place, { kind: "boolean" }, linking);
  const error = findCallError(value.else, "BAD_QUERY", { clause, errorCatalogue }, linking);
  if (holds === undefined || error === undefined) return undefined;
  if (isExecutableInCall(holds, place, linking)) return { holds, error };
  reportNotExecuted(linking, "reads what is not decided", value.rule.span, clause);
  return undefined;
};

const getPlace = ({ entity, name }: { readonly entity: string; readonly name: string }) => ({ entity, name });

const findDefault = (
  written: Spanned<string> | undefined,
  type: FieldTypeName,
  values: readonly string[],
  clause: string,
  linking: Linking,
): string | null => {
  if (written === undefined) return null;
  const json: Json =
    type === "boolean" ? written.value === "true" || (written.value === "false" ? false : null) : written.value;
  if (json !== null && fieldKinds[type].read(json, { ...specless, values }).ok) return written.value;
  linking.report(
    finding(
      "BAD_VALUE",
      written.span,
      `“${written.value}” is not ${kindNames[type]}.`,
      "Write a value that can be part of an address.",
      {
        clause,
      },
    ),
  );
  return null;
};

/** The field type that parses a value of the expression type in an address; null for values that cannot be part of one. */
const addressTypes: { readonly [K in Type["kind"]]: FieldTypeName | null } = {
  text: "text",
  integer: "integer",
  decimal: "decimal",
  money: "money",
  boolean: "boolean",
  date: "date",
  datetime: "datetime",
  time: "time",
  duration: "duration",
  choice: "choice",
  record: "reference",
  file: null,
  json: null,
  list: null,
  null: null,
  unknown: null,
};

const findFieldType = (field: FieldShape | undefined): FieldTypeName | undefined => {
  const type = elementType(field?.type);
  return type === undefined ? undefined : (addressTypes[type.kind] ?? undefined);
};

/** Links the path parameters; undefined if one is unknown or not executable. */
export const linkParameters = (
  { name, path, key }: CallPlace,
  { kind, entity, scope }: AddressedStep,
  span: Span,
  linking: Linking,
): readonly CallParameter[] | undefined => {
  const parameters = [...path.matchAll(/\{([^}]*)\}/gu)].map((match) => ({
    parameter: match[1] ?? "",
    at: match.index,
  }));
  // A quoted key can contain escapes, so its positions are unknown; the span is then the whole key.
  const isPlain = key.end - key.start === name.length;
  const linked = parameters.map(({ parameter, at: index }): CallParameter | undefined => {
    const start = key.start + name.length - path.length + index + 1;
    const place = isPlain ? { ...key, start, end: start + parameter.length } : key;
    const last = findEnd({ path: name, parameter, span: place }, entity, scope, linking);
    if (last === undefined) return undefined;
    const [first = "", ...more] = last.rest;
    const target = findTarget(entity, first, scope);
    if (isCreating(kind) && target === undefined)
      return { name: parameter, at: null, field: { entity, name: first }, parent: null, fixes: first };
    const of = isCreating(kind) ? (target ?? entity) : entity;
    // A reference without a further field stands for the record's id.
    const read = isCreating(kind) ? (more.length === 0 ? ["id"] : more) : last.rest;
    const at: Scalar = { kind: "scalar", text: read.join("."), span, quoted: false, origin: () => span.start };
    const expr = checkExpression(at, { ...scope, entity: of }, undefined, linking);
    if (expr === undefined) return undefined;
    if (!isExecutableInCall(expr, scope, linking)) {
      reportNotExecuted(linking, "reads what is not decided", key, `7.${name}`);
      return undefined;
    }
    const end = { entity: more.length === 0 && isCreating(kind) ? of : last.entity, name: read.at(-1) ?? "id" };
    const parent =
      kind === "list" && target !== undefined
        ? checkExpression(
            { ...at, text: more.length === 0 ? "id" : more.join(".") },
            { ...scope, entity: target },
            undefined,
            linking,
          )
        : undefined;
    return {
      name: parameter,
      at: expr,
      field: end,
      parent: parent === undefined || target === undefined ? null : { entity: target, reference: first, at: parent },
      fixes: isCreating(kind) ? first : null,
    };
  });
  const found = linked.flatMap((parameter) => parameter ?? []);
  return found.length === parameters.length ? found : undefined;
};

const findTarget = (entity: string, reference: string, scope: Scope): string | undefined => {
  const type = scope.entities.get(entity)?.fields.get(reference)?.type;
  return type?.kind === "record" ? type.entity : undefined;
};

/** `, such as {application.number}`, if a reference of the entity leads to such a field. */
const exampleOfPath = (name: string, entity: string, { entities }: Scope): string => {
  const [reference] = [...(entities.get(entity)?.fields.values() ?? [])].filter(
    ({ type }) => type.kind === "record" && entities.get(type.entity)?.fields.has(name) === true,
  );
  return reference === undefined ? "" : `, such as {${reference.name}.${name}}`;
};

/**
 * Resolves `{id}`, a field's name, or a path of references that ends in a field. Returns the entity at the end, and the
 * path without the leading name of the own entity.
 */
const findEnd = (
  { path, parameter, span }: { readonly path: string; readonly parameter: string; readonly span: Span },
  entity: string,
  scope: Scope,
  linking: Linking,
): { readonly entity: string; readonly rest: readonly string[] } | undefined => {
  const words = parameter.split(".");
  const [first = ""] = words;
  const known = scope.entities.get(entity)?.fields.has(first) === true;
  // `{article.slug}` can begin with the own entity's name in lower case.
  const rest = !known && words.length > 1 && first.toLowerCase() === entity.toLowerCase() ? words.slice(1) : words;
  let at: string | undefined = entity;
  let of = entity;
  for (const word of rest) {
    const field: FieldShape | undefined = at === undefined ? undefined : scope.entities.get(at)?.fields.get(word);
    if (at === undefined || field === undefined) {
      const near = words.length === 1 ? nearest(word, scope.entities.get(entity)?.fields.keys() ?? []) : undefined;
      linking.report(
        finding(
          "NO_SUCH_PARAMETER",
          span,
          `The parameter {${parameter}} of ${path} matches no field of ${at ?? of}.`,
          near === undefined
            ? `Name a field, or a path of references that ends in one${exampleOfPath(word, entity, scope)}.`
            : `Did you mean “${near}”?`,
          {
            clause: `7.${path}`,
            ...(near === undefined ? {} : { nearest: near }),
            ...(near === undefined || span.end - span.start !== word.length ? {} : { fix: [{ span, text: near }] }),
          },
        ),
      );
      return undefined;
    }
    of = at;
    at = field.type.kind === "record" ? field.type.entity : undefined;
  }
  return { entity: of, rest };
};
