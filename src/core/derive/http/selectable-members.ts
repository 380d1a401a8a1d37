import { collectReadSet } from "../../expression/inspect/read-set.ts";
import type { CallStep, Gives } from "../../model/endpoint.ts";
import type { Entity } from "../../model/entity.ts";
import { isOfRecord } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";

/** The members of a response that its caller can choose (`selectable` in point 7). */

/** True for a shape of the record, or of the records on the page. */
const isOfRecords = (gives: Gives): gives is Gives & { kind: "shape" } =>
  gives.kind === "shape" && (gives.of === "page" || gives.of.kind === "this");

const recordShapes = (gives: Gives): readonly (Gives & { kind: "shape" })[] => {
  if (gives.kind === "names") return gives.of.flatMap(([, value]) => recordShapes(value));
  return isOfRecords(gives) ? [gives] : [];
};

/** The members of a response that a caller can choose and can ever read. `readable`: the fields that they can read. */
export const readableMembers = (
  { shapes }: Pick<Model, "shapes">,
  entity: Entity,
  { gives, selectable }: Pick<CallStep, "gives" | "selectable">,
  readable: ReadonlySet<string>,
): readonly string[] => {
  if (gives === null || selectable.length === 0) return [];
  const [shape] = recordShapes(gives);
  const record = shape === undefined ? gives : shapes.get(shape.shape);
  const members = new Map(record?.kind === "names" ? record.of : []);
  return selectable.filter((name) => {
    const member = members.get(name);
    return member !== undefined && isReadable(member, entity, readable);
  });
};

const isReadable = (gives: Gives, entity: Entity, readable: ReadonlySet<string>): boolean => {
  if (gives.kind === "names") return gives.of.some(([, value]) => isReadable(value, entity, readable));
  const read = gives.kind === "value" ? gives.value : gives.kind === "shape" && gives.of !== "page" ? gives.of : null;
  if (read === null) return true;
  return [...collectReadSet(read).fields].every((name) => {
    const field = entity.fields.get(name);
    return field === undefined || !isOfRecord(field) || readable.has(name);
  });
};

/** A response without some members of its records, which are then neither read nor computed. */
export const withoutMembers = (gives: Gives, omitted: readonly string[]): Gives => {
  if (omitted.length === 0) return gives;
  if (recordShapes(gives).length > 0) return inShapes(gives, omitted);
  return gives.kind === "names" ? { ...gives, of: gives.of.filter(([name]) => !omitted.includes(name)) } : gives;
};

const inShapes = (gives: Gives, omitted: readonly string[]): Gives => {
  if (gives.kind === "names")
    return { ...gives, of: gives.of.map(([name, value]) => [name, inShapes(value, omitted)]) };
  return isOfRecords(gives) ? { ...gives, without: omitted } : gives;
};
