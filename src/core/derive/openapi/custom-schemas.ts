import type { Type } from "../../expression/values/type.ts";
import { specless } from "../../field/kind.ts";
import { fieldKinds } from "../../field/kinds.ts";
import { WRITTEN } from "../../field/number.ts";
import type { BodyForms, Call, CallStep, ErrorShape, Gives, TakenField } from "../../model/endpoint.ts";
import type { Entity } from "../../model/entity.ts";
import { toFieldSpec } from "../../model/facts/field-spec.ts";
import type { Field } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { FIELDS_WORD, usualStart } from "../../model/paging.ts";
import type { FieldTypeName } from "../../wire/entities.ts";
import type { Json, JsonSchema } from "../../wire/json.ts";
import { listSortKeys } from "../http/list-capabilities.ts";
import { readableMembers, withoutMembers } from "../http/selectable-members.ts";
import { endpointSteps } from "./custom-errors.ts";
import type { EntityView } from "./entity-view.ts";

/** Path and query parameters of an endpoint; each name once, from the first step that has it. */
export const endpointParameters = (model: Model, call: Call): readonly JsonSchema[] => {
  const takesAt = (
    at: { readonly entity: string; readonly name: string } | null,
    type: FieldTypeName | null,
  ): JsonSchema => {
    if (at?.name === "id") return { type: "string", format: "uuid" };
    const entity = at === null ? undefined : model.entities.get(at.entity);
    const field = entity?.fields.get(at?.name ?? "");
    // Amounts in an address have no currency.
    if (field?.type === "money") return { type: "string", pattern: WRITTEN.source };
    if (entity !== undefined && field !== undefined) return takenBy(entity, { ...field, min: null, max: null });
    return type === null ? { type: "string" } : fieldKinds[type].wire(specless).request;
  };
  const steps = endpointSteps(call);
  const path = (steps[0]?.parameters ?? []).map(({ name, field }) => ({
    name,
    in: "path",
    required: true,
    schema: takesAt(field, null),
  }));
  const words = new Map<string, JsonSchema>();
  const word = (name: string, schema: JsonSchema, place: "query" | "header" = "query"): void => {
    const key = `${place} ${name}`;
    if (!words.has(key)) words.set(key, { name, in: place, schema });
  };
  const { pageSize, pageSizeMax } = model.limits;
  const listed = (query: CallStep["query"]): void => {
    for (const { name, header, field, type, default: usual } of query)
      word(
        header ?? name,
        { ...takesAt(field, type), ...(usual === null ? {} : { default: inJson(type, usual) }) },
        header === null ? "query" : "header",
      );
  };
  if (call.does.kind !== "steps") listed(call.does.query);
  for (const { query, does } of steps) {
    listed(query);
    if (does.kind !== "list" || does.paging.by === "none") continue;
    const { by, start, limit, size } = does.paging;
    const page = (name: string, schema: JsonSchema): void => {
      if (!words.has(`query ${name}`)) words.set(`query ${name}`, { name, in: "query", schema, "x-paging": true });
    };
    page(limit, { type: "integer", minimum: 1, maximum: pageSizeMax, default: size ?? pageSize });
    if (by === "pages") page(start, { type: "integer", minimum: 1, default: 1 });
    else if (by === "offset") page(start, { type: "integer", minimum: 0, default: 0 });
    else if (start === usualStart.cursor) words.set(start, { $ref: "#/components/parameters/after" });
    else page(start, { type: "string" });
  }
  return [...path, ...words.values()];
};

/** The parameters for an order, with the fields that the caller can read. */
export const sortParameters = (
  { does }: CallStep,
  { fields }: { readonly fields: readonly Field[] },
): readonly JsonSchema[] => {
  if (does.kind !== "list") return [];
  const { by, order, fields: names } = does.sorting;
  const known = new Set(listSortKeys(fields));
  const keys = [...names].flatMap(([name, field]) => (known.has(field) ? [name, `-${name}`] : []));
  if (keys.length === 0) return [];
  return [
    ...(order === null
      ? []
      : [{ name: order, in: "query", schema: { type: "string", enum: ["asc", "desc"], default: "asc" } }]),
    {
      name: by,
      "x-sort": true,
      in: "query",
      description:
        "The order: fields separated by commas. `-` before a field means descending. Missing values come last.",
      style: "form",
      explode: false,
      schema: { type: "array", minItems: 1, uniqueItems: true, items: { type: "string", enum: keys } },
    },
  ];
};

