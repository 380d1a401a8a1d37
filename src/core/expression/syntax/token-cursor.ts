import type { Token } from "./lex.ts";

/** A position in the tokens of an expression. The last token is the end of the text. */
export class TokenCursor {
  readonly #tokens: readonly Token[];
  readonly #end: Token;
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    this.#end = tokens[tokens.length - 1] ?? { kind: "end", text: "", start: 0, end: 0 };
  }

  get current(): Token {
    return this.#tokens[this.#at] ?? this.#end;
  }

  /** Where the token before the cursor ends. */
  get before(): number {
    return this.#tokens[this.#at - 1]?.end ?? 0;
  }

  /** A token after the current one. */
  peek(distance = 1): Token | undefined {
    return this.#tokens[this.#at + distance];
  }

  /** Reads the current token. The end is never passed. */
  next(): Token {
    const token = this.current;
    if (token.kind !== "end") this.#at++;
    return token;
  }

  advance(tokens: number): void {
    this.#at += tokens;
  }

  skipToEnd(): Token {
    this.#at = this.#tokens.length - 1;
    return this.#end;
  }

  isNext(sign: string): boolean {
    const { kind, text } = this.current;
    return kind !== "text" && kind !== "end" && text === sign;
  }

  /** Reads a sign if it is next. */
  skip(sign: string): boolean {
    if (!this.isNext(sign)) return false;
    this.#at++;
    return true;
  }
}
