import { uncarried } from "../../core/rule/carried.ts";
import { type Evaluator, toJs } from "../../core/rule/to-js.ts";
import type { Json } from "../../core/wire/json.ts";

const functions = new WeakMap<object, Evaluator>();

/** An expression that came over the wire, as a function: made once. Undefined where there is none. */
export const functionOf = (carried: Json | undefined): Evaluator | undefined => {
  if (typeof carried !== "object" || carried === null) return undefined;
  const known = functions.get(carried) ?? toJs(uncarried(carried));
  functions.set(carried, known);
  return known;
};
