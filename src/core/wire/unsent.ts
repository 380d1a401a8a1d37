/** Mails and calls to other programs that could not be sent. */

/** The reason why the last attempt failed. */
export type UnsentReason =
  /** The mail server's answer, or an error of the connection to it. */
  | { readonly kind: "mail"; readonly said: string }
  | { readonly kind: "answered"; readonly status: string }
  | { readonly kind: "timeout" | "unreachable" | "removed" | "restored" };

export interface UnsentJson {
  readonly id: string;
  readonly kind: "mail" | "call";
  /** The recipient's address, or the name of the call. */
  readonly to: string;
  readonly at: string;
  readonly tries: number;
  readonly reason: UnsentReason;
  /** The time of the next attempt; null if there is none. */
  readonly again: string | null;
}

/** `GET /_/unsent`, for administrators, newest first. */
export interface UnsentPageJson {
  readonly items: readonly UnsentJson[];
  /** Pass as `after` to get the next page; null on the last. */
  readonly next: string | null;
}
