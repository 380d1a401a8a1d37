import type { Entity, Field, ValidationRule } from "./model.ts";

/** The rules that are judged at a moment: `create`, `update` or a transition. `changed`: the fields that it may change. */
export const rulesAt = (entity: Entity, moment: string, changed: ReadonlySet<string>): readonly ValidationRule[] =>
  entity.rules.filter((rule) =>
    rule.during === null
      ? moment === "create" || rule.reads.some((field) => changed.has(field))
      : rule.during.includes(moment),
  );

/**
 * The fields of which `among` or `required` is judged at a moment: those that it changes, and those whose condition reads
 * what it changes. `changed` is null where a record is made.
 */
export const conditionedAt = (entity: Entity, changed: ReadonlySet<string> | null): readonly Field[] =>
  [...entity.fields.values()].filter(({ name, among, needed }) => {
    const reads = [...(among?.reads ?? []), ...(needed?.reads ?? []), name];
    return (among !== null || needed !== null) && (changed === null || reads.some((one) => changed.has(one)));
  });
