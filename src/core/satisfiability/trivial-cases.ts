import Big from "big.js";
import type { Expr } from "../expression/expr.ts";
import { isPath, isSeedRecord, structuralKey } from "./structural-key.ts";
import { type Entities, mayBeMissing, valueRange } from "./value-ranges.ts";

/** `both`: it holds for some values and fails for others. Undefined: not a simple case. */
type Plain = boolean | "both" | undefined;

/**
 * Decides a condition without enumeration if each path occurs once, its comparisons are independent, and each can go
 * both ways. Most conditions are of this kind.
 */
export const plainTruth = (condition: Expr, entities: Entities): Plain => {
  const full = new Set<string>();
  const prefixes = new Set<string>();

  /** True if a path, its prefixes and its extensions occur for the first time. */
  const isNew = (path: Expr): boolean => {
    const name = structuralKey(path);
    if (full.has(name) || prefixes.has(name)) return false;
    full.add(name);
    for (let at = path; at.kind === "field"; at = at.of) {
      const prefix = structuralKey(at.of);
      if (full.has(prefix)) return false;
      prefixes.add(prefix);
    }
    return true;
  };

  const truth = (expr: Expr): Plain => {
    if (expr.kind === "constant")
      return expr.limit === undefined && typeof expr.value === "boolean" ? expr.value : undefined;
    if (expr.kind === "field") return isPath(expr) && isNew(expr) ? "both" : undefined;
    if (expr.kind !== "call") return undefined;
    const [a, b, c] = expr.args;
    if (a === undefined) return undefined;
    switch (expr.row) {
      case "!boolean":
        return opposite(truth(a));
      case "boolean && boolean":
        return b && both(truth(a), truth(b));
      case "boolean || boolean":
        return b && opposite(both(opposite(truth(a)), opposite(truth(b))));
      case "boolean ? boolean : boolean":
        return b && c && chosen(truth(a), truth(b), truth(c));
      case "any == null":
      case "any != null":
        return isPath(a) && mayBeMissing(a) && isNew(a) ? "both" : undefined;
      case "same == same":
      case "same != same":
      case "ordered < ordered":
      case "ordered <= ordered":
      case "ordered > ordered":
      case "ordered >= ordered":
        return b && compared(a, b, expr.row);
      default:
        return undefined;
    }
  };

  const compared = (a: Expr, b: Expr, row: string): Plain => {
    if (a.kind === "constant" && b.kind === "constant") {
      if (a.type.kind !== "choice" || b.type.kind !== "choice") return undefined;
      return (a.value === b.value) === (row === "same == same");
    }
    if (a.kind === "constant")
      return isPath(b) && isDivided(b, mirrorSigns(row), a, entities) && isNew(b) ? "both" : undefined;
    if (b.kind === "constant") return isPath(a) && isDivided(a, row, b, entities) && isNew(a) ? "both" : undefined;
    return isPath(a) && isPath(b) && isFree(a, entities) && isFree(b, entities) && isNew(a) && isNew(b)
      ? "both"
      : undefined;
  };

  return truth(condition);
};

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
