/** Mails and calls to other programs that could not be sent. */

/** The reason why the last attempt failed. */
export type UnsentReason =
  /** The mail server's answer. */
  | { readonly kind: "mail"; readonly said: string }
  /** No answer of the mail server; `code` says why: the error of the connection, such as `connect ECONNREFUSED 10.0.0.5:587`. */
  | { readonly kind: "no mail server"; readonly code: string }
  | { readonly kind: "answered"; readonly status: string }
  | { readonly kind: "timeout" | "unreachable" | "removed" | "restored" };

/** The reasons why a call to another program failed, as they are stored with it. */
export const storedReasons = {
  timeout: "did not answer in time",
  unreachable: "cannot be reached",
  removed: "the document has no such call any more",
  restored: "it waited when the database was saved",
} as const satisfies Readonly<Record<Exclude<UnsentReason["kind"], "mail" | "no mail server" | "answered">, string>>;

/**
 * How many milliseconds a server has to send a message, before another takes it over. A call has less, because it is
 * given up after ten seconds.
 */
export const claims = { mail: 120_000, call: 60_000 } as const;

const ANSWERED = "answered ";

/** The stored reason of a call that was answered with this status. */
export const answeredWith = (status: number): string => `${ANSWERED}${status}`;

/** Reads the stored reason of a call. */
export const readReason = (stored: string): UnsentReason => {
  if (stored.startsWith(ANSWERED)) return { kind: "answered", status: stored.slice(ANSWERED.length) };
  const kinds = Object.keys(storedReasons) as readonly (keyof typeof storedReasons)[];
  return { kind: kinds.find((kind) => storedReasons[kind] === stored) ?? "unreachable" };
};

/** Codes of the SMTP client and of sockets for a connection that failed, and the cause. Answers begin with three digits. */
const CONNECTION_ERROR =
  /^(ECONN[A-Z]+|ESOCKET|ETIMEDOUT|EDNS|ETLS|EPROXY|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EPIPE)(?:: (.*))?$/u;

/** Reads the stored reason of a mail: the server's answer, or the code of the SMTP client and its cause. */
export const readMailReason = (stored: string): UnsentReason => {
  const [, code, cause] = CONNECTION_ERROR.exec(stored) ?? [];
  return code === undefined ? { kind: "mail", said: stored } : { kind: "no mail server", code: cause ?? code };
};

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
