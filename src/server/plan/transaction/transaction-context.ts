import type { Format } from "../../../core/model/format.ts";
import type { Caller, PlanContext } from "../context.ts";
import type { WriteSet } from "./write-set.ts";

/** One request's writes beyond its own, with all that was written so far, in order. */
export interface WriteTransaction {
  readonly context: PlanContext;
  readonly caller: Caller;
  readonly format: Format;
  readonly written: WriteSet[];
  /** True at the end of several steps of a call: what holds between records is judged then, too. */
  readonly isOfSteps?: true;
}
