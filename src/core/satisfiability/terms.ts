import { toJs } from "../expression/compile/to-js.ts";
import type { Expr } from "../expression/expr.ts";
import { operationRow } from "../expression/operations/operations.ts";
import { noRecord, type Value } from "../expression/values/value.ts";
import { isPath, isSeedRecord, structuralKey } from "./structural-key.ts";
import { mayBeMissing } from "./value-ranges.ts";

/** A part of conditions whose values are enumerated: a path, or a calculation taken as a whole. */
export interface Term {
  /** Its structural key, which is also its name in the condition. */
  readonly name: string;
  readonly expr: Expr;
  readonly missing: boolean;
  /** True for a path, whose value is free; the value of a calculation depends on others. */
  readonly chosen: boolean;
  /** Names of the terms it depends on: if one is missing, it is missing. */
  readonly needs: ReadonlySet<string>;
  /** Its operands, if it is present whenever all of these are. */
  readonly parts: readonly Expr[] | undefined;
}

/** Terms that are compared with one another, and the constants they are compared with. */
export interface Group {
  readonly terms: readonly Term[];
  readonly constants: readonly Value[];
  /** True if an ordering comparison occurs. */
  readonly ordered: boolean;
}

export interface ConditionTerms {
  /** The condition in terms of names. */
  readonly expr: Expr;
  readonly terms: ReadonlyMap<string, Term>;
  readonly groups: readonly Group[];
}

/**
 * The assignments to consider. `every`: an over-approximation, so that a condition that never holds in it is
 * impossible; the user may be nobody, and a boolean constant of point 9 may have either value. `some`: an
 * under-approximation of possible assignments.
 */
export type Worlds = "every" | "some";

interface TermCollector {
  readonly terms: Map<string, Term>;
  readonly worlds: Worlds;
  /** Union-find: the leader of each term's group. */
  readonly leaders: Map<string, string>;
  readonly constants: Map<string, Value[]>;
  readonly ordered: Set<string>;
}

/** Splits a condition into its logical structure and its terms. */
export const splitIntoTerms = (expr: Expr, worlds: Worlds): ConditionTerms => {
  const collector: TermCollector = {
    terms: new Map(),
    worlds,
    leaders: new Map(),
    constants: new Map(),
    ordered: new Set(),
  };
  const taken = condition(expr, collector);
  const groups = new Map<string, { terms: Term[]; constants: Value[]; ordered: boolean }>();
  for (const [name, term] of collector.terms) {
    const leader = findLeader(name, collector);
    const group = groups.get(leader) ?? { terms: [], constants: [], ordered: false };
    group.terms.push(term);
    group.constants.push(...(collector.constants.get(name) ?? []));
    group.ordered ||= collector.ordered.has(name);
    groups.set(leader, group);
  }
  return { expr: taken, terms: collector.terms, groups: [...groups.values()] };
};

const findLeader = (name: string, collector: TermCollector): string => {
  let leader = name;
  for (let next = collector.leaders.get(leader); next !== undefined; next = collector.leaders.get(leader))
    leader = next;
  return leader;
};

const isSwitch = (expr: Expr, { worlds }: TermCollector): boolean =>
  worlds === "every" && expr.kind === "constant" && expr.limit !== undefined && expr.type.kind === "boolean";

const condition = (expr: Expr, collector: TermCollector): Expr => {
  if (expr.kind === "constant" && !isSwitch(expr, collector)) return expr;
  if (expr.kind !== "call") return term(expr, collector);
  switch (expr.row) {
    case "boolean && boolean":
    case "boolean || boolean":
    case "!boolean":
    case "boolean ? boolean : boolean":
      return { ...expr, args: expr.args.map((arg) => condition(arg, collector)) };
    case "any == null":
    case "any != null":
    case "same == same":
    case "same != same":
      return compared(expr, false, collector);
    case "ordered < ordered":
    case "ordered <= ordered":
    case "ordered > ordered":
    case "ordered >= ordered":
      return compared(expr, true, collector);
    case "same in [same]":
      return expr.args[1]?.kind === "list" ? compared(expr, false, collector) : term(expr, collector);
    default:
      return term(expr, collector);
  }
};

const compared = (expr: Expr & { kind: "call" }, ordered: boolean, collector: TermCollector): Expr => {
  const args = expr.args.map((arg) => value(arg, collector));
  const { names, constants } = getSources(args);
  const [first, ...others] = names;
  if (first === undefined) return { ...expr, args };
  for (const other of others) {
    const [a, b] = [findLeader(first, collector), findLeader(other, collector)];
    if (a !== b) collector.leaders.set(b, a);
  }
  collector.constants.set(first, [...(collector.constants.get(first) ?? []), ...constants]);
  if (ordered) collector.ordered.add(first);
  return { ...expr, args };
};

