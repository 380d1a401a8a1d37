import { type Entity, type Field, isStored, type Model } from "../../model/model.ts";
import { identifier, type Sql, sql, textOf } from "../../sql.ts";
import { isSearched } from "../http/list-capabilities.ts";
import { nameOf } from "./names.ts";
import type { Index } from "./table.ts";

/** Where texts are searched by an index of their trigrams: the schema of `pg_trgm`, and the tables that are large enough. */
export interface Trigrams {
  readonly schema: string;
  readonly tables: ReadonlySet<string>;
}

/** What a text is searched as, wherever it is: in small letters, by code point. */
export const searchedAs = (column: Sql): Sql => sql`lower(${column})`;

/** The fields that a search of an entity looks at, where an index can serve it: each a text of its own in the table. */
export const indexedTexts = (entity: Entity): readonly Field[] | null => {
  const searched = [...entity.fields.values()].filter(isSearched);
  return searched.length > 0 && searched.every((field) => isStored(field) && !field.many) ? searched : null;
};

export const searchIndexes = (model: Model, entity: Entity, trigrams: Trigrams | null): readonly Index[] => {
  if (trigrams?.tables.has(entity.table) !== true) return [];
  if (!model.screens.some((screen) => screen.kind === "list" && screen.entity === entity.name)) return [];
  const kind = sql`${identifier(trigrams.schema)}.gin_trgm_ops`;
  return (indexedTexts(entity) ?? []).map((field) => ({
    name: nameOf(entity.table, "words", field.name),
    on: textOf(sql`using gin (${searchedAs(identifier(field.name))} ${kind})`),
    unique: false,
    later: true,
    clause: field.clause.id,
  }));
};
