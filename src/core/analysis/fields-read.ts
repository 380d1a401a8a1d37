import { type Expr, subexpressions } from "../expression/expr.ts";

/** `Request.days` */
export type QualifiedField = string;

/**
 * Fields that expressions read on any record. `counts` selects them by entity and by being read only within a
 * condition.
 */
export const findFieldsRead = (
  exprs: readonly Expr[],
  counts = (_entity: string, _isInCondition: boolean) => true,
): ReadonlySet<QualifiedField> => {
  const names = new Set<QualifiedField>();
  const visit = (expr: Expr, isCondition: boolean): void => {
    if (expr.kind !== "field") {
      for (const part of subexpressions(expr)) visit(part, isCondition || expr.type.kind === "boolean");
      return;
    }
    const { entity, field } = expr;
    if (field.inverse === undefined && !isOfEveryRecord(field.name) && counts(entity.name, isCondition))
      names.add(`${entity.name}.${field.name}`);
    visit(expr.of, isCondition);
  };
  for (const expr of exprs) visit(expr, false);
  return names;
};

const isOfEveryRecord = (name: string): boolean => ["id", "version", "created_at", "updated_at"].includes(name);
