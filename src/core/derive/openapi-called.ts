import { kinds } from "../field/kinds.ts";
import type { Call, Entity, Field, Gives, Model } from "../model/model.ts";
import type { Type } from "../rule/type.ts";
import type { FieldTypeName, Json, JsonSchema } from "../wire.ts";
import { holdsRole, nobody, type Person } from "./access.ts";
import { type MayRefuse, refusalsOf } from "./refusals.ts";
import type { Route } from "./routes.ts";
import { specOf } from "./spec.ts";

/** Whether a call's own roles admit a person. */
export const isAdmitted = (model: Model, { by }: Call, person: Person): boolean =>
  by === null || by.some((role) => holdsRole(model, role, person));

/** The conventional call that a call of the document is planned and judged as. */
export const routeOf = (call: Call): Route => ({
  method: call.method === "PUT" ? "PATCH" : call.method,
  path: call.path,
  entity: call.entity,
  does: call.does,
});

/** What a call of the document may refuse: what the conventional one may, at the places of its own payload, and what its address adds. */
export const calledRefusals = (model: Model, call: Call, fields: ReadonlySet<string>): readonly MayRefuse[] => {
  const clause = call.clause.id;
  const own = refusalsOf(model, routeOf(call), fields).map((one) => {
    const place = call.takes?.find(({ field }) => one.at === `/${field}`);
    return place === undefined ? one : { ...one, at: `/${place.path.join("/")}` };
  });
  const by =
    call.by === null
      ? []
      : [
          { code: "FORBIDDEN", clause },
          ...(isAdmitted(model, call, nobody) ? [] : [{ code: "NOT_SIGNED_IN", clause }]),
        ];
  const entity = model.entities.get(call.entity);
  const fixed = call.parameters.flatMap(({ fixes }) => {
    const target = model.entities.get(entity?.fields.get(fixes ?? "")?.entity ?? "");
    return target === undefined
      ? []
      : refusalsOf(model, { ...routeOf(call), entity: target.name, does: { kind: "read" } }, new Set());
  });
  const listed = call.does.kind === "list" && call.parameters.length > 0 ? [{ code: "NOT_FOUND", clause }] : [];
  const unknown = call.takes === null ? [] : [{ code: "UNKNOWN_FIELD", clause }];
  return [
    ...own.filter(({ code }) => code !== "BAD_CURSOR" || (call.does.kind === "list" && call.does.paging === "cursor")),
    { code: "BAD_QUERY", clause },
    ...by,
    ...fixed,
    ...listed,
    ...unknown,
  ];
};

/** What stands in the path and in the address of a call. */
export const calledParameters = (model: Model, call: Call): readonly JsonSchema[] => {
  const { does } = call;
  const takesAt = (
    at: { readonly entity: string; readonly name: string } | null,
    type: FieldTypeName | null,
  ): JsonSchema => {
    if (at?.name === "id") return { type: "string", format: "uuid" };
    const entity = at === null ? undefined : model.entities.get(at.entity);
    const field = entity?.fields.get(at?.name ?? "");
    if (entity !== undefined && field !== undefined) return takenBy(entity, { ...field, min: null, max: null });
    return type === null ? { type: "string" } : kinds[type].wire(bare(null)).takes;
  };
  const path = call.parameters.map(({ name, field }) => ({
    name,
    in: "path",
    required: true,
    schema: takesAt(field, null),
  }));
  const word = (name: string, schema: JsonSchema): JsonSchema => ({ name, in: "query", schema });
  if (does.kind !== "list") return path;
  const { pageSize, pageSizeMax } = model.limits;
  const limit = word("limit", { type: "integer", minimum: 1, maximum: pageSizeMax, default: pageSize });
  return [
    ...path,
    ...does.query.map(({ name, field, type }) => word(name, takesAt(field, type))),
    ...(does.paging === "none" ? [] : [limit]),
    ...(does.paging === "offset" ? [word("offset", { type: "integer", minimum: 0, default: 0 })] : []),
    ...(does.paging === "cursor" ? [{ $ref: "#/components/parameters/after" }] : []),
  ];
};

const takenBy = (entity: Entity, field: Field): JsonSchema => kinds[field.type].wire(specOf(entity, field)).takes;

const bare = (currency: string | null) => ({
  name: "",
  of: "",
  values: [],
  entity: null,
  min: null,
  max: null,
  currency,
});

/** The body that a call takes, of the schemas of its fields. */
export const takenSchema = (
  { takes }: Call,
  properties: { readonly [field: string]: JsonSchema },
): JsonSchema | undefined => {
  if (takes === null) return undefined;
  const object = (depth: number, of: NonNullable<Call["takes"]>): JsonSchema => {
    const names = [...new Set(of.map(({ path }) => path[depth] ?? ""))];
    const inner: Record<string, Json> = {};
    for (const name of names) {
      const here = of.filter(({ path }) => path[depth] === name);
      const leaf = here.find(({ path }) => path.length === depth + 1);
      if (leaf === undefined) inner[name] = object(depth + 1, here);
      else if (properties[leaf.field] !== undefined) inner[name] = properties[leaf.field] ?? {};
    }
    return { type: "object", properties: inner, additionalProperties: false };
  };
  return object(0, takes);
};

/** The form of an answer. What a person may not read is null, so everything but lists and counts may be. */
export const givenSchema = (model: Model, gives: Gives): JsonSchema => {
  switch (gives.kind) {
    case "names":
      return {
        type: "object",
        required: gives.of.map(([name]) => name),
        properties: Object.fromEntries(gives.of.map(([name, one]) => [name, givenSchema(model, one)])),
        additionalProperties: false,
      };
    case "count":
      return { type: "integer", minimum: 0 };
    case "next":
      return { type: ["string", "null"] };
    case "value":
      return { anyOf: [valueSchema(gives.value.type), { type: "null" }] };
    case "shape": {
      const shape = model.shapes.get(gives.shape);
      const one = shape === undefined ? {} : givenSchema(model, shape);
      const isList = gives.of === "page" || (gives.of.kind === "field" && gives.of.field.inverse !== undefined);
      return isList ? { type: "array", items: one } : { anyOf: [one, { type: "null" }] };
    }
  }
};

const valueSchema = (type: Type): JsonSchema => {
  switch (type.kind) {
    case "record":
      return { $ref: "#/components/schemas/Reference" };
    case "choice":
      return { type: "string", enum: type.values };
    case "money":
      return kinds.money.wire(bare(type.currency)).answers;
    case "boolean":
    case "integer":
    case "decimal":
    case "text":
    case "date":
    case "datetime":
    case "time":
    case "duration":
      return kinds[type.kind].wire(bare(null)).answers;
    case "list":
      return { type: "array", items: valueSchema(type.of) };
    default:
      return {};
  }
};
