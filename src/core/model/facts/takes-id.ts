import type { CallQuery } from "../endpoint.ts";
import type { Model } from "../model.ts";

/** True if a query parameter takes an id: that of a record, or of one that a reference names. */
export const takesId = ({ entities }: Pick<Model, "entities">, { field }: Pick<CallQuery, "field">): boolean =>
  field !== null && (field.name === "id" || entities.get(field.entity)?.fields.get(field.name)?.type === "reference");
