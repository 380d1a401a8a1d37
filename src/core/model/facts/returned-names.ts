import type { Clause } from "../clause.ts";
import type { Entity } from "../entity.ts";
import type { Field } from "../field.ts";
import type { Model, Renaming } from "../model.ts";
import type { NamedThing, Rename } from "../renaming.ts";

/**
 * Renamings that a version takes back: the document has a former name again and no longer the name that followed it. A
 * restored text has no `was` for that, so it is inferred from the earlier renamings, oldest first.
 */
export const findReturnedNames = (
  model: Model,
  before: Model,
  past: readonly Rename[] = before.renamings,
): readonly Renaming[] => {
  if (past.length === 0) return [];
  const found: Renaming[] = [];
  const place = { entity: null, field: null };
  found.push(
    ...returned("entity", place, { desired: model.entities, before: before.entities, past: at(past, "entity") }),
    ...returned("role", place, { desired: model.roles, before: before.roles, past: at(past, "role") }),
    ...returned("limit", place, { desired: model.limits.all, before: before.limits.all, past: at(past, "limit") }),
  );
  const renamings = [...model.renamings, ...found];
  for (const [name, entity] of model.entities) {
    const former = findFormer(renamings, "entity", null, name, before.entities);
    if (former === undefined) continue;
    const names = getNames(past, "entity", former.name);
    const within = (of: NamedThing) => past.filter((rename) => rename.of === of && names.has(rename.entity ?? ""));
    const place = { entity: name, field: null };
    const fields = returned("field", place, { desired: entity.fields, before: former.fields, past: within("field") });
    found.push(
      ...fields,
      ...returned("transition", place, {
        desired: entity.states?.transitions ?? none,
        before: former.states?.transitions ?? none,
        past: within("transition"),
      }),
      ...returned("record", place, { desired: entity.records, before: former.records, past: within("record") }),
    );
    for (const field of entity.fields.values()) {
      const formerField = findFormer([...renamings, ...fields], "field", name, field.name, former.fields);
      if (formerField === undefined) continue;
      const fieldNames = getNames(within("field"), "field", formerField.name);
      found.push(
        ...returned(
          "value",
          { entity: name, field: field.name },
          {
            desired: getValues(entity, field),
            before: getValues(former, formerField),
            past: within("value").filter((rename) => fieldNames.has(rename.field ?? "")),
          },
        ),
      );
    }
  }
  return found;
};

type Named = ReadonlyMap<string, { readonly clause: Clause | null }>;

const none: Named = new Map();

const at = (past: readonly Rename[], of: NamedThing) => past.filter((rename) => rename.of === of);

/** The values of a choice, or the states. */
const getValues = ({ states }: Entity, field: Field): Named =>
  states?.field === field.name
    ? new Map(states.states.map((state) => [state.name, state]))
    : new Map(field.values.map((value) => [value, field]));

/** All names that a part of the document has had. */
const getNames = (past: readonly Rename[], of: NamedThing, name: string): ReadonlySet<string> => {
  const names = new Set([name]);
  for (const rename of past.toReversed()) if (rename.of === of && names.has(rename.now)) names.add(rename.old);
  return names;
};

const findFormer = <T extends { readonly name: string }>(
  renamings: readonly Renaming[],
  of: NamedThing,
  entity: string | null,
  name: string,
  before: ReadonlyMap<string, T>,
): T | undefined => {
  const renaming = renamings.find(
    (renaming) => renaming.of === of && renaming.entity === entity && renaming.now === name && before.has(renaming.old),
  );
  return before.get(name) ?? (renaming === undefined ? undefined : before.get(renaming.old));
};

/** The names of one namespace that return. */
const returned = (
  of: NamedThing,
  { entity, field }: Pick<Rename, "entity" | "field">,
  { desired, before, past }: { readonly desired: Named; readonly before: Named; readonly past: readonly Rename[] },
): readonly Renaming[] =>
  [...desired].flatMap(([now, { clause }]): readonly Renaming[] => {
    if (clause === null || before.has(now)) return [];
    const old = past.reduce((name, rename) => (rename.old === name ? rename.now : name), now);
    // If the value was merged later, the former values of records still contain it.
    const exists = before.has(old) || of === "value";
    return old === now || desired.has(old) || !exists ? [] : [{ of, entity, field, old, now, clause }];
  });
