/**
 * A step of a migration. Steps that need no mention have no message. `unless` counts rows that would violate the
 * change; any such row refuses it.
 */
export interface MigrationStep {
  readonly says: string;
  readonly run: string;
  /** The message if Postgres refuses the step because of existing rows. */
  readonly refusable?: RefusedChange;
  readonly unless?: { readonly clause: string; readonly count: string; readonly says: (rows: number) => string };
  /** For a step that writes records: a query for their number, run just before the step, and the message. */
  readonly writes?: { readonly count: string; readonly says: (rows: number) => string };
}

/** A change that does not fit stored data. It is never made by a start. */
export interface RefusedChange {
  readonly clause: string;
  readonly says: string;
}
