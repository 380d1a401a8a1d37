import { grantsFor } from "../../../core/derive/authorization/grants.ts";
import { isSearched, titleOfValue } from "../../../core/derive/http/list-capabilities.ts";
import { indexedTexts, normalizeSearchText } from "../../../core/derive/tables/trigram-indexes.ts";
import type { Phrases } from "../../../core/explain/language.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { type Field, isStored } from "../../../core/model/field.ts";
import { constant, identifier, join, render, type Sql, slot, sql } from "../../../core/sql.ts";
import { SEARCHED } from "../aliases.ts";
import { type Caller, type PlanContext, principalKey } from "../context.ts";
import { searchableLabelSql } from "../row/label-text.ts";
import { type ColumnMask, type ReadScope, readScope } from "../row/read-scope.ts";
import { tableSql } from "../row/sql-env.ts";
import type { PlanValue, StatementKey } from "../statements.ts";
import { valueLinesSql } from "./filter.ts";
import { hasWord, searchWords } from "./search-words.ts";

/** A search: all its words must occur in the readable part of a record. */
export interface Search {
  /** The part of the search that determines the statement text. */
  readonly shape: PlanValue;
  readonly slots: Readonly<Record<string, unknown>>;
  /** The condition on a record with the alias `t`. */
  readonly condition: (scope: ColumnMask) => Sql;
  /** Finds candidates by indexes, as far as that is faster for so many records. Null if no index helps. */
  readonly keys: ((wanted: Sql) => Keys) | null;
}

/** Keys of an index that are known only at execution. */
export interface Keys {
  /** Common table expressions of the others, by name. */
  readonly sets: ReadonlyMap<string, Sql>;
  /** If there are too many keys to read them, known before any is read. They are none then. */
  readonly exceedsLimit?: Sql;
  /** Selects the keys in no order. */
  readonly select: Sql;
  /** With more keys than this, the records are read in order, and each is tested. */
  readonly limit: Sql;
}

/** The searchable parts of an entity for a caller, besides titles of values. */
interface Searched {
  /** True if indexes can find records by word. */
  readonly byIndex: boolean;
  /** True if the entity has searchable texts of its own, so that a trigram index applies. */
  readonly hasTexts: boolean;
  readonly references: readonly Reference[];
}

/** A reference whose target has a searchable label. */
interface Reference {
  readonly field: Field;
  readonly target: Entity;
  /** The label of the target on the alias `ref`. */
  readonly text: Sql;
  /** ` AND …`, or empty if the caller can read all targets. */
  readonly isRead: Sql;
  /** The only text field of the label, if it has a trigram index. */
  readonly indexed: Field | undefined;
}

interface Word {
  readonly text: string;
  /** Values of choices and states whose title matches, by field. */
  readonly valuesByField: ReadonlyMap<string, readonly string[]>;
  readonly slot: string;
  readonly like: string;
}

const REF = identifier("ref");

/** The number of keys of a person that are read one by one. */
export const KEY_LIMIT = sql`${slot("keyLimit", "integer")}`;
/**
 * The number of records found by words, and of labels that have a word, that are read one by one. Records of a person
 * are often all in the list, and a page is soon full of them. Records with a word can be rare in a large table.
 */
const FOUND_LIMIT = sql`${KEY_LIMIT} * ${constant(20)}`;

/** The pages of a table that are read to learn how common words are. */
const SAMPLE_PAGES = 30;
/** The time to read a record in order and test it, divided by the time to find one by an index. */
const READ_BY_FIND = 0.5;

/** Matches text with three consecutive letters or digits, the minimum for a trigram index. */
const TRIGRAM = /[\p{L}\p{N}]{3}/u;

export const searchFor = (
  context: PlanContext,
  scope: ReadScope,
  { principal, phrases }: Caller,
  text: string,
): Search => {
  const who = [scope.entity.name, principalKey(principal)];
  const searched = buildSearch(context, scope, principal, who);
  const words = searchWords(text).map(
    (word, i): Word => ({
      text: word,
      valuesByField: findMatchingValues(scope, phrases, word),
      slot: `word:${i}`,
      like: `like:${i}`,
    }),
  );
  const keyed = searched.byIndex
    ? words.filter(({ text, valuesByField }) => valuesByField.size === 0 && (!searched.hasTexts || TRIGRAM.test(text)))
    : [];
  const slots: Record<string, unknown> = {};
  for (const { text, valuesByField, slot, like } of words) {
    slots[slot] = text;
    slots[like] = escapeLike(text);
    for (const [field, values] of valuesByField) slots[`${slot}=${field}`] = values;
  }
  return {
    shape: [
      words.map(({ valuesByField }) => [...valuesByField.keys()]),
      keyed.map(({ slot, text }) => [slot, TRIGRAM.test(text)]),
    ],
    slots,
    condition: (own) =>
      words.length === 0
        ? sql`TRUE`
        : join(
            words.map((word) => occursSql(own, searched.references, word)),
            " AND ",
          ),
    keys: keyed.length === 0 ? null : (wanted) => findByIndex(scope.entity, searched.references, keyed, wanted),
  };
};

