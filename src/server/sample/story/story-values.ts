import type { Tree } from "../../../core/document/tree.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Field } from "../../../core/model/field.ts";
import type { FieldTypeName } from "../../../core/wire/entities.ts";
import type { Json } from "../../../core/wire/json.ts";
import { sampleNote, samplePaper } from "../paper.ts";
import { samplePicture } from "../picture.ts";
import { StoryError } from "./read-story.ts";
import { findStoryDate, findStoryInstant, type StoryStart, yearOf } from "./story-times.ts";

/** Resolves the texts of values for the person who enters them. */
export interface StoryValues {
  /** With the number of weeks by which dates are moved. */
  readonly start: StoryStart & { readonly weeks: number };
  readonly line: number;
  /** Of the document. */
  readonly locale: string;
  /** The id of a record by its key in the story. */
  findRecord(entity: string, key: string): Promise<string | undefined>;
  /** Stores a file and returns its id. */
  storeFile(name: string, bytes: Buffer): Promise<string>;
  /** The entity whose records are the parts in a list. */
  partsOf(field: Field): Entity | undefined;
}

/** Values of an act as the JSON of a request. */
export const toRequestValues = async (
  entity: Entity,
  entries: readonly { readonly key: { readonly text: string }; readonly value: Tree }[],
  context: StoryValues,
): Promise<Readonly<Record<string, Json>>> => {
  const values: Record<string, Json> = {};
  for (const { key, value } of entries) {
    const field = entity.fields.get(key.text);
    if (field === undefined) throw new StoryError(context.line, `${entity.name} has no field “${key.text}”.`);
    values[field.name] = await toJson(field, value, context);
  }
  return values;
};

const toJson = async (field: Field, tree: Tree, context: StoryValues): Promise<Json> => {
  const items: Json[] = [];
  for (const item of tree.kind === "list" ? tree.items : [tree]) items.push(await toItem(field, item, context));
  return tree.kind === "list" || field.many ? items : (items[0] ?? null);
};

const toItem = async (field: Field, tree: Tree, context: StoryValues): Promise<Json> => {
  const parts = context.partsOf(field);
  if (tree.kind === "mapping" && parts !== undefined) return toRequestValues(parts, tree.entries, context);
  const value = tree.kind === "scalar" ? await toSingle(field, tree.text, context) : undefined;
  if (value === undefined)
    throw new StoryError(
      context.line,
      `${tree.kind === "scalar" ? `“${tree.text}”` : "This"} is no value of “${field.name}”.`,
    );
  return value;
};

const toSingle = async (field: Field, text: string, context: StoryValues): Promise<Json | undefined> =>
  readers[field.type](text, context, field);

type Reader = (text: string, context: StoryValues, field: Field) => Json | undefined | Promise<Json | undefined>;

/** A file with a name: a page if it is a PDF, otherwise a text. */
const toFile = (name: string, locale: string): Buffer =>
  name.endsWith(".pdf")
    ? samplePaper(name.slice(0, -".pdf".length), locale)
    : Buffer.from(`${name}\n${sampleNote(locale)}\n`);

const readText: Reader = (text, { start }) => text.replaceAll("{year}", String(yearOf(start)));

/** The text of a value by type, as the JSON of a request. */
const readers: { readonly [T in FieldTypeName]: Reader } = {
  text: readText,
  "long text": readText,
  "rich text": readText,
  integer: (text) => Number(text),
  decimal: readText,
  money: readText,
  boolean: (text) => text === "true",
  date: (text, { start }) => findStoryDate(text, start, start.weeks),
  time: readText,
  datetime: (text, { start }) => {
    const instant = findStoryInstant(text, start, { weeks: start.weeks });
    return instant === undefined ? undefined : new Date(instant).toISOString();
  },
  duration: readText,
  choice: readText,
  email: readText,
  url: readText,
  phone: readText,
  file: (text, context) => context.storeFile(text, toFile(text, context.locale)),
  image: (text, context) => context.storeFile(text, samplePicture(text.length)),
  json: readText,
  sequence: readText,
  "integer sequence": readText,
  slug: readText,
  position: readText,
  reference: (text, context, { entity }) => context.findRecord(entity ?? "", text),
  state: readText,
};
