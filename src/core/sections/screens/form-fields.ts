import { byKind, map } from "../../document/shape/combinators.ts";
import { list } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record, required } from "../../document/shape/record.ts";
import type { ShapeValue, Spanned } from "../../document/shape.ts";
import { finding } from "../../findings.ts";
import type { LinkedEntity } from "../entities/entities.ts";
import { type ScreenContext, shownName } from "./screen-fields.ts";

/** `note`, or a list of the record's parts with the form's columns for them. */
export const formFieldShape = byKind<{
  readonly field: Spanned<string>;
  readonly columns?: readonly Spanned<string>[];
}>("a field, or “list:” with the columns of its parts", {
  scalar: map(name("field"), (field) => ({ field })),
  mapping: map(
    record("a list of parts", { list: required(name("field")), columns: optional(list(name("field"))) }),
    ({ list: field, columns }) => ({ field, ...(columns === undefined ? {} : { columns }) }),
  ),
});

/** A field of a form: a field of the record, or a list of its parts with columns. */
export const linkFormField = (
  { field: fieldName, columns }: ShapeValue<typeof formFieldShape>,
  linked: LinkedEntity,
  into: Map<string, readonly string[]>,
  { entities, linking }: ScreenContext,
): readonly string[] => {
  const field = linked.fields.get(fieldName.value);
  if (field?.storage.as !== "inverse") {
    if (columns !== undefined && field !== undefined)
      linking.report(
        finding(
          "BAD_VALUE",
          fieldName.span,
          `${fieldName.value} is not a list of parts, so it can’t have columns.`,
          `Write only its name: “${fieldName.value}”.`,
        ),
      );
    return shownName(linked, fieldName, linking);
  }
  const part = entities.get(field.storage.entity);
  if (part === undefined || !isOwnPartList(linked, fieldName.value, entities)) {
    linking.report(
      finding(
        "BAD_VALUE",
        fieldName.span,
        `The records in ${fieldName.value} are not parts of this record, and a form contains only parts.`,
        `Add “part of: true” to ${field.storage.entity}.${field.storage.by}, or show the list on the page of the record.`,
      ),
    );
    return [];
  }
  if (columns !== undefined)
    into.set(
      field.name,
      columns.flatMap((column) =>
        isOwnPartList(part, column.value, entities) ? [column.value] : shownName(part, column, linking),
      ),
    );
  return [field.name];
};

/** True if the field is a list of the record's own parts, which the form shows below its fields. */
export const isOwnPartList = (
  { fields }: LinkedEntity,
  name: string,
  entities: ReadonlyMap<string, LinkedEntity>,
): boolean => {
  const storage = fields.get(name)?.storage;
  return storage?.as === "inverse" && entities.get(storage.entity)?.fields.get(storage.by)?.partOf === true;
};
