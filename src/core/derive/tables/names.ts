import type { Entity, UniquenessRule, ValidationRule } from "../../model/model.ts";

export const hashOf = (text: string): string => {
  let hash = 5381;
  for (let i = 0; i < text.length; i++) hash = ((hash * 33) ^ text.charCodeAt(i)) >>> 0;
  return hash.toString(36);
};

/**
 * The name of an index or a constraint: the table, two underscores, what it is, of what. No table has two underscores in
 * its name, and what it is comes before what authors name, so that no two names meet. Postgres cuts names beyond 63
 * bytes; a longer one ends in a hash of the whole.
 */
export const nameOf = (
  table: string,
  is: "unique" | "of" | "words" | "ref" | "fk" | "by" | "values" | "bounds" | "rule" | "together" | "links" | "rows",
  of: string,
): string => {
  const name = `${table}__${is}_${of}`;
  return name.length <= 63 ? name : `${name.slice(0, 54)}_${hashOf(name)}`;
};

export const uniqueName = (table: string, field: string): string => nameOf(table, "unique", field);

export const referenceName = (table: string, field: string): string => nameOf(table, "fk", field);

/** The table of the links of a field that holds several references, and the foreign key to what it refers to. */
export const linksName = (table: string, field: string): string => nameOf(table, "links", field);

export const linkName = (table: string, field: string): string => referenceName(linksName(table, field), "refers");

/** Several rules may raise one error; each is a constraint of its own, told apart by a number, with which no code begins. */
export const ruleName = (entity: Entity, rule: ValidationRule): string => {
  const before = entity.rules.slice(0, entity.rules.indexOf(rule)).filter((one) => one.error === rule.error).length;
  return nameOf(entity.table, "rule", `${before === 0 ? "" : `${before + 1}_`}${rule.error.toLowerCase()}`);
};

/** The same for what holds between records. */
export const togetherName = (entity: Entity, rule: UniquenessRule): string => {
  const before = entity.together
    .slice(0, entity.together.indexOf(rule))
    .filter((one) => one.error === rule.error).length;
  return nameOf(entity.table, "together", `${before === 0 ? "" : `${before + 1}_`}${rule.error.toLowerCase()}`);
};
