/** The outgoing messages of a restored database, which are held; for administrators. */
export interface OutboundHoldJson {
  /** Time of the restore, and of the backup. */
  readonly since: string;
  readonly from: string;
  /** Outgoing calls that were pending in the backup, and later ones. */
  readonly old: number;
  readonly fresh: number;
  readonly mails: number;
}
