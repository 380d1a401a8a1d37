/** What the document tells a person. */

/** `GET /_/notifications`: what the document tells a person, newest first. */
export interface NotificationsJson {
  readonly items: readonly NotificationJson[];
  /** For `after`: what stands before the last of these. */
  readonly next: string | null;
  readonly unread: number;
}

export interface NotificationJson {
  readonly id: string;
  readonly at: string;
  readonly text: string;
  readonly entity: string;
  /** The record that it is about, below `/api` and in the application's own addresses; null where nothing serves it. */
  readonly path: string | null;
  /** Where the record is shown, if it has no page of its own: a comment's ticket, as far as the person may read that. */
  readonly shown?: { readonly entity: string; readonly record: string };
  /** What the record is called now, when asked for with `label=true`; null where it may not be seen, or is gone. */
  readonly label?: string | null;
  readonly clause: string;
  readonly read: boolean;
}
