import { type Expr, subexpressions } from "../../expression/expr.ts";
import { computedExpr } from "../../model/field.ts";
import { createReach, type FlowQuestion, type Reached, type WrittenValue } from "./reached-records.ts";

/*
 * Decides if the value of an expression can depend on data that a reader cannot read: a hidden field, or a record that
 * is not visible. The analysis uses permissions only, and “no” is certain: for each record that the expression reaches,
 * the known facts (a role held there, the condition of a filter, values equal to those of the current record) exclude
 * every case in which the reader would not see it.
 */

export const nothingWritten: WrittenValue = () => undefined;

const onlyGiven =
  (written: WrittenValue): WrittenValue =>
  (name) =>
    written(name) === "given" ? "given" : undefined;

/**
 * The first hidden data that the expression can depend on: `Request` for records, `User.wage` for a field. Undefined
 * for none.
 */
export const findHiddenRead = (expr: Expr, reading: FlowQuestion): string | undefined => hiddenReadsIn(reading)(expr);

/** Finds the first hidden data for several expressions of one question. */
export const hiddenReadsIn = (reading: FlowQuestion): ((expr: Expr) => string | undefined) => {
  const { reader } = reading;
  const { reachedBy, elementsOf } = createReach(reading);
  const seesRows = ({ entity, facts }: Reached): boolean => reader.isOpenOn(facts(), reader.grantsOf(entity));
  const seesField = ({ entity, facts }: Reached, name: string): boolean =>
    reader.isOpenOn(facts(), reader.grantsShowing(entity, name));

  const visit = (at: Expr, elements: readonly (Reached | undefined)[]): string | undefined => {
    if (at.kind === "each") {
      const inner = elementsOf(at.row === "filter" ? at : at.list, elements);
      const enclosing = [...elements.slice(0, at.level)];
      enclosing[at.level] = inner;
      return visitList(at.list, elements, inner) ?? visit(at.body, enclosing);
    }
    if (at.type.kind === "list" && isSource(at)) return visitList(at, elements, elementsOf(at, elements));
    if (at.kind === "field") return visit(at.of, elements) ?? visitField(at, elements);
    for (const part of subexpressions(at)) {
      const found = visit(part, elements);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  /** Counting records requires that all matching records are visible. */
  const visitList = (
    list: Expr,
    elements: readonly (Reached | undefined)[],
    narrowed: Reached | undefined,
  ): string | undefined => {
    if (list.kind === "each") {
      const inner = narrowed ?? elementsOf(list, elements);
      const enclosing = [...elements.slice(0, list.level)];
      enclosing[list.level] = inner;
      return visitList(list.list, elements, inner) ?? visit(list.body, enclosing);
    }
    if (!isSource(list)) return visit(list, elements);
    if (narrowed !== undefined && !seesRows(narrowed)) return narrowed.entity.name;
    return list.kind === "field" ? visit(list.of, elements) : undefined;
  };

  const visitField = (at: Expr & { kind: "field" }, elements: readonly (Reached | undefined)[]): string | undefined => {
    const { name } = at.field;
    const reached = reachedBy(at.of, elements);
    if (reached === undefined) return undefined;
    const field = reached.entity.fields.get(name);
    // System fields are visible with their record. Roles appear in no response, but their effects are visible anyway.
    if (field === undefined) return undefined;
    // A writer does not know the value that a new one replaces.
    const written = reached.isOwn && at.of.kind !== "old" ? reading.written(name) : undefined;
    if (written === "given" || written === "known") return undefined;
    // An expression sees the record as it was, with the values that the writer gives.
    if (written !== undefined) return findHiddenRead(written, { ...reading, written: onlyGiven(reading.written) });
    if (seesField(reached, name)) return undefined;
    const from = computedExpr(field);
    // A computed value is not hidden from a reader of its inputs.
    if (from !== null && field.storage.as !== "stored" && reached.isOwn && visit(from, []) === undefined)
      return undefined;
    return `${reached.entity.name}.${name}`;
  };

  return (expr) => visit(expr, []);
};

const isSource = (list: Expr): boolean =>
  list.kind === "all" || (list.kind === "field" && list.field.inverse !== undefined);
