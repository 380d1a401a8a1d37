import type { Model } from "../../model/model.ts";
import { createNames, mapEntries, mapValues, type Names, renameTitle } from "./names.ts";
import { renameCall, renameGives, renameShapeName } from "./rename-call.ts";
import { renameEntity } from "./rename-entity.ts";
import { renameExpr, renameType } from "./rename-expr.ts";
import { renameScreen } from "./rename-screen.ts";
import { findRenamings } from "./renamings.ts";

/**
 * Gives the earlier model the names of the later one, so that a renamed element is recognised in both. Clauses keep
 * their ids of the earlier document. If no renaming applies, the model is returned unchanged.
 */
export const alignNames = (before: Model, after: Model): Model => {
  const renamings = findRenamings(before, after);
  return renamings.length === 0 ? before : renameModel(before, createNames(before, after, renamings));
};

const renameModel = (model: Model, names: Names): Model => {
  const roles = (list: readonly string[]): readonly string[] => list.map(names.role);
  return {
    ...model,
    entities: mapEntries(model.entities, names.entity, (entity) => renameEntity(entity, names)),
    roles: mapEntries(model.roles, names.role, (role, old) => {
      const name = names.role(old);
      const represented = role.represented === undefined ? {} : { represented: renameExpr(role.represented, names) };
      return {
        ...role,
        ...represented,
        name,
        title: renameTitle(role.title, old, name, names.later.roles.get(name)?.title),
      };
    }),
    translations: mapValues(model.translations, (texts, language) => {
      const later = names.later.translations.get(language);
      const renameText = (text: string): string => (later?.has(text) === true ? text : names.title(names.text(text)));
      return mapEntries(texts, renameText, (translation) => ({ ...translation, text: names.text(translation.text) }));
    }),
    deputies:
      model.deputies === null
        ? null
        : { ...model.deputies, roles: new Set([...model.deputies.roles].map((role) => names.role(role))) },
    approval: { ...model.approval, propose: roles(model.approval.propose), approve: roles(model.approval.approve) },
    screens: model.screens.map((screen) => renameScreen(screen, names, model.entities)),
    signIn: {
      ...model.signIn,
      by: model.signIn.by === null ? null : names.field("User", model.signIn.by),
      signUp:
        model.signIn.signUp === null
          ? null
          : {
              ...model.signIn.signUp,
              roles: roles(model.signIn.signUp.roles),
              asks: model.signIn.signUp.asks.map((field) => names.field("User", field)),
            },
    },
    calls: model.calls.map((call) => renameCall(call, names)),
    callSettings: {
      ...model.callSettings,
      token:
        model.callSettings.token === null
          ? null
          : { ...model.callSettings.token, by: roles(model.callSettings.token.by) },
    },
    shapes: mapEntries(
      model.shapes,
      (shape) => renameShapeName(shape, names),
      (gives) => renameGives(gives, names),
    ),
    errors: mapEntries(
      model.errors,
      (code) => renameErrorKey(code, model, names),
      (entry) => ({
        ...entry,
        code: renameErrorKey(entry.code, model, names),
        message: names.text(entry.message),
        at: entry.at === null ? null : names.text(`{${entry.at}}`).slice(1, -1),
      }),
    ),
    limits: {
      ...model.limits,
      all: mapEntries(model.limits.all, names.limit, (limit, old) => ({
        ...limit,
        name: names.limit(old),
        type: renameType(limit.type, names),
      })),
    },
  };
};

/** `Loan.due_day.TAKEN` */
const renameErrorKey = (code: string, { entities }: Model, names: Names): string => {
  const [entity = "", ...rest] = code.split(".");
  if (!entities.has(entity)) return code;
  const [field, last] = rest.length === 2 ? rest : [undefined, rest[0]];
  return [names.entity(entity), ...(field === undefined ? [] : [names.field(entity, field)]), last ?? ""].join(".");
};
