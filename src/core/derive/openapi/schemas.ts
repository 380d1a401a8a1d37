import { getFieldKind } from "../../field/multi-valued.ts";
import type { Entity } from "../../model/entity.ts";
import { toFieldSpec } from "../../model/facts/field-spec.ts";
import { type Field, isActValue, isPlainColumn } from "../../model/field.ts";
import { withArticle } from "../../model/inflection.ts";
import type { JsonSchema } from "../../wire/json.ts";
import type { Route } from "../http/routes.ts";
import { type EntityView, isAsked, isIfAny, settableFields } from "./entity-view.ts";
import { requestParts, responseParts } from "./part-schemas.ts";

const nullable = (schema: JsonSchema): JsonSchema =>
  typeof schema.type === "string" && schema.enum === undefined
    ? { ...schema, type: [schema.type, "null"] }
    : { anyOf: [schema, { type: "null" }] };

/** A computed value can always be missing; a list is empty instead. */
const isMissable = (field: Field): boolean =>
  (field.optional || (!isPlainColumn(field) && !isActValue(field))) && field.type !== "boolean" && !field.many;

const aboutField = (field: Field): JsonSchema => ({
  title: field.title,
  ...(field.help === null ? {} : { description: field.help }),
  ...(field.unit === null ? {} : { "x-unit": field.unit }),
  "x-clause": field.clause.id,
});

const answered = (entity: Entity, field: Field): JsonSchema => {
  const { response } = getFieldKind(field).wire(toFieldSpec(entity, field));
  return { ...(isMissable(field) ? nullable(response) : response), ...aboutField(field), ...onlyRead(field) };
};

const onlyRead = (field: Field): JsonSchema =>
  field.type === "state" || field.set !== null || !isPlainColumn(field) ? { readOnly: true } : {};

const takenField = (entity: Entity, field: Field, needed: boolean): JsonSchema => {
  const { request } = getFieldKind(field).wire(toFieldSpec(entity, field));
  const examples = request.type === "string" && field.examples.length > 0 ? { examples: field.examples } : {};
  return { ...(isMissable(field) && !needed ? nullable(request) : request), ...aboutField(field), ...examples };
};

/** True if every read grant covers the field. Other fields are absent from records that hide them. */
const alwaysSeen = ({ reading }: EntityView, field: Field): boolean =>
  reading.every((grant) => grant.fields === null || grant.fields.has(field.name));

export const bodyName = ({ entity, does }: Route): string =>
  `${entity}.${does.kind === "transition" ? does.transition : does.kind}`;

export const buildSchemas = (view: EntityView, routes: readonly Route[]): Readonly<Record<string, JsonSchema>> => {
  const { entity } = view;
  const schemas: Record<string, JsonSchema> = {};
  if (view.reading.length > 0) {
    schemas[entity.name] = {
      type: "object",
      description: `${capital(withArticle(entity.called.one))} in a response. Fields that the caller can’t read are omitted.`,
      required: [
        "id",
        "version",
        "created_at",
        "updated_at",
        ...schemaNames(view.fields.filter((field) => alwaysSeen(view, field))),
      ],
      properties: {
        id: { type: "string", format: "uuid", readOnly: true },
        version: { type: "integer", minimum: 1, readOnly: true },
        created_at: { type: "string", format: "date-time", readOnly: true },
        updated_at: { type: "string", format: "date-time", readOnly: true },
        _label: { type: "string", description: "The label, if `label` was requested." },
        ...(entity.states === null && entity.reminders.size === 0
          ? {}
          : {
              _ahead: {
                type: "object",
                description:
                  "With `_label`: the automatic transitions and reminders and when they happen, a time or a date, as far as known.",
                additionalProperties: { type: "string" },
              },
            }),
        may: { $ref: "#/components/schemas/May" },
        ...Object.fromEntries(view.fields.map((field) => [field.name, answered(entity, field)])),
        ...responseParts(view.model, entity, view.person, view.reading),
      },
      additionalProperties: false,
      "x-clause": entity.clause.id,
    };
    schemas[`${entity.name}.list`] = {
      type: "object",
      required: ["items", "next"],
      properties: {
        items: { type: "array", items: { $ref: `#/components/schemas/${entity.name}` } },
        next: { type: ["string", "null"], description: "Send as `after` for the next page; null at the end." },
        count: {
          description:
            "Present if `count` was requested. Exact up to 10,000, or with `count=exact`. Absent if counting the matches of a search takes longer than two seconds.",
          anyOf: [{ type: "integer", minimum: 0 }, { const: "10,000+" }],
        },
        about: {
          description: "An estimate beside 10,000+, if you can read every record and the request has no conditions.",
          type: "integer",
          minimum: 10_001,
        },
      },
      additionalProperties: false,
    };
  }
  for (const route of routes) {
    const { kind } = route.does;
    if (kind !== "create" && kind !== "update" && kind !== "transition") continue;
    const fields = settableFields(view, route);
    const isNeeded = (field: Field): boolean => kind === "transition" && !isIfAny(view, route, field);
    const needed =
      kind === "transition"
        ? fields.filter((field) => isAsked(view, route, field))
        : kind === "create"
          ? fields.filter((field) => !field.optional && field.type !== "boolean" && field.default === null)
          : [];
    schemas[bodyName(route)] = {
      type: "object",
      ...(needed.length === 0 ? {} : { required: schemaNames(needed) }),
      properties: {
        ...Object.fromEntries(fields.map((field) => [field.name, takenField(entity, field, isNeeded(field))])),
        ...(kind === "transition"
          ? {}
          : requestParts(
              view.model,
              entity,
              view.person,
              kind,
              kind === "create" ? view.creating : view.updating,
              (of, field) => takenField(of, field, false),
            )),
      },
      additionalProperties: false,
    };
  }
  return schemas;
};

export const schemaNames = (fields: readonly Field[]): readonly string[] => fields.map((field) => field.name);

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
