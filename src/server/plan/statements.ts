import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { fill, render, type Sql, type Statement } from "../../core/sql.ts";
import type { Query } from "../../postgres/database.ts";

/** A value of a plan on which the text of a statement depends. */
export type PlanValue = string | number | boolean | null | readonly PlanValue[];

/**
 * The values of a plan that determine the text of a statement, beginning with its kind: `["read", "Article", "+staff",
 * true]`. Two plans with equal values have the same statement.
 */
export type StatementKey = readonly PlanValue[];

/**
 * The text of a value. Different values have different texts, because the length of a string comes before it. `JSON.stringify`
 * takes twice as long, and a request needs up to six keys.
 */
const toText = (value: PlanValue): string => {
  if (typeof value === "string") return `${value.length}:${value}`;
  if (value === null || typeof value !== "object") return `${value};`;
  let text = "[";
  for (const item of value) text += toText(item);
  return `${text}]`;
};

/** A statement with everything that its plan needs to read its rows. */
export interface Written<T> {
  readonly name: string;
  readonly statement: Statement;
  readonly more: T;
}

/** Maximum number of texts and values; the least recently used one is evicted. */
const MAX_CACHED = 2_000;

const nameStatement = <T>(sql: Sql, more: T): Written<T> => {
  const statement = render(sql);
  return { name: hash("sha256", statement.text, "base64url").slice(0, 30), statement, more };
};

/**
 * A cache of statements by key, so that each text is built once. Its name in Postgres derives from the text, not from
 * the key: two servers, or a pooler between them, never confuse two statements.
 */
export class Statements {
  readonly #written = new LRUCache<string, NonNullable<unknown>>({ max: MAX_CACHED });

  get<T>(key: StatementKey, write: () => { readonly sql: Sql; readonly more: T }): Written<T> {
    return this.#cached("statement", key, () => {
      const { sql, more } = write();
      return nameStatement(sql, more);
    });
  }

  /** Several statements that run one after another. */
  list(key: StatementKey, write: () => readonly Sql[]): readonly Written<undefined>[] {
    return this.#cached("list", key, () => write().map((item) => nameStatement(item, undefined)));
  }

  /** A value that statements are built from, cached because every request needs it. */
  find<T extends NonNullable<unknown>>(key: StatementKey, find: () => T): T {
    return this.#cached("value", key, find);
  }

  #cached<T extends NonNullable<unknown>>(kind: "statement" | "list" | "value", key: StatementKey, write: () => T): T {
    const text = kind + toText(key);
    const known = this.#written.get(text);
    if (known !== undefined) return known as T;
    const written = write();
    this.#written.set(text, written);
    return written;
  }
}

export const toQuery = (written: Written<unknown>, slots: Readonly<Record<string, unknown>>): Query => ({
  name: written.name,
  text: written.statement.text,
  values: fill(written.statement, slots),
});
