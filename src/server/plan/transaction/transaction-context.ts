import type { Format } from "../../../core/model/format.ts";
import type { Caller, PlanContext } from "../context.ts";
import type { WriteSet } from "./write-set.ts";

/** The context of the writes within a transaction, with all writes so far in order. */
export interface WriteTransaction {
  readonly context: PlanContext;
  readonly caller: Caller;
  readonly format: Format;
  readonly written: WriteSet[];
  /** True at the end of several endpoint steps, where uniqueness is checked too. */
  readonly isOfSteps?: true;
}
