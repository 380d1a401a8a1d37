/** Notifications to a person. */

/** `GET /_/notifications`, newest first. */
export interface NotificationsJson {
  readonly items: readonly NotificationJson[];
  /** Pass as `after` to get older ones. */
  readonly next: string | null;
  readonly unread: number;
}

export interface NotificationJson {
  readonly id: string;
  readonly at: string;
  /** Cut unless requested with `whole=true`: a comment can be long. */
  readonly text: string;
  readonly entity: string;
  /** The record's path below `/api` and in the application; null if no screen or call serves it. */
  readonly path: string | null;
  /**
   * The record whose page shows it if it has no page of its own, such as the ticket of a comment; absent if the person
   * cannot read that.
   */
  readonly shown?: { readonly entity: string; readonly record: string };
  /** The current label of the record, or of `shown`, if requested with `label=true`; null if it is hidden or deleted. */
  readonly label?: string | null;
  /** The state of that record now, if it has states and the person can read it. */
  readonly state?: string;
  /** The notification is also about further parts of one record, which the same write changed; absent without any. */
  readonly others?: OtherNoticesJson;
  readonly clause: string;
  readonly read: boolean;
}

/** Further parts of one record that a notification is about. */
export interface OtherNoticesJson {
  readonly count: number;
  /** The words of the notification about them; of many, those about the first ones. */
  readonly texts: readonly string[];
  /** The current label of the record whose parts they are; null if it is hidden or deleted. */
  readonly label: string | null;
}
