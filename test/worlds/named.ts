import { createHash } from "node:crypto";
import type { Model } from "../../src/core/model/model.ts";

/*
 * Ids are drawn at random, and what is asked is chosen among records. So that a seed asks the same of the same wherever it
 * is run, every id becomes one that follows from what its record holds, what that refers to and what refers to it.
 */

/** The rows of a table, as `to_jsonb` has them; `app.` stands before the names of the document's tables. */
export interface Held {
  readonly key: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu;
/** So begin the ids that follow from what is held: a moment in 2024, then their number. */
export const OURS = "0190f0";
/** How far what refers to what is looked at. Beyond that, records that look the same are the same to whoever asks. */
const ROUNDS = 4;

const idOf = (number: number): string => {
  const hex = number.toString(16).padStart(6, "0");
  return `${OURS}${hex.slice(0, 2)}-${hex.slice(2)}-7000-8000-000000000000`;
};

/** The ids that are drawn, each with the one in its place. Those that the document names keep theirs. */
export const namesFor = (model: Model, tables: readonly Held[]): ReadonlyMap<string, string> => {
  const kept = new Set(
    [...model.entities.values()].flatMap(({ records }) => [...records.values()].map(({ id }) => id)),
  );
  // Rows that exist because of others are made by the database, which looks at a clock of its own.
  const byClock = new Set([...model.entities.values()].flatMap(({ rows, table }) => (rows ? [] : [`app.${table}`])));
  const all = tables.flatMap(({ key, rows }) =>
    rows.map((row) => ({
      id: String(row.id),
      table: key,
      at: byClock.has(key) ? String(row.created_at) : "",
      text: textIn(row),
    })),
  );
  const drawn = all.filter(({ id }) => id.replace(UUID, "") === "" && !kept.has(id) && !id.startsWith(OURS));
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

/** What a row says that is the same in every run: hashes are of what was drawn, and some moments are those of the database. */
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

/** The same text with the other ids. */
export const renamedIn = (text: string, names: ReadonlyMap<string, string>): string =>
  text.replace(UUID, (id) => names.get(id) ?? id);
