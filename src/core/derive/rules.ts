import type { Entity, ValidationRule } from "../model/model.ts";

/** The rules that are judged at a moment: `create`, `update` or a transition. `changed`: the fields that it may change. */
export const rulesAt = (entity: Entity, moment: string, changed: ReadonlySet<string>): readonly ValidationRule[] =>
  entity.rules.filter((rule) =>
    rule.during === null
      ? moment === "create" || rule.reads.some((field) => changed.has(field))
      : rule.during.includes(moment),
  );
