import { type Evaluator, toJs } from "../../../core/expression/compile/to-js.ts";
import { deserializeExpr } from "../../../core/expression/rewrite/serialize.ts";
import type { Type } from "../../../core/expression/values/type.ts";
import type { Json } from "../../../core/wire/json.ts";

/** A deserialized expression, ready to evaluate. */
export interface Ready {
  readonly evaluate: Evaluator;
  readonly type: Type;
}

const cache = new WeakMap<object, Ready>();

/** Deserializes an expression once. Undefined without one. */
export const prepareExpression = (carried: Json | undefined): Ready | undefined => {
  if (typeof carried !== "object" || carried === null) return undefined;
  const known = cache.get(carried);
  if (known !== undefined) return known;
  const expr = deserializeExpr(carried);
  const ready = { evaluate: toJs(expr), type: expr.type };
  cache.set(carried, ready);
  return ready;
};
