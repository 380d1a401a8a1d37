import type { Expr } from "../../expression/expr.ts";
import type { Model } from "../../model/model.ts";
import { DEPUTY } from "../../model/permissions.ts";
import { findUserKey, getOperands, type Key } from "./access-paths.ts";

/**
 * A relation by which people hold a role on records. With `department.head == user`, the role is that of the people in
 * the field `head` of departments.
 */
export interface RoleRelation {
  readonly title: string;
  readonly entity: string;
  readonly field: string;
}

/**
 * The relations by which people hold roles, each once. Fields that name the creator of their record, if only by
 * default, are left out: everyone who creates a record holds such a role. So are roles of deputies and of those
 * whom they represent, who are listed by the days on which they do.
 */
export const listRoleRelations = ({ entities }: Pick<Model, "entities">): readonly RoleRelation[] => {
  const relations = [...entities.values()]
    .filter(({ name }) => name !== DEPUTY)
    .flatMap(({ name, roles }) =>
      [...roles.values()]
        .filter(({ from, represented }) => from === null && represented === undefined)
        .flatMap(({ title, condition }) =>
          findAlternatives(condition).flatMap((key) => {
            const named = findNamingField(name, key);
            return named === undefined ? [] : [{ title, ...named }];
          }),
        ),
    );
  const namesCreator = ({ entity, field }: RoleRelation) => {
    const { set, default: preset } = entities.get(entity)?.fields.get(field) ?? {};
    return set?.kind === "user" || preset?.kind === "user";
  };
  const isFirst = (one: RoleRelation, at: number) =>
    relations.findIndex(
      ({ title, entity, field }) => title === one.title && entity === one.entity && field === one.field,
    ) === at;
  return relations.filter((relation, at) => !namesCreator(relation) && isFirst(relation, at));
};

/** The conditions that tie a record to the user, whatever else the role requires. */
const findAlternatives = (condition: Expr): readonly Key[] =>
  getOperands(condition, "boolean || boolean")
    .flatMap((alternative) => getOperands(alternative, "boolean && boolean"))
    .flatMap((tie) => findUserKey(tie) ?? [])
    .filter(({ to }) => to.kind === "user");

/** The field that names the user: the last one of the path from the record on which the role is held. */
const findNamingField = (on: string, { by, path }: Key): Omit<RoleRelation, "title"> | undefined => {
  const last = path.at(-1);
  if (last !== undefined) return { entity: last.entity.name, field: last.field.name };
  // The record is the user's own account.
  return by === "id" ? undefined : { entity: on, field: by };
};
