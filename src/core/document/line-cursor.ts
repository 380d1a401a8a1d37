import type { Line } from "./lines.ts";

const skipBlanks = (text: string, from: number, end: number): number => {
  let at = from;
  while (at < end && (text[at] === " " || text[at] === "\t")) at++;
  return at;
};

/** A position in one line: an offset, and its column with tab stops every four columns. */
export class LineCursor {
  readonly #text: string;
  at = 0;
  end = 0;
  #column = 0;
  /** Remaining columns of a partly consumed tab. */
  #rest = 0;

  constructor(text: string) {
    this.#text = text;
  }

  enterLine({ start, end }: Line): void {
    this.at = start;
    this.end = end;
    this.#column = 0;
    this.#rest = 0;
  }

  /** The character at the cursor. */
  get character(): string | undefined {
    return this.#text[this.at];
  }

  /** Offset of the first character that is no white space. */
  get first(): number {
    return skipBlanks(this.#text, this.at, this.end);
  }

  isBlank(from = this.at): boolean {
    return skipBlanks(this.#text, from, this.end) >= this.end;
  }

  /** Columns of white space at the cursor. */
  indentation(): number {
    const from = this.#column;
    let position = from + this.#rest;
    for (let i = this.#rest > 0 ? this.at + 1 : this.at; i < this.end; i++) {
      if (this.#text[i] === " ") position += 1;
      else if (this.#text[i] === "\t") position += 4 - (position % 4);
      else break;
    }
    return position - from;
  }

  /** Consumes columns of white space. */
  advance(columns: number): void {
    let remaining = columns;
    while (remaining > 0 && this.at < this.end) {
      if (this.#text[this.at] === "\t") {
        const width = this.#rest > 0 ? this.#rest : 4 - (this.#column % 4);
        const used = Math.min(width, remaining);
        this.#column += used;
        remaining -= used;
        this.#rest = width - used;
        if (this.#rest === 0) this.at++;
      } else if (this.#text[this.at] === " ") {
        this.at++;
        this.#column++;
        remaining--;
      } else return;
    }
  }

  /** Consumes a mark, and one column of white space after it. */
  skipQuotationMark(): void {
    this.advance(this.indentation());
    this.step(1);
    if (this.character === " " || this.character === "\t") this.advance(1);
  }

  step(characters: number): void {
    this.at += characters;
    this.#column += characters;
  }
}
