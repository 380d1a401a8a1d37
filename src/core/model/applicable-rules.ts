import type { Entity, Field, ValidationRule } from "./model.ts";

/** The rules checked on `create`, `update` or a transition. `changed`: the fields that the write may change. */
export const rulesAt = (entity: Entity, moment: string, changed: ReadonlySet<string>): readonly ValidationRule[] =>
  entity.rules.filter((rule) =>
    rule.during === null
      ? moment === "create" || rule.reads.some((field) => changed.has(field))
      : rule.during.includes(moment),
  );

/**
 * The fields whose `among` or conditional `required` is checked: those that the write changes, and those whose
 * condition reads a changed field. `changed` is null on creation.
 */
export const conditionedAt = (entity: Entity, changed: ReadonlySet<string> | null): readonly Field[] =>
  [...entity.fields.values()].filter(({ name, among, needed }) => {
    const reads = [...(among?.reads ?? []), ...(needed?.reads ?? []), name];
    return (among !== null || needed !== null) && (changed === null || reads.some((one) => changed.has(one)));
  });
