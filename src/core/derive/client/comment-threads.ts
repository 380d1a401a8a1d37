import type { Entity } from "../../model/entity.ts";
import { type Field, isOfRecord, isPlainColumn } from "../../model/field.ts";
import type { FieldTypeName } from "../../wire/entities.ts";
import { isAutomatic } from "../authorization/grants.ts";

/** An entity whose records are comments on another record: the author and text fields. */
export interface Conversation {
  readonly author: Field;
  readonly text: Field;
}

/** Types of additional fields that a comment can have. */
const commentFields: ReadonlySet<FieldTypeName> = new Set(["choice", "boolean", "file", "image"]);

/**
 * Decides if the records that refer to another by `by` are comments on it. This follows from the structure of the
 * entity, never from its name: the author is set automatically, users write one text, and the other fields are choices,
 * booleans or files. Entities with states, positions, dates or amounts are shown as a table instead.
 */
export const findCommentThread = (entity: Entity, by: string): Conversation | null => {
  if (entity.states !== null || entity.rows !== null) return null;
  const own = [...entity.fields.values()].filter((field) => field.name !== by && isOfRecord(field));
  const [author, ...authors] = own.filter(isAuthor);
  const entered = own.filter((field) => !isAutomatic(entity, field.name));
  const [text, ...texts] = entered.filter(isText);
  if (author === undefined || authors.length > 0 || text === undefined || texts.length > 0) return null;
  const rest = entered.filter((field) => field !== text);
  return rest.every((field) => commentFields.has(field.type) && !isNeeded(field)) ? { author, text } : null;
};

const isAuthor = ({ type, entity, set, many }: Field): boolean =>
  type === "reference" && entity === "User" && !many && set?.kind === "user";

const isText = (field: Field): boolean =>
  (field.type === "long text" || field.type === "rich text") && !field.many && !field.optional && isPlainColumn(field);

const isNeeded = ({ optional, type, default: usual, needed, many }: Field): boolean =>
  needed !== null || (!optional && !many && type !== "boolean" && usual === null);
