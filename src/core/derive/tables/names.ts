import type { Entity, UniquenessRule, ValidationRule } from "../../model/entity.ts";

export const shortHash = (text: string): string => {
  let hash = 5381;
  for (let i = 0; i < text.length; i++) hash = ((hash * 33) ^ text.charCodeAt(i)) >>> 0;
  return hash.toString(36);
};

/**
 * The name of an index or constraint: table, two underscores, kind, columns. Table names contain no double underscore
 * and the kind precedes names from the document, so names never collide. Postgres truncates names to 63 bytes; a longer
 * name ends in a hash.
 */
export const constraintName = (
  table: string,
  is: "unique" | "of" | "words" | "ref" | "fk" | "by" | "values" | "bounds" | "rule" | "together" | "links" | "rows",
  of: string,
): string => {
  const name = `${table}__${is}_${of}`;
  return name.length <= 63 ? name : `${name.slice(0, 54)}_${shortHash(name)}`;
};

export const uniqueName = (table: string, field: string): string => constraintName(table, "unique", field);

export const referenceName = (table: string, field: string): string => constraintName(table, "fk", field);

/** The table for the elements of a field with several references; also the name of its foreign key. */
export const linksName = (table: string, field: string): string => constraintName(table, "links", field);

export const linkName = (table: string, field: string): string => referenceName(linksName(table, field), "refers");

/** The name of a rule's constraint. Rules with equal error codes get a number; no code begins with a digit. */
export const ruleName = (entity: Entity, rule: ValidationRule): string => {
  const before = entity.rules.slice(0, entity.rules.indexOf(rule)).filter((other) => other.error === rule.error).length;
  return constraintName(entity.table, "rule", `${before === 0 ? "" : `${before + 1}_`}${rule.error.toLowerCase()}`);
};

/** The name of a uniqueness rule's constraint, numbered in the same way. */
export const uniquenessConstraintName = (entity: Entity, rule: UniquenessRule): string => {
  const before = entity.uniquenessRules
    .slice(0, entity.uniquenessRules.indexOf(rule))
    .filter((other) => other.error === rule.error).length;
  return constraintName(entity.table, "together", `${before === 0 ? "" : `${before + 1}_`}${rule.error.toLowerCase()}`);
};
