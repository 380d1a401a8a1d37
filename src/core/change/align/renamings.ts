import { findReturnedNames } from "../../model/facts/returned-names.ts";
import type { Model, Renaming } from "../../model/model.ts";

/** The renamings that the later version declares and whose former names the earlier one has. */
export const findRenamings = (before: Model, after: Model): readonly Renaming[] => {
  const renamings = [...after.renamings, ...findReturnedNames(after, before)];
  const filter = (some: readonly Renaming[]): readonly Renaming[] =>
    some.filter((renaming) => isEffective(renaming, before, { ...after, renamings: some }));
  // Fields are looked up in an entity under its former name, which is known when the renamings of entities are.
  return filter(filter(renamings));
};

/**
 * True if the earlier model has the old name. Records and values move to another entity or field only if it is new: one
 * that exists has its own, so the former one is removed.
 */
const isEffective = ({ of, entity, field, old, now }: Renaming, before: Model, after: Model): boolean => {
  const former = entity === null ? undefined : before.entities.get(formerEntity(entity, before, after));
  switch (of) {
    case "entity":
      return before.entities.has(old) && !before.entities.has(now);
    case "role":
      return before.roles.has(old);
    case "limit":
      return before.limits.all.has(old);
    case "field":
      return former?.fields.has(old) === true && !former.fields.has(now);
    case "transition":
      return former?.states?.transitions.has(old) === true;
    case "record":
      return former?.records.has(old) === true;
    case "value": {
      if (former === undefined || field === null || entity === null) return false;
      const name = formerField(entity, field, before, after);
      const isState = former.states?.field === name && former.states.states.some((state) => state.name === old);
      return isState || former.fields.get(name)?.values.includes(old) === true;
    }
  }
};

const formerEntity = (entity: string, before: Model, after: Model): string => {
  const renaming = after.renamings.find((renaming) => renaming.of === "entity" && renaming.now === entity);
  return renaming !== undefined && before.entities.has(renaming.old) ? renaming.old : entity;
};

const formerField = (entity: string, field: string, before: Model, after: Model): string => {
  const renaming = after.renamings.find(
    (renaming) => renaming.of === "field" && renaming.entity === entity && renaming.now === field,
  );
  const fields = before.entities.get(formerEntity(entity, before, after))?.fields;
  return renaming !== undefined && fields?.has(renaming.old) === true ? renaming.old : field;
};