/** The parameter for choosing members of the response, with those that the caller can read. */
export const fieldsParameter = (
  step: CallStep,
  { model, entity, fields }: Pick<EntityView, "model" | "entity" | "fields">,
): readonly JsonSchema[] => {
  const names = readableMembers(model, entity, step, new Set(fields.map(({ name }) => name)));
  if (names.length === 0) return [];
  return [
    {
      name: FIELDS_WORD,
      in: "query",
      description: "The members of each record in the response, separated by commas. Without it, all of them.",
      style: "form",
      explode: false,
      schema: { type: "array", minItems: 1, uniqueItems: true, items: { type: "string", enum: [...names] } },
    },
  ];
};

const inJson = (type: FieldTypeName, text: string): Json =>
  type === "boolean" ? text === "true" : type === "integer" ? Number(text) : text;

const takenBy = (entity: Entity, field: Field): JsonSchema =>
  fieldKinds[field.type].wire(toFieldSpec(entity, field)).request;

/** The schema of a request body, built from the schemas of its fields; undefined for no body. */
export const requestSchema = (
  takes: readonly (TakenField & { readonly schema: JsonSchema; readonly required?: boolean })[],
  ignoresUnknown = false,
): JsonSchema | undefined => {
  if (takes.length === 0) return undefined;
  const object = (depth: number, of: typeof takes): JsonSchema => {
    const names = [...new Set(of.map(({ path }) => path[depth] ?? ""))];
    const inner: Record<string, Json> = {};
    for (const name of names) {
      const fields = of.filter(({ path }) => path[depth] === name);
      const leaf = fields.find(({ path }) => path.length === depth + 1);
      inner[name] = leaf === undefined ? object(depth + 1, fields) : leaf.schema;
    }
    const required = names.filter((name) => of.some((item) => item.path[depth] === name && item.required === true));
    return {
      type: "object",
      ...(required.length === 0 ? {} : { required }),
      properties: inner,
      additionalProperties: ignoresUnknown,
    };
  };
  return object(0, takes);
};

/** The schema of a body in which booleans can be texts. */
export const withTexts = (schema: JsonSchema, accepts: BodyForms): JsonSchema => {
  if (!accepts.texts && !accepts.forms) return schema;
  const convert = (json: Json): Json => {
    if (Array.isArray(json)) return json.map((item: Json) => convert(item));
    if (typeof json !== "object" || json === null) return json;
    const { type, ...others } = json as JsonSchema;
    return type === "boolean"
      ? { ...others, enum: [true, false, "true", "false"] }
      : Object.fromEntries(Object.entries(json).map(([name, inner]) => [name, convert(inner)]));
  };
  return convert(schema) as JsonSchema;
};

/** The schema of a taken field; that of a list of parts in a shape has the members of the shape. */
export const partsSchema = ({ parts }: TakenField, schema: JsonSchema): JsonSchema => {
  if (parts === undefined) return schema;
  const { items } = schema as { readonly items?: JsonSchema };
  const forms = (items?.anyOf ?? [items ?? {}]) as readonly JsonSchema[];
  const shaped = forms.flatMap((form) => partSchema(parts.takes, form) ?? []);
  return { ...schema, items: shaped.length === 1 ? (shaped[0] ?? {}) : { anyOf: shaped } };
};

/** The schema of one part, new or existing. Undefined if the shape lacks a field that it requires. */
const partSchema = (takes: readonly TakenField[], form: JsonSchema): JsonSchema | undefined => {
  const { properties = {}, required = [] } = form as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  if (required.some((name) => takes.every(({ field }) => field !== name))) return undefined;
  const members = takes.flatMap((take) => {
    const schema = properties[take.field];
    return schema === undefined
      ? []
      : [{ ...take, schema: partsSchema(take, schema), required: required.includes(take.field) }];
  });
  return requestSchema(members);
};

/** Members that a response can lack. */
interface Lacking {
  /** Members whose value is missing. */
  readonly omitsMissing: boolean;
  /** Members that a caller can choose. */
  readonly selectable?: readonly string[];
}

/**
 * The schema of a response. Values without read permission are null, so everything except lists and counts is nullable.
 */
export const responseSchema = (model: Model, gives: Gives, lacking: Lacking): JsonSchema => {
  // The members of the records are described as if the caller had chosen none.
  const { selectable = [] } = lacking;
  const always = withoutMembers(gives, selectable);
  return describeResponse(model, gives, always, lacking.omitsMissing);
};

