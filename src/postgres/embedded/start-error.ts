/**
 * Why the embedded Postgres could not start. The operator can fix it, so the message says what is wrong and the hint
 * what to do.
 */
export type StartErrorKind = "data in use" | "data unusable" | "postgres missing" | "postgres failed";

export class StartError extends Error {
  readonly kind: StartErrorKind;
  readonly hint: string;
  /** For "data in use": the process that holds the data and, once it is listening, its URL. */
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

/** The code of a failed system call (`ENOENT`), or undefined for any other error. */
export const findErrorCode = (thrown: unknown): string | undefined =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
