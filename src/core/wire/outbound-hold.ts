/** A database that was restored, and sends nothing yet; for administrators. */
export interface HeldJson {
  /** When it was restored, and from when what is in it is. */
  readonly since: string;
  readonly from: string;
  /** Calls to other programs that waited when it was saved, and those since. */
  readonly old: number;
  readonly fresh: number;
  readonly mails: number;
}
