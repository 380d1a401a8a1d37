import { list, listOrOne } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record } from "../../document/shape/record.ts";
import { expression, plainText, word } from "../../document/shape/scalar.ts";
import type { ShapeValue } from "../../document/shape.ts";
import { locate, type Scalar } from "../../document/tree.ts";
import type { Expr } from "../../expression/expr.ts";
import type { Scope, Type } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import { toTitle } from "../../model/inflection.ts";
import { type Aggregate, aggregates, chartKinds, type Target, type Tile, targetBounds } from "../../model/screen.ts";
import {
  checkExpression,
  clauseAt,
  isExecutableIn,
  type Linking,
  reportNotExecuted,
  reportUnknownName,
} from "../linking/link-context.ts";
import { mayUse } from "../permissions/roles.ts";
import { linkPivot, pivotKeys } from "./pivot.ts";
import { linkWhere, listShownFields, type ScreenContext, shownName, sortKey } from "./screen-fields.ts";

/** Point 2: tiles of a screen: a count, a list, a chart, a pivot or a figure. */
export const tileShape = record("a tile", {
  title: optional(plainText),
  count: optional(name("entity")),
  list: optional(name("entity")),
  chart: optional(word(...chartKinds)),
  from: optional(name("entity")),
  where: optional(expression),
  columns: optional(list(name("field"))),
  sort: optional(list(plainText)),
  per: optional(expression),
  ...pivotKeys,
  figure: optional(name("entity")),
  compare: optional(record("a comparison", { title: optional(plainText), where: optional(expression) })),
  target: optional(record("a target", { "at least": optional(expression), "at most": optional(expression) })),
  for: optional(listOrOne(name("role"))),
});

const tileMains = ["count", "list", "chart", "pivot", "figure"] as const;

/** Tiles whose main key is not the entity, so that `from` names it. */
const isFrom = (main: (typeof tileMains)[number] | undefined): boolean => main === "chart" || main === "pivot";

/** Links a tile; undefined if it is not executable. */
export const linkTile = (
  syntax: ShapeValue<typeof tileShape>,
  clause: string,
  { entities, roles, recordRoles, scope, linking }: ScreenContext,
): Tile | undefined => {
  const [main] = tileMains.filter((key) => key in syntax.keys);
  const entity = isFrom(main) ? syntax.from : (syntax.count ?? syntax.list ?? syntax.figure);
  if (entity === undefined && main !== undefined && (isFrom(main) ? "from" : main) in syntax.keys) return undefined;
  if (main === undefined || entity === undefined) {
    linking.report(
      finding(
        "MISSING_KEY",
        syntax.span,
        "A tile needs “count”, “list”, “figure”, or “chart” or “pivot” with “from”.",
        "Name the entity to show.",
        { clause },
      ),
    );
    return undefined;
  }
  const linked = entities.get(entity.value);
  if (linked === undefined) {
    reportUnknownName(linking, entity.span, "entity", entity.value, entities.keys());
    return undefined;
  }
  const inRecord: Scope = { ...scope, entity: entity.value };
  const where = linkWhere(syntax.where, inRecord, linking, clause);
  const per = main === "chart" ? linkGroups(syntax, inRecord, linking, clause) : null;
  const isMeasured = main === "chart" || main === "figure";
  const value = isMeasured ? linkAggregate(syntax.value, inRecord, linking, clause) : null;
  const target = value == null ? null : linkTarget(syntax, value, scope, linking, clause);
  const compare = linkCompared(syntax, inRecord, linking, clause);
  reportUnusedKeys(syntax, main, linking, clause);
  const pivot = main === "pivot" ? linkPivot(syntax, linked, linking, clause) : undefined;
  const audience = syntax.for?.map((role) => role.value) ?? null;
  for (const role of syntax.for ?? []) mayUse(role, entity.value, { roles, recordRoles }, linking);
  const everyField = listShownFields(linked);
  const columns = syntax.columns?.flatMap((column) => shownName(linked, column, linking));
  const sort =
    main === "chart"
      ? linkChartSort(syntax, linking, clause)
      : (syntax.sort ?? []).flatMap((item) => sortKey(item, linked, linking));
  if (where === "stopped") return undefined;
  const base = {
    title: syntax.title?.value ?? toTitle(linked.called.many),
    clause: clauseAt(clause, syntax.span),
    entity: entity.value,
    where,
    for: audience,
  };
  if (main === "count") return { ...base, kind: main };
  if (main === "list") return { ...base, kind: main, columns: columns ?? everyField.slice(0, 3), sort };
  if (main === "pivot") return pivot === undefined ? undefined : { ...base, kind: main, ...pivot };
  if (value == null) return undefined;
  if (main === "figure") return compare === "stopped" ? undefined : { ...base, kind: main, value, compare, target };
  if (per == null) return undefined;
  return { ...base, kind: main, chart: syntax.chart?.value ?? "columns", per, sort, value, target };
};

