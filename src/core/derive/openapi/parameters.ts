import { getFieldKind } from "../../field/multi-valued.ts";
import type { Entity } from "../../model/entity.ts";
import { toFieldSpec } from "../../model/facts/field-spec.ts";
import type { Field } from "../../model/field.ts";
import type { JsonSchema } from "../../wire/json.ts";
import {
  findStateDeadline,
  hasPeriods,
  hasRange,
  hasWords,
  isFilteredBy,
  listSortKeys,
} from "../http/list-capabilities.ts";
import type { Route } from "../http/routes.ts";
import { ref } from "./components.ts";
import type { EntityView } from "./entity-view.ts";
import { responseParts } from "./part-schemas.ts";

export const parameter = (name: string): JsonSchema => ({ $ref: `#/components/parameters/${name}` });

export const buildParameters = (view: EntityView, { does }: Route): readonly JsonSchema[] => {
  switch (does.kind) {
    case "list":
      return listParameters(view);
    case "create":
      return [parameter("IdempotencyKey"), parameter("label")];
    case "read":
      return [parameter("id"), parameter("label"), ...(hasParts(view) ? [parameter("parts")] : [])];
    case "history":
      return [parameter("id")];
    case "delete":
      return [parameter("id"), parameter("IfMatch")];
    case "transition":
      return [parameter("id"), parameter("IfMatch"), parameter("IdempotencyKey"), parameter("label")];
    default:
      return [parameter("id"), parameter("IfMatch"), parameter("label")];
  }
};

const hasParts = ({ model, entity, person, reading }: EntityView): boolean =>
  Object.keys(responseParts(model, entity, person, reading)).length > 0;

const listParameters = ({ model, entity, fields, conditions }: EntityView): readonly JsonSchema[] => [
  {
    name: "limit",
    in: "query",
    description: "The maximum number of records.",
    schema: { type: "integer", minimum: 1, maximum: model.limits.pageSizeMax, default: model.limits.pageSize },
    "x-clause": "9.page_size_max",
  },
  {
    name: "sort",
    in: "query",
    description:
      "The order. `-` before a field means descending. Missing values come last. By default, the newest records come first.",
    style: "form",
    explode: false,
    schema: { type: "array", items: { type: "string", enum: listSortKeys(fields) } },
  },
  ...["after", "count", "search", "label", "may", "among"].map(parameter),
  ...(conditions.length === 0
    ? []
    : [
        {
          name: "where",
          in: "query",
          description:
            "The clause of a list or a tile, whose condition the records must meet. With several clauses, they must meet all conditions.",
          style: "form",
          explode: true,
          schema: { type: "array", maxItems: 5, items: { type: "string", enum: conditions } },
        },
      ]),
  ...fields.filter(isFilteredBy).map((field) => ({
    name: field.name,
    in: "query",
    description: `Only records whose ${field.title.toLowerCase()} is this value, or one of these. An empty value means missing.`,
    style: "form",
    explode: true,
    schema: { type: "array", maxItems: 100, items: filtered(entity, field) },
    "x-clause": field.clause.id,
  })),
  ...fields.flatMap((field) => narrowing(entity, field, fields)),
];

/** `day>=2026-01-01&day<=2026-12-31`, `day@=last_month` and `fault~=wheel`: the parameter name ends before the `=`. */
const narrowing = (entity: Entity, field: Field, readable: readonly Field[]): readonly JsonSchema[] => {
  const title = field.title.toLowerCase();
  const about = (name: string, description: string, schema: JsonSchema): JsonSchema => ({
    name,
    in: "query",
    description,
    schema,
    "x-clause": field.clause.id,
  });
  if (hasRange(field))
    return [
      about(`${field.name}>`, `Only records whose ${title} is at least this.`, filtered(entity, field)),
      about(`${field.name}<`, `Only records whose ${title} is at most this.`, filtered(entity, field)),
      ...(hasPeriods(field)
        ? [
            about(
              `${field.name}@`,
              `Only records whose ${title} is in this period.`,
              periodSchema(entity, field, readable),
            ),
          ]
        : []),
    ];
  return hasWords(field)
    ? [
        about(`${field.name}~`, `Only records whose ${title} contains this, in upper or lower case.`, {
          type: "string",
        }),
      ]
    : [];
};

/** A deadline can be overdue, for readers of the state. */
const periodSchema = (entity: Entity, field: Field, readable: readonly Field[]): JsonSchema => {
  const isDeadline =
    findStateDeadline(entity, field, (name) => readable.some((one) => one.name === name)) !== undefined;
  return isDeadline ? { anyOf: [ref("Period"), { const: "overdue" }] } : ref("Period");
};

/** Filter values are text without the field's bounds; an impossible value finds nothing. */
const filtered = (entity: Entity, field: Field): JsonSchema =>
  getFieldKind(field).wire(toFieldSpec(entity, { ...field, min: null, max: null })).request;
