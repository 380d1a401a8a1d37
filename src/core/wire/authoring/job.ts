import type { ReferenceJson } from "../records.ts";

/** A version while it is published. */

export type JobPhase = "expand" | "backfill" | "validate" | "switch" | "retire";

/** `abandoning`: everything that it created is being removed. */
export type JobStateName = "running" | "paused" | "failed" | "abandoning" | "abandoned" | "done";

/** `GET /_/job`, for administrators, and the answer of `POST /_/document` if publishing takes longer than two seconds. */
export interface JobJson {
  readonly job: number;
  readonly state: JobStateName;
  readonly phase: JobPhase;
  readonly startedAt: string;
  /** Null until it ends. */
  readonly endedAt: string | null;
  /** Null for a version that a command publishes. */
  readonly author: ReferenceJson | null;
  readonly note: string;
  /** The number of the new version; null before the switch. */
  readonly version: number | null;
  readonly steps: readonly JobStepJson[];
  /** The reasons why it failed or was abandoned. */
  readonly refused: readonly JobRefusalJson[];
  /** Attempts that ended because people used the records of a table. */
  readonly waits: number;
}

export interface JobStepJson {
  readonly phase: JobPhase;
  readonly clause: string;
  readonly says: string;
  /** Records; `total` is null if they are not counted. */
  readonly done: number;
  readonly total: number | null;
  readonly state: "waiting" | "done" | "left";
}

export interface JobRefusalJson {
  readonly clause: string;
  readonly says: string;
  /** Paths of some of the records, as far as the reader can read them; empty in responses of other calls. */
  readonly records: readonly string[];
}

/** `GET /_/job`. */
export interface NewestJobJson {
  /** Null if nothing was published since the job table was created. */
  readonly newest: JobJson | null;
  /** True while this server checks a version, before its job begins. */
  readonly isStarting: boolean;
}
