import {
  grantsFor,
  isGenerated,
  type Principal,
  readableFieldsFor,
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

/**
 * The fields that only identify a record: no two records share a value, and the person can read them and not write them,
 * such as the number of a request. A column of them has no effect unless rows are matched by it.
 */
export const findMatchOnlyFields = (model: Model, entity: Entity, principal: Principal): ReadonlySet<string> => {
  const readable = readableFieldsFor(model, entity.name, principal);
  const writable = writableNames(model, entity, principal);
  return new Set(
    [...entity.fields.values()]
      .filter((field) => (field.unique || isGenerated(field)) && readable.has(field.name) && !writable.has(field.name))
      .map(({ name }) => name),
  );
};

const writableNames = (model: Model, entity: Entity, principal: Principal): ReadonlySet<string> =>
  new Set([...fieldsWithoutTransition(model, entity, principal), ...fieldsOfTransitions(model, entity, principal)]);

/** The fields that columns of an import can have, and those of them that only identify a record. */
export interface ImportFields {
  readonly fields: readonly Field[];
  readonly matchOnly: ReadonlySet<string>;
}

/**
 * The fields that a column of an import can fill, because the person can write them on some record, and those that can
 * identify a record. Its parent is no column.
 */
export const findImportFields = (
  model: Model,
  entity: Entity,
  principal: Principal,
  { files, settings }: Pick<StoredImport, "files"> & { readonly settings: Pick<ImportSettings, "parent"> },
): ImportFields => {
  const matchOnly = findMatchOnlyFields(model, entity, principal);
  const usable = new Set([...writableNames(model, entity, principal), ...matchOnly]);
  const fields = importableFields(entity, usable, files !== null);
  return { fields: fields.filter(({ name }) => name !== settings.parent?.field), matchOnly };
};
