import type { Entity } from "../../model/entity.ts";
import { findPartLists, MOST_PARTS, type PartList } from "../../model/facts/parts.ts";
import type { Field } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import type { JsonSchema } from "../../wire/json.ts";
import { type Grant, grantedFields, grantsFor, type Principal, writableFields } from "../authorization/grants.ts";

/*
 * Schemas of a list of parts: in responses, in the body of a create call, and in the body of an update, where a part is
 * either new or identified by its id.
 */

/** Lists of parts that at least one grant covers. */
export const partsThrough = (model: Model, entity: Entity, grants: readonly Grant[]): readonly PartList[] => {
  const open = grantedFields(entity, grants);
  return findPartLists(model, entity).filter(({ list }) => open.has(list.name));
};

type Taken = (entity: Entity, field: Field) => JsonSchema;

const describePart = ({ list }: PartList): JsonSchema => ({
  title: list.title,
  ...(list.help === null ? {} : { description: list.help }),
  "x-clause": list.clause.id,
});

/** Parts in a response, limited to lists with readable records. */
export const responseParts = (
  model: Model,
  entity: Entity,
  person: Principal,
  reading: readonly Grant[],
): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    partsThrough(model, entity, reading)
      .filter((list) => grantsFor(model, list.entity, "read", person).length > 0)
      .map((list) => [
        list.list.name,
        {
          ...describePart(list),
          description: "Present if `parts` was requested, or if parts were sent.",
          type: "array",
          items: { $ref: `#/components/schemas/${list.entity.name}` },
        },
      ]),
  );

/** Fields of a part in a request, without the parent reference and the position. */
const requestFieldsOfPart = (
  { entity, field, place }: PartList,
  grants: readonly Grant[],
  exists: boolean,
): readonly Field[] => {
  const open = writableFields(entity, grants);
  return [...entity.fields.values()].filter(
    (other) =>
      open.has(other.name) && other.name !== field.name && other.name !== place?.name && !(exists && other.once),
  );
};

/** Lists of parts in a request body, by name. */
export const requestParts = (
  model: Model,
  entity: Entity,
  person: Principal,
  action: "create" | "update",
  grants: readonly Grant[],
  taken: Taken,
): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    partsThrough(model, entity, grants).map((list) => {
      const { entity: part, field } = list;
      const creating = grantsFor(model, part, "create", person);
      const updating = grantsFor(model, part, "update", person);
      const properties = (fields: readonly Field[]) =>
        Object.fromEntries(fields.map((field) => [field.name, taken(part, field)]));
      const created = requestFieldsOfPart(list, creating, false);
      const needed = created.filter((field) => !field.optional && field.type !== "boolean" && field.default === null);
      const fresh: JsonSchema = {
        type: "object",
        ...(needed.length === 0 ? {} : { required: needed.map(({ name }) => name) }),
        properties: { ...properties(created), ...requestParts(model, part, person, "create", creating, taken) },
        additionalProperties: false,
      };
      const existing: JsonSchema = {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string", format: "uuid", "x-refers-to": part.name, "x-clause": field.clause.id },
          version: { type: "integer", minimum: 1 },
          ...properties(requestFieldsOfPart(list, updating, true)),
          ...requestParts(model, part, person, "update", updating, taken),
        },
        additionalProperties: false,
      };
      const either = action === "create" ? [fresh] : [...(creating.length === 0 ? [] : [fresh]), existing];
      const [only] = either;
      const items: JsonSchema = either.length === 1 && only !== undefined ? only : { anyOf: either };
      return [list.list.name, { ...describePart(list), type: "array", maxItems: MOST_PARTS, items }];
    }),
  );
