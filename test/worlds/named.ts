import { createHash } from "node:crypto";
import type { Model } from "../../src/core/model/model.ts";

/*
 * Replaces random ids by ids derived from each record's content, its references and its referrers, so that a seed leads
 * to equal requests in every run.
 */

/** The rows of a table from `to_jsonb`; tables of the document have the prefix `app.`. */
export interface TableRows {
  readonly key: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu;
/** Prefix of derived ids: a time in 2024, followed by a number. */
export const OURS = "0190f0";
/** Depth of references for telling records apart; records equal to this depth are equivalent for every request. */
const ROUNDS = 4;

const idOf = (number: number): string => {
  const hex = number.toString(16).padStart(6, "0");
  return `${OURS}${hex.slice(0, 2)}-${hex.slice(2)}-7000-8000-000000000000`;
};

/** The random ids with their replacements. Seed records keep their ids. */
export const namesFor = (model: Model, tables: readonly TableRows[]): ReadonlyMap<string, string> => {
  const stored = new Set(
    [...model.entities.values()].flatMap(({ records }) => [...records.values()].map(({ id }) => id)),
  );
  // Derived rows are created by the database, which uses its own clock.
  const byClock = new Set([...model.entities.values()].flatMap(({ rows, table }) => (rows ? [] : [`app.${table}`])));
  const all = tables.flatMap(({ key, rows }) =>
    rows.map((row) => ({
      id: String(row.id),
      table: key,
      at: byClock.has(key) ? String(row.created_at) : "",
      text: textIn(row),
    })),
  );
  const drawn = all.filter(({ id }) => id.replace(UUID, "") === "" && !stored.has(id) && !id.startsWith(OURS));
  const isDrawn = new Set(drawn.map(({ id }) => id));
  const referring = new Map<string, string[]>();
  for (const { id, table, text } of all)
    for (const other of new Set(text.match(UUID)))
      if (other !== id && isDrawn.has(other)) referring.set(other, [...(referring.get(other) ?? []), `${table} ${id}`]);

  let known: ReadonlyMap<string, string> = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    const before = known;
    const wordFor = (id: string, own?: string) => (id === own ? "this" : isDrawn.has(id) ? (before.get(id) ?? "") : id);
    known = new Map(
      drawn.map(({ id, table, text }) => [
        id,
        createHash("sha1")
          .update(`${table} ${text.replace(UUID, (one) => wordFor(one, id))}`)
          .update(
            (referring.get(id) ?? [])
              .map((one) => one.replace(UUID, (other) => wordFor(other)))
              .sort()
              .join(),
          )
          .digest("hex"),
      ]),
    );
  }
  const first = all.filter(({ id }) => id.startsWith(OURS)).length;
  const order = ({ id, table, at }: (typeof drawn)[number]) => `${table} ${at} ${known.get(id)}`;
  return new Map(
    drawn
      .map((one) => ({ id: one.id, order: order(one) }))
      .sort((a, b) => (a.order < b.order ? -1 : 1))
      .map(({ id }, nth) => [id, idOf(first + nth)]),
  );
};

/** The parts of a row that are equal in every run, without hashes of random values and times of the database. */
const textIn = (row: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(row, (name, value: unknown) => {
    if (typeof value !== "string") return value;
    if (value.startsWith("\\x")) return "hash";
    return MOMENTS.has(name) ? "moment" : value;
  });

const MOMENTS = new Set([
  "at",
  "created_at",
  "updated_at",
  "made_at",
  "used_at",
  "expires_at",
  "read_at",
  "state_since",
]);

/** The text with replaced ids. */
export const renamedIn = (text: string, names: ReadonlyMap<string, string>): string =>
  text.replace(UUID, (id) => names.get(id) ?? id);
