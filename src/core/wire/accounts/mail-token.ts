/** Mails about notifications, all lists and overviews on a schedule, or one of them. */
export type MailTokenKind = "notifications" | "reports" | "report";

/** A token that ends mails: the person and a signature, then the kind, then the address of a list or an overview. */
export interface MailToken {
  readonly person: string;
  readonly signature: string;
  readonly kind: MailTokenKind;
  /** The address in base64url; null if it is about no single list or overview. */
  readonly screen: string | null;
}

const SHAPE = /^([\da-f-]{36})\.([\w-]{43})(\.reports(?:\.([\w-]{1,300}))?)?$/u;

/** Reads a token; null if it has another shape. Only the server knows if it signed it. */
export const parseMailToken = (token: string): MailToken | null => {
  const [, person, signature, reports, screen] = SHAPE.exec(token) ?? [];
  if (person === undefined || signature === undefined) return null;
  const kind = screen !== undefined ? "report" : reports !== undefined ? "reports" : "notifications";
  return { person, signature, kind, screen: screen ?? null };
};

/** The part of a token after the signature. */
export const writeMailTokenEnd = (kind: MailTokenKind, screen: string | null): string =>
  `${kind === "notifications" ? "" : ".reports"}${screen === null ? "" : `.${screen}`}`;
