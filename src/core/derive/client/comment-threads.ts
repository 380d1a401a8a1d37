import { type Entity, type Field, isGiven, isOfRecord } from "../../model/model.ts";
import type { FieldTypeName } from "../../wire/entities.ts";
import { isAutomatic } from "../authorization/grants.ts";

/** Records in which people say something about another one: who said it, and what. */
export interface Conversation {
  readonly author: Field;
  readonly text: Field;
}

/** What may accompany a text without making more of it than something said. */
const beside: ReadonlySet<FieldTypeName> = new Set(["choice", "boolean", "file", "image"]);

/**
 * Whether the records that name another one by `by` are what people say about it. Told from what an entity is, never from
 * what it is called: the program writes who made one, people write one text, and whatever else they may add is a choice, a
 * tick or a file. What has states, an order, dates or amounts is work to be seen in columns.
 */
export const conversationOf = (entity: Entity, by: string): Conversation | null => {
  if (entity.states !== null || entity.rows !== null) return null;
  const own = [...entity.fields.values()].filter((field) => field.name !== by && isOfRecord(field));
  const [author, ...authors] = own.filter(isAuthor);
  const given = own.filter((field) => !isAutomatic(entity, field.name));
  const [text, ...texts] = given.filter(isText);
  if (author === undefined || authors.length > 0 || text === undefined || texts.length > 0) return null;
  const rest = given.filter((field) => field !== text);
  return rest.every((field) => beside.has(field.type) && !isNeeded(field)) ? { author, text } : null;
};

const isAuthor = ({ type, entity, set, many }: Field): boolean =>
  type === "reference" && entity === "User" && !many && set?.kind === "user";

const isText = (field: Field): boolean =>
  (field.type === "long text" || field.type === "rich text") && !field.many && !field.optional && isGiven(field);

const isNeeded = ({ optional, type, default: usual, needed, many }: Field): boolean =>
  needed !== null || (!optional && !many && type !== "boolean" && usual === null);
