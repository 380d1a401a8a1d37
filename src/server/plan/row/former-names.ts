import { changeRights } from "../../../core/derive/authorization/change-rights.ts";
import type { Principal } from "../../../core/derive/authorization/grants.ts";
import type { QueryProblem } from "../../../core/i18n/catalogue.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { toPathName } from "../../../core/model/inflection.ts";
import type { Model } from "../../../core/model/model.ts";
import {
  namesOfEntity,
  type Past,
  type RetiredName,
  renamedFields,
  renamedTransitions,
  renamedValues,
} from "../../../core/model/renaming.ts";
import type { Relocation } from "../../refusal.ts";
import type { PlanContext } from "../context.ts";
import type { ColumnMask } from "./read-scope.ts";

/** The current name of a field requested by a former name, if the caller can know the field. */
export const currentFieldName = (
  past: Past,
  entity: Entity,
  name: string,
  isKnown: (name: string) => boolean,
): string | undefined => {
  const now =
    past.length === 0 ? undefined : renamedFields(past, entity.name, (item) => entity.fields.has(item)).get(name);
  return now !== undefined && isKnown(now) ? now : undefined;
};

/** Like `currentFieldName`, limited to readable fields. */
export const readableFieldName = (past: Past, { entity, fields }: ColumnMask, name: string): string | undefined =>
  currentFieldName(past, entity, name, (now) => fields.some((field) => field.name === now));

type Named = "FILTER" | "SORT" | "VALUE";

/** A problem with a name. Adds the current name if there is one. */
export const renamedText = (
  problem: Named,
  word: string,
  now: string | undefined,
): readonly [problem: QueryProblem, values: { readonly word: string; readonly now?: string }] =>
  now === undefined ? [problem, { word }] : [`${problem}_NOW`, { word, now }];

/** The current name of a renamed value of a choice or a state. */
export const currentValueName = (past: Past, entity: Entity, field: string, value: string): string | undefined =>
  past.length === 0
    ? undefined
    : renamedValues(past, entity.name, field, (item) => entity.fields.get(field)?.values.includes(item) === true).get(
        value,
      );

/** The current address for one that contains a former name of an entity or transition. */
export const currentAddress = (
  model: Model,
  past: Past,
  address: string,
): { readonly entity: Entity; readonly address: string } | undefined => {
  if (past.length === 0) return undefined;
  const [path, id, transition, ...more] = /^\/api\/(.+)$/u.exec(address)?.[1]?.split("/") ?? [];
  if (path === undefined || more.length > 0) return undefined;
  const entity = [...model.entities.values()].find(
    (candidate) =>
      candidate.served &&
      namesOfEntity(past, candidate.name).some((name, i) => (i === 0 ? candidate.path : toPathName(name)) === path),
  );
  if (entity === undefined) return undefined;
  const transitions = entity.states?.transitions;
  const now =
    transition === undefined
      ? undefined
      : (renamedTransitions(past, entity.name, (item) => transitions?.has(item) === true).get(transition) ??
        transition);
  const moved = ["/api", entity.path, ...(id === undefined ? [] : [id]), ...(now === undefined ? [] : [now])].join("/");
  return moved === address ? undefined : { entity, address: moved };
};

/** Finds the version that removed a field or an entity, for people who can read the whole document. */
const findRetired = (
  { model, retired = [] }: Pick<PlanContext, "model" | "retired">,
  principal: Principal,
  is: (retiredName: RetiredName) => boolean,
): Extract<Relocation, { says: "removedBy" }> | undefined => {
  const retiredName = retired.findLast(is);
  return retiredName === undefined || !changeRights(model, principal).read
    ? undefined
    : { says: "removedBy", name: retiredName.field ?? retiredName.entity, version: String(retiredName.version) };
};

/** Says which version removed a field of an entity. */
export const retiredFields =
  (context: Pick<PlanContext, "model" | "retired">, { name: of }: Entity, principal: Principal) =>
  (name: string): Relocation | undefined =>
    findRetired(context, principal, ({ entity, field }) => entity === of && field === name);

/** The removed entity of an address below the API. */
export const retiredAddress = (
  context: Pick<PlanContext, "model" | "retired">,
  principal: Principal,
  address: string,
): Extract<Relocation, { says: "removedBy" }> | undefined => {
  const [path] = /^\/api\/(.+)$/u.exec(address)?.[1]?.split("/") ?? [];
  return path === undefined
    ? undefined
    : findRetired(context, principal, ({ entity, field }) => field === undefined && toPathName(entity) === path);
};
