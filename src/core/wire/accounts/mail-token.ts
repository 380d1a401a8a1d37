/** Mails about notifications, all lists and overviews on a schedule, or one of them. */
export type MailTokenKind = "notifications" | "reports" | "report";

/** `GET /_/mail/unsubscribe`: the mails that a link ends. `title`: of the one list or overview, if the link names it. */
export interface MailLinkJson {
  readonly kind: MailTokenKind;
  readonly title: string | null;
}

/** A token that ends mails: the person and a signature, then the kind, then the address and the title of a list or an overview. */
export interface MailToken {
  readonly person: string;
  readonly signature: string;
  readonly kind: MailTokenKind;
  /** The address in base64url; null if it is about no single list or overview. */
  readonly screen: string | null;
  /** The title of the list or overview in base64url, which the signature covers; null in links without it. */
  readonly title: string | null;
}

/** Maximum number of characters of a title in a token. */
export const LONGEST_TITLE = 80;

const SHAPE = /^([\da-f-]{36})\.([\w-]{43})(\.reports(?:\.([\w-]{1,300})(?:\.([\w-]{1,500}))?)?)?$/u;

/** Reads a token; null if it has another shape. Only the server knows if it signed it. */
export const parseMailToken = (token: string): MailToken | null => {
  const [, person, signature, reports, screen, title] = SHAPE.exec(token) ?? [];
  if (person === undefined || signature === undefined) return null;
  const kind = screen !== undefined ? "report" : reports !== undefined ? "reports" : "notifications";
  return { person, signature, kind, screen: screen ?? null, title: title ?? null };
};

/** The part of a token after the signature. */
export const writeMailTokenEnd = (kind: MailTokenKind, ...of: readonly string[]): string =>
  [kind === "notifications" ? "" : ".reports", ...of].join(".");
