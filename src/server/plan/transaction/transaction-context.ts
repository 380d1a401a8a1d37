import type { Format } from "../../../core/model/format.ts";
import type { Asker, Context } from "../context.ts";
import type { Written } from "./write-set.ts";

/** One request's writes beyond its own, with all that was written so far, in order. */
export interface Following {
  readonly context: Context;
  readonly asker: Asker;
  readonly format: Format;
  readonly written: Written[];
  /** True at the end of several steps of a call: what holds between records is judged then, too. */
  readonly isOfSteps?: true;
}