/** The origins of operands' values. */
const getSources = (args: readonly Expr[]) => {
  const names: string[] = [];
  const constants: Value[] = [];
  const visit = (expr: Expr): void => {
    if (expr.kind === "name") names.push(expr.name);
    else if (expr.kind === "constant") constants.push(...(expr.value === null ? [] : [expr.value]));
    else if (expr.kind === "list") for (const item of expr.items) visit(item);
    else if (expr.kind === "field") visit(expr.of);
    else if (expr.kind === "call")
      for (const arg of expr.row === "boolean ? any : any" ? expr.args.slice(1) : expr.args) visit(arg);
  };
  for (const arg of args) visit(arg);
  return { names, constants };
};

/** An operand: nodes that only pass values on are kept, everything else becomes a term. */
const value = (expr: Expr, collector: TermCollector): Expr => {
  if (expr.type.kind === "boolean") return condition(expr, collector);
  if (expr.kind === "constant") return expr;
  if (expr.kind === "list") return { ...expr, items: expr.items.map((item) => value(item, collector)) };
  if (isClosed(expr))
    return {
      kind: "constant",
      value: toJs(expr)(noRecord, nothing),
      type: expr.type,
      missing: expr.missing,
      span: expr.span,
    };
  if (expr.kind === "field" && expr.field.name === "id" && expr.type.kind === "text" && isPath(expr.of))
    return { ...expr, of: value(expr.of, collector) };
  if (expr.kind === "call" && expr.row === "decimal(integer)")
    return { ...expr, args: expr.args.map((arg) => value(arg, collector)) };
  if (expr.kind === "call" && expr.row === "boolean ? any : any") {
    const [tested, ...branches] = expr.args;
    return {
      ...expr,
      args: [
        ...(tested === undefined ? [] : [condition(tested, collector)]),
        ...branches.map((arg) => value(arg, collector)),
      ],
    };
  }
  return term(expr, collector);
};

const nothing = { now: "2026-01-01T00:00:00.000Z", today: "2026-01-01", rows: () => [] };

/** True if an expression consists of constants only. */
const isClosed = (expr: Expr): boolean => {
  if (expr.kind === "constant") return true;
  if (expr.kind === "field") return expr.field.inverse === undefined && isClosed(expr.of);
  if (expr.kind === "list") return expr.items.every(isClosed);
  return expr.kind === "call" && expr.args.every(isClosed);
};

const term = (expr: Expr, collector: TermCollector): Expr => {
  const name = structuralKey(expr);
  const before = collector.terms.get(name)?.missing ?? false;
  const isNobodys = collector.worlds === "every" && isOfNobody(expr);
  const missing = before || mayBeMissing(expr) || isNobodys;
  const isClock = expr.kind === "now" || expr.kind === "today";
  const chosen = (isPath(expr) && !isOfName(expr)) || isClock || expr.kind === "constant";
  collector.terms.set(name, {
    name,
    expr,
    missing,
    chosen,
    needs: new Set(listNeeds(expr)),
    parts: isNobodys ? undefined : partsFor(expr),
  });
  return { kind: "name", name, type: expr.type, missing, span: expr.span };
};

/** An attribute of a computed value is computed, too. */
const isOfName = (expr: Expr): boolean =>
  expr.kind === "field" ? isOfName(expr.of) : expr.kind === "name" && !isSeedRecord(expr);

/** A field of the user, which is missing if nobody is signed in. */
const isOfNobody = (expr: Expr): boolean => {
  if (expr.type.kind === "boolean" || expr.type.kind === "list") return false;
  if (expr.kind === "call") return operationRow(expr.row).missing === "spreads" && expr.args.some(isOfNobody);
  return expr.kind === "field" && expr.field.name !== "id" && (expr.of.kind === "user" || isOfNobody(expr.of));
};

const partsFor = (expr: Expr): readonly Expr[] | undefined => {
  if (expr.kind === "field") return expr.field.optional ? undefined : [expr.of];
  if (expr.kind !== "call") return undefined;
  const { missing, fails } = operationRow(expr.row);
  return missing === "spreads" && (fails === undefined || fails === "overflow") ? expr.args : undefined;
};

const listNeeds = (expr: Expr): readonly string[] => {
  if (expr.kind === "field") return [structuralKey(expr.of), ...listNeeds(expr.of)];
  if (expr.kind !== "call" || operationRow(expr.row).missing === "met") return [];
  return expr.args.flatMap((arg) => [structuralKey(arg), ...listNeeds(arg)]);
};
