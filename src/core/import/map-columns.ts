import { toWords } from "../draft/names.ts";
import type { Entity } from "../model/entity.ts";
import { type Field, isActValue } from "../model/field.ts";
import type { Model } from "../model/model.ts";
import type { FieldTypeName } from "../wire/entities.ts";

/**
 * The use of a cell for each type. `match`: it can fill the field, and identify the record that its row changes. `fill`:
 * it can only fill the field. `name file`: it names a file that comes with the table in a ZIP file. `none`: a cell cannot
 * represent a value.
 */
const cellUse: { readonly [T in FieldTypeName]: "match" | "fill" | "name file" | "none" } = {
  text: "match",
  "long text": "fill",
  "rich text": "match",
  integer: "match",
  decimal: "match",
  money: "match",
  boolean: "match",
  date: "match",
  time: "match",
  datetime: "match",
  duration: "fill",
  choice: "match",
  email: "match",
  url: "match",
  phone: "match",
  file: "name file",
  image: "name file",
  json: "fill",
  sequence: "match",
  "integer sequence": "match",
  slug: "match",
  position: "none",
  reference: "match",
  state: "fill",
};

/** True for fields whose cells name files of a ZIP file. */
export const takesFiles = ({ type }: Pick<Field, "type">): boolean => cellUse[type] === "name file";

/** The fields and values of acts that a column can fill, limited to those that the person can write. `withFiles`: files come along. */
export const importableFields = (entity: Entity, writable: ReadonlySet<string>, withFiles: boolean): readonly Field[] =>
  [...entity.fields.values()].filter(
    (field) =>
      writable.has(field.name) &&
      (field.storage.as === "column" || isActValue(field)) &&
      cellUse[field.type] !== "none" &&
      (withFiles || !takesFiles(field)),
  );

/** Fields that can identify a record: a row with the same value changes that record instead of adding one. */
export const matchableFields = (fields: readonly Field[]): readonly Field[] =>
  fields.filter((field) => !field.many && !isActValue(field) && cellUse[field.type] === "match");

const toKey = (text: string): string => toWords(text).join(" ");

/** "Amount (EUR)" without the currency, as in the headers of exported tables. */
const withoutUnit = (header: string): string => header.replace(/\s*[([][^)\]]*[)\]]\s*$/u, "");

/** A text of the document in each of its languages. */
export const inEachLanguage = ({ translations }: Pick<Model, "translations">, text: string): readonly string[] => [
  text,
  ...[...translations.values()].flatMap((texts) => texts.get(text)?.text ?? []),
];

/** The headers that match a field: its name, its title, and translations of the title. */
const wordsOfField = (model: Pick<Model, "translations">, { name, title }: Field): ReadonlySet<string> =>
  new Set([name, ...inEachLanguage(model, title)].map(toKey));

/** "Supplier name" without the words for the entity itself, as in the headers of tables that join several entities. */
const withoutEntity = (
  model: Pick<Model, "translations">,
  { name, called }: Pick<Entity, "name" | "called">,
  header: string,
): string => {
  const words = [name, ...inEachLanguage(model, called.one)].map((word) => `${toKey(word)} `);
  const prefix = words.find((word) => header.startsWith(word));
  return prefix === undefined ? header : header.slice(prefix.length);
};

/**
 * The field for each header, matched by its name, its title or a translation; undefined if none matches. No field is
 * matched twice.
 */
export const matchHeaders = (
  model: Pick<Model, "translations">,
  entity: Pick<Entity, "name" | "called">,
  fields: readonly Field[],
  headers: readonly string[],
): readonly (string | undefined)[] => {
  const taken = new Set<string>();
  const words = fields.map((field) => ({ field, words: wordsOfField(model, field) }));
  const find = (fits: (item: (typeof words)[number]) => boolean): string | undefined => {
    const found = words.find((word) => !taken.has(word.field.name) && fits(word))?.field.name;
    if (found !== undefined) taken.add(found);
    return found;
  };
  const exact = headers.map((header) => find((item) => item.words.has(toKey(header))));
  return headers.map((header, at) => {
    if (exact[at] !== undefined) return exact[at];
    const plain = toKey(withoutUnit(header));
    return (
      find((item) => item.words.has(plain)) ??
      find(
        (item) =>
          item.field.entity !== null && item.words.has(plain.replace(/ (?:id|no|nr|number|code|key|name)$/u, "")),
      ) ??
      find((item) => item.words.has(withoutEntity(model, entity, plain)))
    );
  });
};
