import type { JsRecord, Value } from "../values/value.ts";

/** Reads one field of a record. */
export type ReadField = (record: JsRecord) => Value | undefined;

/**
 * Places that read a field. For each place in the code, a JavaScript engine remembers the name that it read there and
 * where objects keep it; a place that has read several names looks each of them up, which takes several times as long. So
 * each name gets a place of its own, which all rules that read it share. The places are equal on purpose.
 */
const places: readonly ((name: string) => ReadField)[] = [
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
  (name) => (record) => record[name],
];

/** The readers of names. With more names than places, some share one and are only slower. */
const readers = new Map<string, ReadField>();

/** More names than the rules of one document read; a server that compiles many documents does not keep all of theirs. */
const MOST_NAMES = 2_000;

/** Reads a field by its name. All rules that read a name get the same function. */
export const readerOf = (name: string): ReadField => {
  const known = readers.get(name);
  if (known !== undefined) return known;
  if (readers.size >= MOST_NAMES) readers.clear();
  const place = places[readers.size % places.length] ?? ((name: string) => (record: JsRecord) => record[name]);
  const read = place(name);
  readers.set(name, read);
  return read;
};
