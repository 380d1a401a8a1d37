import type { RecordRead } from "../../expression/inspect/read-set.ts";
import type { UniquenessRule, ValidationRule } from "../../model/entity.ts";
import type { Names } from "./names.ts";
import { renameExpr, renameOptional, renameTemplate } from "./rename-expr.ts";

export const renameRule = (entity: string, rule: ValidationRule, names: Names): ValidationRule => ({
  ...rule,
  rule: renameExpr(rule.rule, names),
  when: renameOptional(rule.when, names),
  during: rule.during === null ? null : rule.during.map((action) => names.transition(entity, action)),
  message: renameTemplate(rule.message, names),
  reads: rule.reads.map((field) => names.field(entity, field)),
  recordReads: rule.recordReads.map((read) => renameRead(read, names)),
});

const renameRead = (read: RecordRead, names: Names): RecordRead => ({
  ...read,
  entity: names.entity(read.entity),
  ...(read.by === undefined ? {} : { by: names.field(read.entity, read.by) }),
  fields: new Set([...read.fields].map((field) => names.field(read.entity, field))),
});

export const renameUniqueness = (entity: string, rule: UniquenessRule, names: Names): UniquenessRule => {
  const field = (name: string): string => names.field(entity, name);
  return {
    ...rule,
    message: renameTemplate(rule.message, names),
    same: rule.same.map(field),
    range: rule.range === null ? null : { from: field(rule.range.from), to: field(rule.range.to) },
    where: renameOptional(rule.where, names),
    reads: rule.reads.map(field),
  };
};
