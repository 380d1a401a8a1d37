import Big from "big.js";
import { every, splitConjuncts } from "../expression/boolean-exprs.ts";
import { type Expr, subexpressions } from "../expression/expr.ts";
import { isPath, isSeedRecord, structuralKey } from "./structural-key.ts";
import { type Entities, mayBeMissing, valueRange } from "./value-ranges.ts";

/** `both`: it holds for some values and fails for others. Undefined: not a simple case. */
type Plain = boolean | "both" | undefined;

/** The paths of a condition, each as its structural key. */
interface Seen {
  readonly entities: Entities;
  readonly full: Set<string>;
  readonly prefixes: Set<string>;
  /** The path that a test for a missing value guards, as in `note == null || size(note) > 3`; it can occur once more. */
  guarded: string | undefined;
}

/**
 * Decides a condition without enumeration if each path occurs once, its comparisons are independent, and each can go
 * both ways. Most conditions are of this kind.
 */
export const trivialTruth = (condition: Expr, entities: Entities): Plain =>
  truth(condition, { entities, full: new Set(), prefixes: new Set(), guarded: undefined });

/** True if a path, its prefixes and its extensions occur for the first time. */
const isNew = (path: Expr, seen: Seen): boolean => {
  const name = structuralKey(path);
  if (seen.guarded === name) {
    seen.guarded = undefined;
    return true;
  }
  if (seen.full.has(name) || seen.prefixes.has(name)) return false;
  seen.full.add(name);
  for (let at = path; at.kind === "field"; at = at.of) {
    const prefix = structuralKey(at.of);
    if (seen.full.has(prefix)) return false;
    seen.prefixes.add(prefix);
  }
  return true;
};

const truth = (expr: Expr, seen: Seen): Plain => {
  if (expr.kind === "constant")
    return expr.limit === undefined && typeof expr.value === "boolean" ? expr.value : undefined;
  if (expr.kind === "field") return isPath(expr) && isNew(expr, seen) ? "both" : undefined;
  if (expr.kind !== "call") return undefined;
  const [a, b, c] = expr.args;
  if (a === undefined) return undefined;
  switch (expr.row) {
    case "!boolean":
      return opposite(truth(a, seen));
    case "boolean && boolean":
      return b && (behindTest("any != null", a, b, seen) ?? both(truth(a, seen), truth(b, seen)));
    case "boolean || boolean":
      return (
        b &&
        (behindTest("any == null", a, b, seen) ?? opposite(both(opposite(truth(a, seen)), opposite(truth(b, seen)))))
      );
    case "boolean ? boolean : boolean":
      return b && c && chosen(truth(a, seen), truth(b, seen), truth(c, seen));
    case "any == null":
    case "any != null":
      return isPath(a) && mayBeMissing(a) && isNew(a, seen) ? "both" : undefined;
    case "same == same":
    case "same != same":
    case "ordered < ordered":
    case "ordered <= ordered":
    case "ordered > ordered":
    case "ordered >= ordered":
      return b && compared(a, b, expr.row, seen);
    case "same in [same]":
      return b && listed(a, b, seen);
    default:
      return undefined;
  }
};

const compared = (a: Expr, b: Expr, row: string, seen: Seen): Plain => {
  const { entities } = seen;
  if (a.kind === "constant" && b.kind === "constant") {
    if (a.type.kind !== "choice" || b.type.kind !== "choice") return undefined;
    return (a.value === b.value) === (row === "same == same");
  }
  if (isPath(a) && isPath(b) && structuralKey(a) === structuralKey(b) && !mayBeMissing(a) && !isOfUser(a))
    return reflexive.has(row);
  if (a.kind === "constant")
    return isDivided(b, mirrorSigns(row), a, entities) && isAlone(b, seen) ? "both" : undefined;
  if (b.kind === "constant") return isDivided(a, row, b, entities) && isAlone(a, seen) ? "both" : undefined;
  return isPath(a) && isPath(b) && isFree(a, entities) && isFree(b, entities) && isNew(a, seen) && isNew(b, seen)
    ? "both"
    : undefined;
};

/** A value of a choice that is one of some. */
const listed = (value: Expr, list: Expr, seen: Seen): Plain => {
  if (value.type.kind !== "choice" || list.kind !== "list") return undefined;
  const values = new Set<unknown>();
  for (const item of list.items) {
    if (item.kind !== "constant" || item.type.kind !== "choice") return undefined;
    values.add(item.value);
  }
  if (value.kind === "constant") return value.value === null ? undefined : values.has(value.value);
  const among = value.type.values.filter((one) => values.has(one)).length;
  return among > 0 && among < value.type.values.length && isPath(value) && isNew(value, seen) ? "both" : undefined;
};

/**
 * A test for a missing value, and a condition on that value that goes both ways while it is present. Undefined if it is
 * nothing of the kind, and nothing was seen of it.
 */
const behindTest = (row: "any == null" | "any != null", test: Expr, rest: Expr, seen: Seen): Plain => {
  const [path] = test.kind === "call" && test.row === row ? test.args : [];
  if (path === undefined || rest.kind !== "call" || testsForMissing(rest) || truth(test, seen) !== "both")
    return undefined;
  const outer = seen.guarded;
  seen.guarded = structuralKey(path);
  const plain = truth(rest, seen);
  seen.guarded = outer;
  if (typeof plain !== "boolean") return plain;
  return plain === (row === "any == null") ? plain : "both";
};