/** `always`: the response with only those members that are always present. */
const describeResponse = (model: Model, gives: Gives, always: Gives, omitsMissing: boolean): JsonSchema => {
  switch (gives.kind) {
    case "names": {
      const certain = new Map(always.kind === "names" ? always.of : []);
      const required = gives.of
        .filter(([name, value]) => certain.has(name) && !(omitsMissing && canBeMissing(value)))
        .map(([name]) => name);
      return {
        type: "object",
        ...(required.length === 0 ? {} : { required }),
        properties: Object.fromEntries(
          gives.of.map(([name, value]) => [
            name,
            withoutNull(describeResponse(model, value, certain.get(name) ?? value, omitsMissing), omitsMissing),
          ]),
        ),
        additionalProperties: false,
      };
    }
    case "count":
      return { type: "integer", minimum: 0 };
    case "next":
      return { type: ["string", "null"] };
    case "token":
      return gives.of === "new session"
        ? { type: "string", description: "The token of the new session." }
        : {
            type: ["string", "null"],
            description: "The token that the request sent in the header Authorization. Null for a session in a cookie.",
          };
    case "address":
      return { type: ["string", "null"], description: "The address of a call for this record." };
    case "none":
      return {};
    case "value":
      return {
        anyOf: [
          gives.asNumber === true ? numberSchema(gives.value.type) : valueSchema(gives.value.type),
          { type: "null" },
        ],
      };
    case "shape": {
      const shape = model.shapes.get(gives.shape);
      const without = always.kind === "shape" ? (always.without ?? []) : [];
      const schema =
        shape === undefined ? {} : describeResponse(model, shape, withoutNames(shape, without), omitsMissing);
      const isList = gives.of === "page" || gives.of.type.kind === "list";
      return isList ? { type: "array", items: schema } : { anyOf: [schema, { type: "null" }] };
    }
  }
};

const withoutNames = (gives: Gives, omitted: readonly string[]): Gives =>
  gives.kind === "names" ? { ...gives, of: gives.of.filter(([name]) => !omitted.includes(name)) } : gives;

/** True if the value of a member can be null. */
const canBeMissing = (gives: Gives): boolean => {
  if (gives.kind === "token") return gives.of === "request";
  if (gives.kind === "shape") return gives.of !== "page" && gives.of.type.kind !== "list";
  return gives.kind === "value" || gives.kind === "next" || gives.kind === "address";
};

/** The schema of a member that is left out if its value is missing. */
const withoutNull = (schema: JsonSchema, omitsMissing: boolean): JsonSchema => {
  if (!omitsMissing) return schema;
  const { anyOf, type } = schema;
  if (Array.isArray(type)) return { ...schema, type: "string" };
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [one = {}, other = {}] = anyOf as readonly JsonSchema[];
  return other.type === "null" ? one : schema;
};

/** The schema of a refusal in the document's error format. `listed`: the codes of errors in a list. */
export const errorSchema = (
  shape: ErrorShape,
  status: number,
  codes: readonly string[],
  listed: readonly string[] = codes,
): JsonSchema => {
  if (shape.kind === "names")
    return {
      type: "object",
      required: shape.of.map(([name]) => name),
      properties: Object.fromEntries(
        shape.of.map(([name, errorShape]) => [name, errorSchema(errorShape, status, codes, listed)]),
      ),
      additionalProperties: false,
    };
  if (shape.kind === "each") return { type: "array", items: errorSchema(shape.of, status, listed) };
  if (shape.kind === "fields") return { type: "object", additionalProperties: errorSchema(shape.of, status, listed) };
  if (shape.kind === "value")
    return shape.value.kind === "constant" && (shape.value.value === null || typeof shape.value.value !== "object")
      ? { const: shape.value.value }
      : { anyOf: [valueSchema(shape.value.type), { type: "null" }] };
  const members: Readonly<Record<typeof shape.member, JsonSchema>> = {
    at: { type: ["string", "null"] },
    field: { type: ["string", "null"] },
    path: { type: ["string", "null"] },
    value: {},
    code: { type: "string", enum: codes },
    status: { const: status },
    title: { type: "string" },
    message: { type: "string" },
    clause: { type: ["string", "null"] },
    help: { type: ["string", "null"] },
    request: { type: "string" },
    errors: { type: "array", items: { $ref: "#/components/schemas/ProblemAt" } },
    messages: { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
  };
  return members[shape.member];
};

/** Decimals and amounts as JSON numbers. */
const numberSchema = (type: Type): JsonSchema => {
  if (type.kind === "list") return { type: "array", items: numberSchema(type.of) };
  if (type.kind !== "money") return { type: "number" };
  const { properties, ...others } = valueSchema(type) as { readonly properties?: JsonSchema };
  return { ...others, properties: { ...properties, amount: { type: "number" } } };
};

const valueSchema = (type: Type): JsonSchema => {
  switch (type.kind) {
    case "record":
      return { $ref: "#/components/schemas/Reference" };
    case "choice":
      return { type: "string", enum: type.values };
    case "money":
      return fieldKinds.money.wire({ ...specless, currency: type.currency }).response;
    case "boolean":
    case "integer":
    case "decimal":
    case "text":
    case "date":
    case "datetime":
    case "time":
    case "duration":
      return fieldKinds[type.kind].wire(specless).response;
    case "list":
      return { type: "array", items: valueSchema(type.of) };
    case "file":
    case "json":
    case "null":
    case "unknown":
      return {};
  }
};