/** Escapes wildcards of `LIKE`. */
const escapeLike = (word: string): string => `%${word.replace(/[\\%_]/gu, "\\$&")}%`;

const buildSearch = (
  context: PlanContext,
  scope: ReadScope,
  principal: Caller["principal"],
  who: StatementKey,
): Searched =>
  context.statements.find(["searched", ...who, [...(context.searched ?? [])]], () => {
    const { entity } = scope;
    const { model } = context;
    const references = scope.fields.flatMap((field): readonly Reference[] => {
      const target = field.type === "reference" ? model.entities.get(field.entity ?? "") : undefined;
      // Without read permission on the target, its labels are not searched.
      if (target === undefined || grantsFor(model, target, "read", principal).length === 0) return [];
      const text = searchableLabelSql(model, target, principal, "ref");
      const { rows } = readScope(model, target, principal, "ref");
      const isRead = rows === undefined ? sql`` : sql` AND (${rows})`;
      return text === undefined ? [] : [{ field, target, text, isRead, indexed: findIndexedField(context, target) }];
    });
    const hasTexts = [...entity.fields.values()].some(isSearched);
    const byIndex =
      (hasTexts || references.length > 0) &&
      (!hasTexts || (context.searched?.has(entity.table) === true && indexedTexts(entity) !== null)) &&
      references.every(({ field }) => isStored(field));
    return { byIndex, hasTexts, references };
  });

const findIndexedField = ({ searched }: PlanContext, { label, table, fields }: Entity): Field | undefined => {
  const [part, ...others] = label.parts;
  if (part === undefined || typeof part === "string" || others.length > 0 || searched?.has(table) !== true)
    return undefined;
  return part.kind === "field" && part.of.kind === "this" ? fields.get(part.field.name) : undefined;
};

/** Finds values of choices and states whose translated title matches the word. */
const findMatchingValues = ({ entity, fields }: ReadScope, phrases: Phrases, word: string): Word["valuesByField"] => {
  const found = new Map<string, readonly string[]>();
  for (const field of fields) {
    const values = field.values.filter((value) => hasWord(phrases.say(titleOfValue(entity, field, value)), word));
    if (values.length > 0) found.set(field.name, values);
  }
  return found;
};

/**
 * The word occurs in a readable text (case-insensitively), in the title of a value, or in the label of a referenced
 * record.
 */
const occursSql = (scope: ColumnMask, references: readonly Reference[], { slot: name, valuesByField }: Word): Sql => {
  const word = slot(name, "text");
  const texts = scope.fields.filter(isSearched).flatMap((field) => {
    const column = scope.column(field.name);
    return column === undefined ? [] : [holds(valueLinesSql(field, column), word)];
  });
  const values = [...valuesByField.keys()].flatMap((field) => {
    const column = scope.column(field);
    const wanted = slot(`${name}=${field}`, "text[]");
    if (column === undefined) return [];
    return [scope.entity.fields.get(field)?.many ? sql`${column} && ${wanted}` : sql`${column} = ANY(${wanted})`];
  });
  const labels = references.flatMap(({ field, target, text, isRead }) => {
    const column = scope.column(field.name);
    if (column === undefined) return [];
    const isIt = field.many ? sql`${REF}."id" = ANY(${column})` : sql`${REF}."id" = ${column}`;
    // A separate condition, because with a join the list would lose its order.
    return [
      sql`EXISTS (SELECT FROM ${tableSql(target)} AS ${REF} WHERE ${isIt}${isRead} AND ${holds(text, word)}) IS TRUE`,
    ];
  });
  const found = [...texts, ...values, ...labels];
  return found.length === 0 ? sql`FALSE` : sql`(${join(found, " OR ")})`;
};

const holds = (text: Sql, word: ReturnType<typeof slot>): Sql =>
  sql`strpos(${normalizeSearchText(text)}, lower(${word})) > 0`;

