import { alignNames } from "../../core/change/align/align-names.ts";
import { findRenamings } from "../../core/change/align/renamings.ts";
import type { ComparedLine } from "../../core/change/compared-line.ts";
import { type Expr, subexpressions } from "../../core/expression/expr.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Model } from "../../core/model/model.ts";

/** A field that the conditions of a line read. */
export interface FieldRead {
  readonly entity: string;
  readonly field: string;
  /** True for a field of the counted record itself. */
  readonly isOwn: boolean;
}

/** The stored records that a line is about, in terms of the live version. */
export interface Countable {
  readonly entity: Entity;
  readonly conditions: readonly Expr[];
  readonly reads: readonly FieldRead[];
}

/**
 * Finds the records that a line is about. Undefined if the live version cannot count them: the conditions read the
 * user, or something that this version lacks or has under another name or with another type.
 */
export const findCountable = (line: ComparedLine, before: Model, after: Model): Countable | undefined => {
  const { basis, subject } = line;
  const [name = "", part] = subject.split(".");
  const entity = before.entities.get(name);
  // A record does not exist before it is created.
  if (basis === null || part === "create" || entity === undefined || entity.rows !== null || !entity.served)
    return undefined;
  const reads: FieldRead[] = [];
  if (!basis.conditions.every((condition) => collectReads(condition, reads))) return undefined;
  const renamed = new Set(
    findRenamings(before, after).flatMap((renaming) =>
      renaming.of === "entity"
        ? [renaming.now, renaming.old]
        : [`${renaming.entity}.${renaming.field ?? renaming.now}`],
    ),
  );
  const isStored = (read: FieldRead): boolean => {
    const [one, other] = [before, after].map((model) => model.entities.get(read.entity)?.fields.get(read.field));
    if (read.field === "id") return before.entities.has(read.entity);
    return (
      one !== undefined &&
      other !== undefined &&
      one.ruleType.kind === other.ruleType.kind &&
      one.storage.as !== "inverse"
    );
  };
  const isKnown = (read: FieldRead): boolean =>
    !renamed.has(read.entity) && !renamed.has(`${read.entity}.${read.field}`) && isStored(read);
  if (renamed.has(name) || !reads.every(isKnown)) return undefined;
  return { entity, conditions: basis.conditions, reads };
};

/** Adds the fields that a condition reads. False if it reads the user or the context. */
const collectReads = (expr: Expr, reads: FieldRead[]): boolean => {
  if (expr.kind === "user" || expr.kind === "old" || expr.kind === "all") return false;
  if (expr.kind === "name" && expr.seedRecord === undefined) return false;
  if (expr.kind === "field") {
    if (expr.field.inverse !== undefined) return false;
    reads.push({ entity: expr.entity.name, field: expr.field.name, isOwn: expr.of.kind === "this" });
  }
  return subexpressions(expr).every((part) => collectReads(part, reads));
};

/** The name that a global role has in the live version; undefined for a new one and for one held on a record. */
export const roleBefore = (role: string, before: Model, after: Model): string | undefined => {
  const old =
    findRenamings(before, after).find((renaming) => renaming.of === "role" && renaming.now === role)?.old ?? role;
  return before.roles.has(old) && alignNames(before, after).roles.has(role) ? old : undefined;
};
