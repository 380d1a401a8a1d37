import { grantsFor, type Principal } from "../../core/derive/authorization/grants.ts";
import type { Model } from "../../core/model/model.ts";

/** The entities about whose records a person can get notifications and read them. */
export const mailedEntities = (model: Model, person: Principal): readonly string[] =>
  [...model.entities.values()]
    .filter(
      (entity) =>
        [...entity.after.values()].flat().some(({ kind }) => kind === "notify") &&
        grantsFor(model, entity, "read", person).length > 0,
    )
    .map(({ name }) => name);