/** Reports keys of a figure on a tile that does not use them. A target is also the line of a chart over time. */
const reportUnusedKeys = (
  { compare, target, chart, span, keys }: ShapeValue<typeof tileShape>,
  main: (typeof tileMains)[number],
  linking: Linking,
  clause: string,
): void => {
  const wrong = (message: string, hint: string) =>
    linking.report(finding("BAD_VALUE", span, message, hint, { clause }));
  if (compare !== undefined && main !== "figure")
    wrong("Only a figure has “compare”.", "Remove it, or write “figure” with the entity and “value”.");
  if (main !== "pivot" && "by" in keys)
    wrong("Only a pivot has “by”.", "Write “pivot” with the field of its rows, or remove “by”.");
  const hasLine = main === "chart" && (chart?.value ?? "columns") !== "bars" && chart?.value !== "parts";
  if (target !== undefined && main !== "figure" && !hasLine)
    wrong("Only figures, columns and lines have a target.", "Remove “target”.");
};

/** The records with which a figure is compared; null if it is not compared. */
const linkCompared = (
  { compare }: ShapeValue<typeof tileShape>,
  inRecord: Scope,
  linking: Linking,
  clause: string,
): (Tile & { kind: "figure" })["compare"] | "stopped" => {
  if (compare === undefined) return null;
  const where = linkWhere(compare.where, inRecord, linking, clause);
  if (compare.title === undefined && !("title" in compare.keys))
    linking.report(
      finding(
        "MISSING_KEY",
        compare.span,
        "A comparison needs “title”.",
        "Add what the figure is compared with: “title: Last month”.",
        { clause },
      ),
    );
  return where === "stopped" || compare.title === undefined ? "stopped" : { title: compare.title.value, where };
};

/** The target of a chart or a figure: a number or a constant, of the type of its values. */
const linkTarget = (
  { target }: ShapeValue<typeof tileShape>,
  value: Aggregate,
  scope: Scope,
  linking: Linking,
  clause: string,
): Target | null => {
  if (target === undefined) return null;
  const targets = targetBounds.flatMap((bound) => {
    const at = target[bound];
    return at === undefined ? [] : [{ bound, at }];
  });
  const [only, second] = targets;
  if (only === undefined || second !== undefined) {
    if (second !== undefined || targetBounds.every((bound) => !(bound in target.keys)))
      linking.report(
        finding(
          "BAD_VALUE",
          target.span,
          "A target has one bound.",
          "Write “target: { at least: 90 }” or “target: { at most: 10 }”.",
          { clause },
        ),
      );
    return null;
  }
  const { bound, at } = only;
  const type: Type = value.of?.type.kind === "money" && value.how !== "count" ? value.of.type : { kind: "decimal" };
  const expr = checkExpression(at, scope, type, linking);
  if (expr === undefined) return null;
  if (expr.kind === "constant" && expr.value !== null) return { bound, value: expr };
  // The constant may be an open point.
  if (expr.kind === "constant" || expr.type.kind === "unknown")
    reportNotExecuted(linking, "reads what is not decided", at.span, clause);
  else
    linking.report(
      finding("BAD_EXPRESSION", at.span, "A target can’t be computed.", "Write a number, or a constant of point 9.", {
        clause,
      }),
    );
  return null;
};

