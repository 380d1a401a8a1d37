/** A body that is JSON text already. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A member of a union that `kind` discriminates. */
export interface Tagged {
  readonly kind: string;
}

/** Records were read. `version` is that of the record; `null` if the body is not a single record. */
export interface Found extends Tagged {
  readonly kind: "found";
  /** JSON, or a `JsonText`. */
  readonly body: unknown;
  readonly version: number | null;
}

export interface Created extends Tagged {
  readonly kind: "created";
  readonly id: string;
  /** The record as its creator sees it: JSON, or a `JsonText`. */
  readonly body: unknown;
  readonly version: number;
  /** The address of the record; `null` if the API serves none. */
  readonly location: string | null;
}

/** A record was updated, or moved to another state. */
export interface Changed extends Tagged {
  readonly kind: "changed";
  readonly id: string;
  /** The record as the caller sees it: JSON, or a `JsonText`. */
  readonly body: unknown;
  /** The version of the record; `null` if the caller cannot read the record any more. */
  readonly version: number | null;
}

/** The request succeeded, and there is nothing to show. */
export interface Done extends Tagged {
  readonly kind: "done";
}

/** The request will be carried out later. The body is undefined for a response without one. */
export interface Accepted extends Tagged {
  readonly kind: "accepted";
  readonly body: unknown;
}

/**
 * The result of a request that was not refused. Status and headers are derived from it at the edge
 * (`server/http/reply.ts`).
 */
export type Outcome = Found | Created | Changed | Done | Accepted;

export const DONE_OUTCOME: Done = { kind: "done" };
export const ACCEPTED_OUTCOME: Accepted = { kind: "accepted", body: undefined };

export const asFound = (body: unknown, version: number | null = null): Found => ({ kind: "found", body, version });
