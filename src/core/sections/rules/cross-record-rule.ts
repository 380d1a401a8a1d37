import type { Expr } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import type { Operation } from "../../expression/operations/operations.ts";
import { expandComputed } from "../../expression/rewrite/expand-computed.ts";
import { rebaseOnPath } from "../../expression/rewrite/rebase.ts";
import { shiftScope } from "../../expression/rewrite/shift-scope.ts";
import type { EntityShape, Scope } from "../../expression/values/type.ts";
import type { UniquenessRule, ValidationRule } from "../../model/entity.ts";
import { includesEnd } from "../../model/facts/ranges.ts";
import { computedExprs, type Linking } from "../linking/link-context.ts";

type Range = NonNullable<UniquenessRule["range"]>;

/**
 * Turns a uniqueness rule whose `where` reads other records into a rule that is checked by query: an index sees one row
 * only and does not notice changes of other records. For example, `unique: slot` with `where: room.shared` says that
 * there is no other record with this slot whose room is shared. The rule is checked, under the locks of rules, on each
 * write of one of the records or of a record that `where` reads.
 */
export const toCrossRecordRule = (
  { clause, error, message, same, range, countsMissing }: UniquenessRule,
  where: Expr,
  own: EntityShape,
  { timezone: zone }: Scope,
  linking: Linking,
): ValidationRule => {
  const { span } = where;
  const record = { kind: "record", entity: own.name } as const;
  const boolean = { kind: "boolean" } as const;
  const self: Expr = { kind: "this", type: record, missing: false, span };
  const other = { kind: "variable", name: "other", level: 0, type: record, missing: false, span } as const;
  const nothing: Expr = { kind: "constant", value: null, type: { kind: "null" }, missing: true, span };
  const call = (row: Operation, ...args: readonly Expr[]): Expr => ({
    ...({ kind: "call", row, args, zone } as const),
    ...{ type: boolean, missing: false, span },
  });
  const all = (conditions: readonly Expr[]): Expr =>
    conditions.reduce((before, condition) => call("boolean && boolean", before, condition));
  const either = (a: Expr, b: Expr): Expr => call("boolean || boolean", a, b);
  const at = (of: Expr, name: string): Expr => {
    const field = own.fields.get(name);
    if (field === undefined) throw new Error(`${own.name} has no field ${name}`);
    return { kind: "field", of, entity: own, field, type: field.type, missing: field.optional, span };
  };
  const existsCondition = (of: Expr, name: string): readonly Expr[] =>
    own.fields.get(name)?.optional === true ? [call("any != null", at(of, name), nothing)] : [];

  const alike = same.flatMap((name) => [
    ...(countsMissing ? [] : existsCondition(self, name)),
    call("same == same", at(other, name), at(self, name)),
  ]);
  // A range of days or whole numbers includes its end; a range of instants, decimals or amounts excludes it.
  const begin = range === null ? undefined : own.fields.get(range.from);
  const before = begin !== undefined && includesEnd(begin.type) ? "ordered <= ordered" : "ordered < ordered";
  const orOpen = (of: Expr, to: string, condition: Expr): Expr =>
    own.fields.get(to)?.optional === true ? either(call("any == null", at(of, to), nothing), condition) : condition;
  const spans = (of: Expr, { from, to }: Range): readonly Expr[] => [
    ...existsCondition(of, from),
    orOpen(of, to, call(before, at(of, from), at(of, to))),
  ];
  const meets = (one: Expr, two: Expr, { from, to }: Range): Expr =>
    orOpen(two, to, call(before, at(one, from), at(two, to)));
  const taken =
    range === null
      ? []
      : [...spans(self, range), ...spans(other, range), meets(self, other, range), meets(other, self, range)];

  const others: Expr = {
    kind: "each",
    row: "filter",
    list: { kind: "all", entity: own, type: { kind: "list", of: record }, missing: false, span },
    name: other.name,
    level: 0,
    body: all([call("same != same", other, self), ...alike, ...taken, rebaseOnPath(shiftScope(where), other)]),
    type: { kind: "list", of: record },
    missing: false,
    span,
  };
  const rule = call("!boolean", call("exists([any])", others));
  const written = [rule, where];
  const [between = [], deciding = []] = written.map((expr) => {
    const expanded = expandComputed(
      expr,
      computedExprs(linking, ({ as }) => as !== "stored"),
    );
    return collectReadSet(expanded).recordReads;
  });
  const reads = [...written, ...written.map((expr) => expandComputed(expr, computedExprs(linking)))].map(
    collectReadSet,
  );
  return {
    ...{ clause, error, message, rule, when: where, during: null, always: true, mutual: true },
    reads: [...new Set([...reads.flatMap(({ fields }) => [...fields]), ...same])],
    // The condition of the other record needs no reads here: the other record has the rule too, so its own reads cover
    // it.
    recordReads: [
      ...between.filter((read) => read.entity === own.name),
      ...deciding.filter((read) => read.entity !== own.name),
    ],
  };
};
