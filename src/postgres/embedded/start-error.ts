/**
 * Why the embedded Postgres could not be started. It is the operator's to mend, so the message says what is wrong and
 * the hint what to do; neither is a fault of the program.
 */
export type StartErrorKind = "data in use" | "data unusable" | "postgres missing" | "postgres failed";

export class StartError extends Error {
  readonly kind: StartErrorKind;
  readonly hint: string;
  /** Where the data is in use: the process that holds it and, once it listens, its address. */
  readonly holder: { readonly process: number; readonly url?: string } | undefined;

  constructor(
    kind: StartErrorKind,
    message: string,
    hint: string,
    more: { readonly cause?: unknown; readonly holder?: { readonly process: number; readonly url?: string } } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "StartError";
    this.kind = kind;
    this.hint = hint;
    this.holder = more.holder;
  }
}

/** The code of a failed system call (`ENOENT`), or undefined for any other thing thrown. */
export const codeOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