const groupable: readonly Type["kind"][] = ["date", "integer", "text", "choice", "boolean", "record"];

/** The grouping of a chart: `month_of(first_day)`, a choice, a reference. */
const linkGroups = (
  { per, span, keys }: ShapeValue<typeof tileShape>,
  scope: Scope,
  linking: Linking,
  clause: string,
): Expr | undefined => {
  if (per === undefined) {
    if (!("per" in keys))
      linking.report(
        finding(
          "MISSING_KEY",
          span,
          "A chart needs “per”.",
          "Add “per:” with the value to group by, such as month_of(day).",
          {
            clause,
          },
        ),
      );
    return undefined;
  }
  const expr = checkExpression(per, scope, undefined, linking);
  if (expr === undefined) return undefined;
  if (!isExecutableIn(linking)(expr)) {
    reportNotExecuted(linking, "reads what is not decided", per.span, clause);
    return undefined;
  }
  if (groupable.includes(expr.type.kind)) return expr;
  if (expr.type.kind !== "unknown")
    linking.report(
      finding(
        "BAD_EXPRESSION",
        per.span,
        "A chart can’t be grouped by this.",
        "Group by a date such as month_of(day), a choice, a reference, a text, a whole number or a boolean.",
        { clause },
      ),
    );
  return undefined;
};

const LARGEST_FIRST = "-value";

/** A chart has the order of its groups, or begins with the largest. */
const linkChartSort = ({ sort }: ShapeValue<typeof tileShape>, linking: Linking, clause: string): readonly string[] => {
  const wrong = sort?.find(({ value }) => value !== LARGEST_FIRST);
  if (sort === undefined) return [];
  if (wrong === undefined) return [LARGEST_FIRST];
  linking.report(
    finding(
      "BAD_VALUE",
      wrong.span,
      `A chart can’t be sorted by “${wrong.value}”.`,
      `Write “sort: [${LARGEST_FIRST}]” to begin with the largest group, or remove “sort”.`,
      { clause },
    ),
  );
  return [];
};

const isAggregate = (name: string | undefined): name is Aggregate["how"] =>
  aggregates.some((aggregate) => aggregate === name);

const summable: readonly Type["kind"][] = ["integer", "decimal", "money", "unknown"];

/** The aggregate of a chart or a figure over its records: `sum(days)`, `share(done)`. Counts by default. */
const linkAggregate = (
  at: Scalar | undefined,
  scope: Scope,
  linking: Linking,
  clause: string,
): Aggregate | undefined => {
  if (at === undefined) return { how: "count", of: null };
  const [, how, argument] = /^(\w+)\((.*)\)$/su.exec(at.text.trim()) ?? [];
  if (!isAggregate(how) || argument === undefined) {
    linking.report(
      finding(
        "BAD_EXPRESSION",
        at.span,
        `“${at.text}” is not an aggregate.`,
        "Write count(), sum(days), min(…), max(…), avg(…) or share(condition).",
      ),
    );
    return undefined;
  }
  if (argument.trim() === "") {
    if (how === "count") return { how, of: null };
    linking.report(
      finding(
        "BAD_EXPRESSION",
        at.span,
        `${how}() needs ${how === "share" ? "a condition" : "a field"}.`,
        `Write ${how === "share" ? "share(condition)" : `${how}(field)`}.`,
      ),
    );
    return undefined;
  }
  const start = at.text.indexOf(argument, at.text.indexOf("("));
  const inside: Scalar = { ...at, text: argument, origin: (offset) => locate(at, start + offset) };
  const of = checkExpression(inside, scope, how === "share" ? { kind: "boolean" } : undefined, linking);
  if (of === undefined) return undefined;
  if (how !== "count" && how !== "share" && !summable.includes(of.type.kind)) {
    linking.report(finding("BAD_EXPRESSION", at.span, `${how}() needs a number.`, `Use a number, or write count().`));
    return undefined;
  }
  if (isExecutableIn(linking)(of)) return { how, of };
  reportNotExecuted(linking, "reads what is not decided", at.span, clause);
  return undefined;
};
