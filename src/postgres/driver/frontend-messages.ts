/*
 * Messages of the extended query protocol, written into one buffer and sent together
 * (https://www.postgresql.org/docs/18/protocol-message-formats.html). Numbers are in network byte order; a message's
 * length includes itself but not the letter before it.
 */

/** A value in Postgres's input format: text, or raw bytes. */
const encodeParameter = (value: unknown): string | Uint8Array | null => {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return encodeArray(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

/** An array literal: https://www.postgresql.org/docs/18/arrays.html#ARRAYS-IO */
const encodeArray = (values: readonly unknown[]): string => {
  const elements = values.map((value) => {
    if (Array.isArray(value)) return encodeArray(value);
    const encoded = encodeParameter(value);
    if (encoded === null) return "NULL";
    const text = typeof encoded === "string" ? encoded : `\\x${Buffer.from(encoded).toString("hex")}`;
    return `"${text.replace(/["\\]/gu, "\\$&")}"`;
  });
  return `{${elements.join()}}`;
};

/** A byte buffer that grows as it is written. */
export class MessageWriter {
  #bytes = Buffer.allocUnsafe(8_192);
  #at = 0;

  clear(): void {
    this.#at = 0;
  }

  /** Returns a copy of the bytes written so far. */
  take(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#at));
  }

  /** A simple query: one or more statements in one text, without parameters or a named plan. */
  query(text: string): void {
    const from = this.#begin("Q");
    this.#text(text);
    this.#end(from);
  }

  parse(name: string, text: string): void {
    const from = this.#begin("P");
    this.#text(name);
    this.#text(text);
    this.#int16(0);
    this.#end(from);
  }

  /** Asks for the columns of a prepared statement. */
  describe(name: string): void {
    const from = this.#begin("D");
    this.#letter("S");
    this.#text(name);
    this.#end(from);
  }

  /** Closes a prepared statement. It need not exist. */
  close(name: string): void {
    const from = this.#begin("C");
    this.#letter("S");
    this.#text(name);
    this.#end(from);
  }

  /** Binds and executes a prepared statement. All columns are returned as text. */
  execute(name: string, values: readonly unknown[]): void {
    const from = this.#begin("B");
    this.#text("");
    this.#text(name);
    const parameters = values.map(encodeParameter);
    const isBytes = parameters.some((parameter) => parameter !== null && typeof parameter !== "string");
    this.#int16(isBytes ? parameters.length : 0);
    if (isBytes)
      for (const parameter of parameters) this.#int16(parameter === null || typeof parameter === "string" ? 0 : 1);
    this.#int16(parameters.length);
    for (const parameter of parameters) this.#parameter(parameter);
    this.#int16(0);
    this.#end(from);
    const execute = this.#begin("E");
    this.#text("");
    this.#int32(0);
    this.#end(execute);
  }

  /** Asks Postgres to send the answers so far. */
  flush(): void {
    this.#end(this.#begin("H"));
  }

  /** Ends the implicit transaction. Postgres answers, and resumes after an error. */
  sync(): void {
    this.#end(this.#begin("S"));
  }

  #parameter(value: string | Uint8Array | null): void {
    if (value === null) {
      this.#int32(-1);
      return;
    }
    const from = this.#at;
    this.#int32(0);
    if (typeof value === "string") {
      this.#room(value.length * 3);
      this.#at += this.#bytes.write(value, this.#at);
    } else {
      this.#room(value.length);
      this.#bytes.set(value, this.#at);
      this.#at += value.length;
    }
    this.#bytes.writeInt32BE(this.#at - from - 4, from);
  }

  /** Leaves room for the length. */
  #begin(letter: string): number {
    this.#letter(letter);
    this.#int32(0);
    return this.#at - 4;
  }

  #end(from: number): void {
    this.#bytes.writeInt32BE(this.#at - from, from);
  }

  #letter(letter: string): void {
    this.#room(1);
    this.#bytes[this.#at++] = letter.charCodeAt(0);
  }

  #text(text: string): void {
    this.#room(text.length * 3 + 1);
    this.#at += this.#bytes.write(text, this.#at);
    this.#bytes[this.#at++] = 0;
  }

  #int16(value: number): void {
    this.#room(2);
    this.#at = this.#bytes.writeInt16BE(value, this.#at);
  }

  #int32(value: number): void {
    this.#room(4);
    this.#at = this.#bytes.writeInt32BE(value, this.#at);
  }

  #room(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe((this.#at + more) * 2);
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }
}