/**
 * Finds candidates regardless of permissions: texts by trigram indexes, and references by targets whose label contains
 * the word, which are looked up once.
 *
 * A trigram index lists all records with a word before it returns the first. So a sample of the table is read before,
 * always the same pages, which stay in memory. It says which word is the rarest: only that one is looked for in the
 * indexes. If the records with all words are so common that reading in order finds the `wanted` number sooner, none is.
 */
const findByIndex = (entity: Entity, references: readonly Reference[], words: readonly Word[], wanted: Sql): Keys => {
  const sets = new Map<string, Sql>();
  const labelsOf = ({ target, text, isRead, indexed }: Reference, word: Word): Sql => {
    const name = `${word.slot}:${target.name}`;
    const trigramCondition =
      indexed === undefined || !TRIGRAM.test(word.text)
        ? sql``
        : sql`${isLike(sql`${REF}.${identifier(indexed.name)}`, word)} AND `;
    sets.set(
      name,
      sql`SELECT ARRAY(SELECT ${REF}."id" FROM ${tableSql(target)} AS ${REF} WHERE ${trigramCondition}${holds(text, slot(word.slot, "text"))}${isRead} LIMIT ${FOUND_LIMIT} + 1) AS "ids"`,
    );
    return sql`(SELECT "ids" FROM ${identifier(name)})`;
  };
  const found = words.map((word) => {
    const texts = (indexedTexts(entity) ?? []).map(({ name }) => isLike(sql`${SEARCHED}.${identifier(name)}`, word));
    const referring = references.map((reference) => {
      const column = sql`${SEARCHED}.${identifier(reference.field.name)}`;
      const ids = labelsOf(reference, word);
      return reference.field.many ? sql`${column} && ${ids}` : sql`${column} = ANY(${ids}::uuid[])`;
    });
    return sql`(${join([...texts, ...referring], " OR ")})`;
  });
  const manyLabels = [...sets.keys()].map(
    (name) => sql`(SELECT cardinality("ids") > ${FOUND_LIMIT} FROM ${identifier(name)})`,
  );
  sets.set("sample", sampleSql(entity, found, wanted));
  const exceedsLimit = sql`(${join([...manyLabels, sql`(SELECT "are:common" FROM "sample")`], " OR ")})`;
  const rows = found.map((condition, i) => {
    // Conditions that no index can serve.
    const others = found.flatMap((other) => (other === condition ? [] : [sql` AND ${other} IS TRUE`]));
    return sql`SELECT ${SEARCHED}."id" FROM ${tableSql(entity)} AS ${SEARCHED} WHERE NOT ${exceedsLimit} AND (SELECT "rarest" FROM "sample") = ${constant(i + 1)} AND ${condition}${join(others, "")}`;
  });
  return {
    sets,
    exceedsLimit,
    select: join(rows, " UNION ALL "),
    limit: FOUND_LIMIT,
  };
};

/**
 * If records with all words are common, and the position of the rarest word, from 1. With the shares of all words and
 * of the rarest in the table, reading in order takes `wanted / all` records, and the index finds `rarest * records`.
 */
const sampleSql = (entity: Entity, found: readonly Sql[], wanted: Sql): Sql => {
  const table = tableSql(entity);
  const pages = sql`pg_relation_size(to_regclass(${constant(render(table).text)})) / current_setting('block_size')::integer`;
  const share = sql`(SELECT least(1, ${constant(SAMPLE_PAGES)} / greatest(${pages}, 1)::double precision))`;
  const counts = join(
    found.map((condition) => sql`count(*) FILTER (WHERE ${condition})`),
    ", ",
  );
  const read = sql`SELECT count(*) AS "records", count(*) FILTER (WHERE ${join(found, " AND ")}) AS "all", ARRAY[${counts}] AS "each", ${share} AS "share" FROM ${table} AS ${SEARCHED} TABLESAMPLE SYSTEM (100 * ${share}) REPEATABLE (0)`;
  const rarest = sql`(SELECT min("word") FROM unnest("each") AS "word")`;
  return sql`SELECT "all" * ${rarest} > "share" * ${constant(READ_BY_FIND)} * ${wanted} * "records" AS "are:common", array_position("each", ${rarest}) AS "rarest" FROM (${read}) AS "read"`;
};

const isLike = (column: Sql, { like }: Word): Sql =>
  sql`${normalizeSearchText(column)} LIKE lower(${slot(like, "text")})`;
