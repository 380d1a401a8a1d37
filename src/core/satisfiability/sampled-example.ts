import { toJs } from "../expression/compile/to-js.ts";
import { type Expr, subexpressions } from "../expression/expr.ts";
import { fromDayNumber, toDayNumber } from "../expression/values/calendar.ts";
import { type Duration, durationLength } from "../expression/values/duration.ts";
import type { JsRecord, Value } from "../expression/values/value.ts";
import type { Example } from "./assignments.ts";
import { valuesFor } from "./domain.ts";
import { isPath, structuralKey } from "./structural-key.ts";
import { type Entities, mayBeMissing } from "./value-ranges.ts";

/** Maximum number of combinations to try. */
const MOST_WORLDS = 2_048;

/** Numbers that distinguish most formulas, in addition to those in the condition. */
const NUMBERS = [2, 7];

const TODAY = "2026-03-02";
const USER = "user";

/**
 * Values with which a condition holds in a world without other records. Unlike `enumerateAssignments`, it calculates:
 * `price * 2 > 9` holds if the price is 7. Undefined proves nothing: the condition can hold for other values.
 */
export const findSampledExample = (condition: Expr, entities: Entities): Example | undefined => {
  const paths = findPaths(condition);
  if (paths === undefined) return undefined;
  const samples = [...paths.values()].map((path) => ({ path, values: sample(path, condition, paths, entities) }));
  const count = samples.reduce((product, { values }) => product * values.length, 1);
  if (count === 0 || count > MOST_WORLDS) return undefined;
  const holds = toJs(condition);
  for (let at = 0; at < count; at++) {
    let rest = at;
    const example = samples.map(({ path, values }) => {
      const value = values[rest % values.length] ?? null;
      rest = Math.floor(rest / values.length);
      return { path, value };
    });
    const { record, old, user } = worldOf(example);
    if (holds(record, { old, user, today: TODAY, now: `${TODAY}T12:00:00.000Z`, rows: () => [] }) === true)
      return [...example, ...givenTo("today", TODAY, condition), ...givenTo("user", { id: USER }, condition)];
  }
  return undefined;
};

/**
 * The paths that a condition reads, and the records on the way to them, by structural key. Lists are empty in the world
 * of an example. Undefined if the condition reads the present moment or a name, such as an input.
 */
const findPaths = (condition: Expr): ReadonlyMap<string, Expr> | undefined => {
  const found = new Map<string, Expr>();
  let isOpen = true;
  const visit = (expr: Expr, inList: boolean): void => {
    if (expr.kind === "name" || expr.kind === "now" || expr.type.kind === "unknown") isOpen = false;
    if (expr.kind === "each") {
      visit(expr.list, inList);
      visit(expr.body, true);
      return;
    }
    // The body of an operation on an empty list is not evaluated.
    if (expr.kind === "field" && isPath(expr) && !inList && expr.type.kind !== "list")
      found.set(structuralKey(expr), expr);
    for (const part of subexpressions(expr)) visit(part, inList);
  };
  visit(condition, false);
  return isOpen ? found : undefined;
};

const sample = (
  path: Expr,
  condition: Expr,
  paths: ReadonlyMap<string, Expr>,
  entities: Entities,
): readonly Value[] => {
  if (path.type.kind === "record") {
    const isWayTo = [...paths.values()].some(
      (expr) => expr.kind === "field" && structuralKey(expr.of) === structuralKey(path),
    );
    const other = { id: structuralKey(path) };
    return isWayTo ? [other] : [other, { id: USER }, ...(mayBeMissing(path) ? [null] : [])];
  }
  const term = {
    name: structuralKey(path),
    expr: path,
    missing: mayBeMissing(path),
    chosen: true,
    needs: new Set<string>(),
    parts: undefined,
  };
  const constants = [
    ...new Set([
      ...constantsIn(condition, path),
      ...(isNumber(path) ? NUMBERS : []),
      ...(path.type.kind === "date" ? daysBefore(condition) : []),
      ...(path.type.kind === "text" && hasSizeOf(condition, path) ? textsBySize(condition) : []),
    ]),
  ];
  return valuesFor({ terms: [term], constants, ordered: false }, entities)?.get(term) ?? [];
};

/** Longer texts are no readable examples. */
const LONGEST_TEXT = 100;

const hasSizeOf = (expr: Expr, path: Expr): boolean =>
  (expr.kind === "call" &&
    expr.row === "size(text)" &&
    expr.args.some((arg) => structuralKey(arg) === structuralKey(path))) ||
  subexpressions(expr).some((part) => hasSizeOf(part, path));

/** A text for each length that a condition names: `size(text) >= 20` differs from `size(text) >= 60` for 20 characters. */
const textsBySize = (expr: Expr): readonly Value[] => {
  const isLength =
    expr.kind === "constant" && typeof expr.value === "number" && expr.value > 0 && expr.value <= LONGEST_TEXT;
  return [...(isLength ? ["x".repeat(Number(expr.value))] : []), ...subexpressions(expr).flatMap(textsBySize)];
};

/** The days from which each duration of a condition reaches today. */
const daysBefore = (expr: Expr): readonly Value[] => {
  if (expr.kind === "constant" && expr.type.kind === "duration" && expr.value !== null)
    return [fromDayNumber(toDayNumber(TODAY) - Math.round(durationLength(expr.value as Duration) / DAY))];
  return subexpressions(expr).flatMap(daysBefore);
};

const DAY = 86_400_000;

const isNumber = ({ type: { kind } }: Expr): boolean => kind === "integer" || kind === "decimal" || kind === "money";

const constantsIn = (expr: Expr, path: Expr): readonly Value[] => {
  const isAlike = expr.kind === "constant" && (expr.type.kind === path.type.kind || (isNumber(expr) && isNumber(path)));
  const own = isAlike && expr.value !== null ? [expr.value] : [];
  return [...own, ...subexpressions(expr).flatMap((part) => constantsIn(part, path))];
};

const worldOf = (example: Example) => {
  const world = { record: values("record"), old: values("record"), user: values(USER) };
  const place = (expr: Expr): Record<string, Value> => {
    if (expr.kind !== "field")
      return expr.kind === "this" ? world.record : expr.kind === "old" ? world.old : world.user;
    const of = place(expr.of);
    const existing = of[expr.field.name];
    if (isRecord(existing)) return existing;
    const value = values(structuralKey(expr));
    of[expr.field.name] = value as JsRecord;
    return value;
  };
  for (const { path, value } of example) {
    if (path.kind !== "field") continue;
    const of = place(path.of);
    const existing = of[path.field.name];
    // The record may exist already, because of another path through it.
    if (isRecord(existing) && isRecord(value)) existing.id = value.id ?? null;
    else of[path.field.name] = isRecord(value) ? ({ ...value } as JsRecord) : value;
  }
  return { record: world.record as JsRecord, old: world.old as JsRecord, user: world.user as JsRecord };
};

const values = (id: string): Record<string, Value> => ({ id });

const isRecord = (value: Value | undefined): value is JsRecord & Record<string, Value> =>
  typeof value === "object" && value !== null && "id" in value;

const givenTo = (kind: "today" | "user", value: Value, condition: Expr): Example => {
  const path = findKind(kind, condition);
  return path === undefined ? [] : [{ path, value }];
};

const findKind = (kind: Expr["kind"], expr: Expr): Expr | undefined => {
  if (expr.kind === kind) return expr;
  for (const part of subexpressions(expr)) {
    const found = findKind(kind, part);
    if (found !== undefined) return found;
  }
  return undefined;
};
