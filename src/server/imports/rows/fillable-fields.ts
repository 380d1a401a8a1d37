import {
  grantsFor,
  type Principal,
  transitionGrantsFor,
  writableFields,
} from "../../../core/derive/authorization/grants.ts";
import { importableFields } from "../../../core/import/map-columns.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import type { ImportSettings } from "../../../core/wire/imports.ts";
import type { StoredImport } from "../import-store.ts";

/** The fields that a person can write on some record without a transition. */
export const fieldsWithoutTransition = (model: Model, entity: Entity, principal: Principal): ReadonlySet<string> =>
  new Set(
    (["create", "update"] as const).flatMap((action) => [
      ...writableFields(entity, grantsFor(model, entity, action, principal)),
    ]),
  );

/** The state, and the fields that the transitions of a person ask for. */
const fieldsOfTransitions = (model: Model, entity: Entity, principal: Principal): readonly string[] =>
  entity.states === null
    ? []
    : [
        entity.states.field,
        ...[...entity.states.transitions.values()].flatMap((transition) =>
          transitionGrantsFor(model, entity, transition, principal).length > 0 ? transition.asks : [],
        ),
      ];

/** The fields that a person can write on some record, and that a column of an import can fill. Its parent is no column. */
export const fillableFields = (
  model: Model,
  entity: Entity,
  principal: Principal,
  { files, settings }: Pick<StoredImport, "files"> & { readonly settings: Pick<ImportSettings, "parent"> },
): readonly Field[] => {
  const writable = new Set([
    ...fieldsWithoutTransition(model, entity, principal),
    ...fieldsOfTransitions(model, entity, principal),
  ]);
  return importableFields(entity, writable, files !== null).filter(({ name }) => name !== settings.parent?.field);
};