/** True if no other part of the condition depends on a value, which can therefore be any in its range. */
const isAlone = (expr: Expr, seen: Seen): boolean =>
  isPath(expr)
    ? isNew(expr, seen)
    : expr.kind === "call" && !passesOn.has(expr.row) && readsAnything(expr) && readsAnew(expr, seen);

/** True if each path in a calculation, the current time and all records of an entity occur for the first time. */
const readsAnew = (expr: Expr, seen: Seen): boolean =>
  isPath(expr) || isGiven(expr) ? isNew(expr, seen) : subexpressions(expr).every((part) => readsAnew(part, seen));

/** True if a choice among the alternatives of conditions is a simple case that can hold; false if that is uncertain. */
export const canTriviallyHold = (conditions: readonly Expr[], entities: Entities): boolean => {
  const condition = every(conditions);
  const plain = condition === undefined || trivialTruth(condition, entities);
  if (plain !== undefined) return plain !== false;
  const chosen = new Map<string, Expr>();
  const alternatives: (readonly Expr[])[] = [];
  for (const condition of conditions.flatMap(splitConjuncts))
    if (isDisjunction(condition)) alternatives.push(getDisjuncts(condition));
    else chosen.set(structuralKey(condition), condition);
  const canHold = (more: readonly Expr[]): boolean => {
    const all = every([...chosen.values(), ...more]);
    const plain = all === undefined || trivialTruth(all, entities);
    return plain === true || plain === "both";
  };
  for (const disjuncts of alternatives) {
    if (disjuncts.some((one) => chosen.has(structuralKey(one)))) continue;
    const fitting = disjuncts.find((one) => canHold([one]));
    if (fitting === undefined) return false;
    chosen.set(structuralKey(fitting), fitting);
  }
  return canHold([]);
};

const isDisjunction = (expr: Expr): expr is Expr & { kind: "call" } =>
  expr.kind === "call" && expr.row === "boolean || boolean";

/** The operands of nested disjunctions: `a || b || c` has three. */
export const getDisjuncts = (condition: Expr): readonly Expr[] =>
  isDisjunction(condition) ? condition.args.flatMap(getDisjuncts) : [condition];

/** Operations whose result is one of their operands. */
const passesOn = new Set(["decimal(integer)", "boolean ? any : any"]);

/** True if an expression depends on anything but constants. */
const readsAnything = (expr: Expr): boolean =>
  expr.kind === "field" || isGiven(expr) || subexpressions(expr).some(readsAnything);

/** True for values that do not come from the record or the user. */
const isGiven = ({ kind }: Expr): boolean => kind === "all" || kind === "now" || kind === "today";

const testsForMissing = (expr: Expr): boolean =>
  (expr.kind === "call" && (expr.row === "any == null" || expr.row === "any != null")) ||
  subexpressions(expr).some(testsForMissing);

const opposite = (plain: Plain): Plain => (typeof plain === "boolean" ? !plain : plain);

const both = (a: Plain, b: Plain): Plain => {
  if (a === false || b === false) return false;
  if (a === undefined || b === undefined) return undefined;
  return a === true ? b : a;
};

const chosen = (condition: Plain, a: Plain, b: Plain): Plain => {
  if (typeof condition === "boolean") return condition ? a : b;
  if (condition === undefined || a === undefined || b === undefined) return undefined;
  return typeof a === "boolean" && a === b ? a : "both";
};

/** True for a path through the user: its value is missing if nobody is signed in. */
const isOfUser = (path: Expr): boolean => path.kind === "field" && (path.of.kind === "user" || isOfUser(path.of));

/** Comparisons that hold between a value and itself. */
const reflexive = new Set(["same == same", "ordered <= ordered", "ordered >= ordered"]);

const compares = new Set(["integer", "decimal", "money", "date", "datetime", "text", "record"]);

/** True if a path can be less than, equal to and greater than any other. */
const isFree = (path: Expr, entities: Entities): boolean => {
  const { min, max } = valueRange(path, entities);
  return compares.has(path.type.kind) && min === null && max === null && !isSeedRecord(path);
};

/** `5 < x` is `x > 5`. */
const mirrorSigns = (row: string): string => row.replace(/[<>]/gu, (sign) => (sign === "<" ? ">" : "<"));

/**
 * True if the comparison with the constant holds for some values of the path and fails for others, given its bounds.
 */
const isDivided = (path: Expr, row: string, { value }: Expr & { kind: "constant" }, entities: Entities): boolean => {
  if (path.type.kind === "choice") return path.type.values.length > 1 && path.type.values.includes(String(value));
  if (value === null || !compares.has(path.type.kind)) return false;
  const { min, max } = valueRange(path, entities);
  if (min === null && max === null) return path.type.kind !== "text" && path.type.kind !== "record";
  if (typeof value !== "number" && !(value instanceof Big)) return false;
  const constant = new Big(value);
  const atLeast = min === null ? 1 : constant.cmp(min);
  const atMost = max === null ? -1 : constant.cmp(max);
  // At the lower bound, `x > min` and `x <= min` go both ways, but not `x < min` and `x >= min`; vice versa at the
  // upper bound.
  if (atLeast === 0) return atMost < 0 && row !== "ordered < ordered" && row !== "ordered >= ordered";
  if (atMost === 0) return atLeast > 0 && row !== "ordered > ordered" && row !== "ordered <= ordered";
  return atLeast > 0 && atMost < 0;
};
