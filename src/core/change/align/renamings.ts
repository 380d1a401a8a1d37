import { findReturnedNames } from "../../model/facts/returned-names.ts";
import type { Model, Renaming } from "../../model/model.ts";

/** The renamings that the later version declares and whose former names the earlier one has. */
export const findRenamings = (before: Model, after: Model): readonly Renaming[] => {
  const renamings = [...after.renamings, ...findReturnedNames(after, before)];
  return renamings.filter((renaming) => isEffective(renaming, before, { ...after, renamings }));
};

/** True if the earlier model has the old name. */
const isEffective = ({ of, entity, field, old }: Renaming, before: Model, after: Model): boolean => {
  const former = entity === null ? undefined : before.entities.get(formerEntity(entity, before, after));
  switch (of) {
    case "entity":
      return before.entities.has(old);
    case "role":
      return before.roles.has(old);
    case "limit":
      return before.limits.all.has(old);
    case "field":
      return former?.fields.has(old) === true;
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
