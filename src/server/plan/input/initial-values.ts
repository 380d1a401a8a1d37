import Big from "big.js";
import { isGenerated } from "../../../core/derive/authorization/grants.ts";
import { toJs } from "../../../core/expression/compile/to-js.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { collectReadSet, readsItsRecord } from "../../../core/expression/inspect/read-set.ts";
import { type Duration, toInterval } from "../../../core/expression/values/duration.ts";
import { noRecord, type Value } from "../../../core/expression/values/value.ts";
import type { Stored, StoredScalar } from "../../../core/field/kind.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { isActValue, isPlainColumn, isWritten } from "../../../core/model/field.ts";
import type { Values } from "../../intent.ts";
import type { RefusalAt } from "../../refusal.ts";
import { type Caller, NOBODY } from "../context.ts";
import { emptyValue, missingFields, type ParsedInput } from "./parse-input.ts";

/** The initial values of a created record. */
export interface InitialValues {
  readonly values: ReadonlyMap<string, Stored>;
  /** Expressions on the new record and others, which the statement evaluates. */
  readonly computed: ReadonlyMap<string, Expr>;
  /** Required fields without a value. */
  readonly missing: readonly RefusalAt[];
}

/** Combines sent values, computed defaults, and empty values for the rest. `fixed` fields get their value elsewhere. */
export const initialValues = (
  entity: Entity,
  sent: Values,
  input: ParsedInput,
  caller: Caller,
  fixed: ReadonlySet<string> = new Set(),
): InitialValues => {
  // In a loop, because each creation needs them and arrays of pairs take several microseconds.
  const values = new Map<string, Stored>();
  for (const field of entity.fields.values()) if (isWritten(field)) values.set(field.name, null);
  for (const [name, value] of input.values) values.set(name, value);
  const computed = new Map<string, Expr>();
  for (const field of entity.fields.values()) {
    if (isActValue(field)) continue;
    const expr = field.set ?? (Object.hasOwn(sent, field.name) ? null : field.default);
    if (expr !== null && readsRecords(expr)) computed.set(field.name, expr);
    else if (expr !== null) values.set(field.name, evaluateForCaller(expr, caller));
    else if (field.type === "state") values.set(field.name, entity.states?.initial ?? null);
    else if (isPlainColumn(field) && values.get(field.name) === null) values.set(field.name, emptyValue(field));
  }
  const missing = missingFields(
    entity,
    entity.fields.keys(),
    (name) =>
      (values.get(name) ?? null) !== null ||
      computed.has(name) ||
      fixed.has(name) ||
      isGenerated(entity.fields.get(name)) ||
      input.wrong.some((error) => error.at === `/${name}`),
  );
  return { values, computed, missing };
};

const reading = new WeakMap<Expr, boolean>();

/** True if the initial value reads records, so that only a statement can evaluate it. Found once for each expression. */
export const readsRecords = (expr: Expr): boolean => {
  const known = reading.get(expr);
  if (known !== undefined) return known;
  const reads = readsItsRecord(expr) || collectReadSet(expr).recordReads.length > 0;
  reading.set(expr, reads);
  return reads;
};

const compiled = new WeakMap<Expr, ReturnType<typeof toJs>>();
const compiledOnce = (expr: Expr): ReturnType<typeof toJs> => {
  const known = compiled.get(expr) ?? toJs(expr);
  compiled.set(expr, known);
  return known;
};

const noRows = (): [] => [];

/** Evaluates a default on creation that reads the user, the time and constants, but no record. */
export const evaluateForCaller = (expr: Expr, caller: Caller): Stored => {
  const value = compiledOnce(expr)(noRecord, {
    user: { id: caller.principal.id ?? NOBODY },
    get now() {
      return caller.now.toISOString();
    },
    today: caller.today,
    rows: noRows,
  });
  if (Array.isArray(value)) return [...new Set(value.map(toScalar).filter((scalar) => scalar !== null))];
  return toScalar(value);
};

const toScalar = (value: Value): StoredScalar | null => {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return value;
  if (value instanceof Big) return value.toFixed();
  if ("id" in value && typeof value.id === "string") return value.id === NOBODY ? null : value.id;
  if ("months" in value && "days" in value && "milliseconds" in value) return toInterval(value as Duration);
  throw new Error("a value that no column holds");
};
