import type { Entity } from "../../model/entity.ts";
import { type Field, isStored } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { definitionText, identifier, type Sql, sql } from "../../sql.ts";
import { isSearched } from "../http/list-capabilities.ts";
import { constraintName } from "./names.ts";
import type { Index } from "./table.ts";

/** Configuration of trigram indexes: the schema of `pg_trgm`, and the tables that are large enough. */
export interface Trigrams {
  readonly schema: string;
  readonly tables: ReadonlySet<string>;
}

/** The normalization of texts for search: lower case, by code point. */
export const normalizeSearchText = (column: Sql): Sql => sql`lower(${column})`;

/** The fields of an entity's search, if all are single stored texts that an index can serve; otherwise null. */
export const indexedTexts = (entity: Entity): readonly Field[] | null => {
  const searched = [...entity.fields.values()].filter(isSearched);
  return searched.length > 0 && searched.every((field) => isStored(field) && !field.many) ? searched : null;
};

export const searchIndexes = (model: Model, entity: Entity, trigrams: Trigrams | null): readonly Index[] => {
  if (trigrams?.tables.has(entity.table) !== true) return [];
  if (!model.screens.some((screen) => screen.kind === "list" && screen.entity === entity.name)) return [];
  const kind = sql`${identifier(trigrams.schema)}.gin_trgm_ops`;
  return (indexedTexts(entity) ?? []).map((field) => ({
    name: constraintName(entity.table, "words", field.name),
    on: definitionText(sql`using gin (${normalizeSearchText(identifier(field.name))} ${kind})`),
    unique: false,
    later: true,
    clause: field.clause.id,
  }));
};
