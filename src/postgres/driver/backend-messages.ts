/*
 * Messages from Postgres in text format (https://www.postgresql.org/docs/18/protocol-message-formats.html): a letter, a
 * length that includes itself but not the letter, and the body.
 */
import pg from "pg";

export type Row = Readonly<Record<string, unknown>>;

/** The values of a row, in the order of its columns. */
export type RowValues = readonly unknown[];

/** Parses a text value of one Postgres type. `isAscii`: no value has other characters, so they need not be looked for. */
export interface ValueReader {
  readonly parse: (text: string) => unknown;
  readonly isAscii: boolean;
}

/** Parsers of text values, by the number of their Postgres type. */
export type Readers = (type: number) => ValueReader;

/** Column names and parsers of a statement's rows. */
export interface Columns {
  /** A row of nulls. Copying it gives every row the same hidden class. */
  readonly empty: Row;
  readonly names: readonly string[];
  readonly readers: readonly ValueReader[];
}

/** Receives a message: its letter, and the range of its body in the buffer. */
export type MessageHandler = (letter: number, bytes: Buffer, from: number, to: number) => void;

const HEAD = 5;

/** Splits a byte stream, which arrives in chunks of any size, into messages. */
export class MessageSplitter {
  #pieces: Buffer[] = [];
  #length = 0;
  /** Number of bytes needed before the next message can be read. */
  #wanted = HEAD;

  take(chunk: Buffer, onMessage: MessageHandler): void {
    this.#pieces.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#wanted) return;
    const bytes = this.#pieces.length === 1 ? chunk : Buffer.concat(this.#pieces, this.#length);
    let at = 0;
    this.#wanted = HEAD;
    while (at + HEAD <= bytes.length) {
      const end = at + 1 + int32(bytes, at + 1);
      if (end > bytes.length) {
        this.#wanted = end - at;
        break;
      }
      onMessage(bytes[at] ?? 0, bytes, at + HEAD, end);
      at = end;
    }
    this.#length = bytes.length - at;
    this.#pieces = this.#length === 0 ? [] : [bytes.subarray(at)];
  }
}

const int32 = (bytes: Buffer, at: number): number =>
  ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
const int16 = (bytes: Buffer, at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);

const hasOnlyAscii = (bytes: Buffer, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) if ((bytes[at] ?? 0) > 127) return false;
  return true;
};

/**
 * Decodes a `DataRow` and passes on each value with its column's position. Creating a string from bytes is a call out of
 * JavaScript, and a page has hundreds of values. So the whole row is decoded once and its values are slices of it, except
 * where characters take more than one byte.
 */
const forEachValue = (
  { readers }: Columns,
  bytes: Buffer,
  from: number,
  to: number,
  take: (value: unknown, column: number) => void,
): void => {
  const text = bytes.toString("latin1", from, to);
  let at = from + 2;
  let column = -1;
  for (const { parse, isAscii } of readers) {
    column += 1;
    const length = int32(bytes, at);
    at += 4;
    if (length < 0) {
      take(null, column);
      continue;
    }
    const end = at + length;
    const isSlice = isAscii || hasOnlyAscii(bytes, at, end);
    take(parse(isSlice ? text.substring(at - from, end - from) : bytes.toString("utf8", at, end)), column);
    at = end;
  }
};

/** Decodes a `DataRow` into its values. */
export const decodeValues = (columns: Columns, bytes: Buffer, from: number, to: number): RowValues => {
  const values: unknown[] = [];
  forEachValue(columns, bytes, from, to, (value) => values.push(value));
  return values;
};

/** Decodes a `DataRow` into an object with a property for each column. */
export const decodeRow = (columns: Columns, bytes: Buffer, from: number, to: number): Row => {
  const row: Record<string, unknown> = { ...columns.empty };
  const { names } = columns;
  forEachValue(columns, bytes, from, to, (value, column) => {
    row[names[column] ?? ""] = value;
  });
  return row;
};

/** The columns of a `RowDescription`. */
export const decodeColumns = (readersOf: Readers, bytes: Buffer, from: number): Columns => {
  const names: string[] = [];
  const readers: ValueReader[] = [];
  let at = from + 2;
  for (let remaining = int16(bytes, from); remaining > 0; remaining--) {
    const end = bytes.indexOf(0, at);
    names.push(bytes.toString("utf8", at, end));
    // After the name: table, column number, type, size, modifier and format.
    readers.push(readersOf(int32(bytes, end + 7)));
    at = end + 19;
  }
  return { empty: Object.fromEntries(names.map((name) => [name, null])), names, readers };
};

/** An `ErrorResponse`: texts, each preceded by the letter of its field. */
export const decodeError = (bytes: Buffer, from: number, to: number): pg.DatabaseError => {
  const fields = new Map<string, string>();
  for (let at = from; at < to && bytes[at] !== 0; ) {
    const end = bytes.indexOf(0, at + 1);
    fields.set(String.fromCharCode(bytes[at] ?? 0), bytes.toString("utf8", at + 1, end));
    at = end + 1;
  }
  return Object.assign(new pg.DatabaseError(fields.get("M") ?? "", to - from, "error"), {
    severity: fields.get("S"),
    code: fields.get("C"),
    detail: fields.get("D"),
    hint: fields.get("H"),
    position: fields.get("P"),
    where: fields.get("W"),
    schema: fields.get("s"),
    table: fields.get("t"),
    column: fields.get("c"),
    constraint: fields.get("n"),
    routine: fields.get("R"),
  });
};
