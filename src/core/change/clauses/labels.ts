import { quoted, say } from "../../i18n/message.ts";
import type { Clause } from "../../model/clause.ts";
import { toValueTitle } from "../../model/inflection.ts";
import type { Model, Renaming } from "../../model/model.ts";
import { findRenamings } from "../align/renamings.ts";
import { type ComparedLine, createLine } from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";

/**
 * Lines about labels that changed with a name. Programs see a name; people see the label that follows from it, unless a
 * `title` keeps the former one.
 */
export const compareLabels = (comparison: Comparison): readonly ComparedLine[] => {
  const { former, after } = comparison;
  const renamings = findRenamings(former, after);
  return renamings.flatMap((renaming) => labelLine(comparison, renaming, renamings) ?? []);
};

interface Labelled {
  readonly title: string;
  readonly clause: Clause | null;
}

/** The former name of an entity or a field, if it was renamed too. */
const findFormer = (renamings: readonly Renaming[], of: Renaming["of"], now: string, entity: string | null): string =>
  renamings.find((renaming) => renaming.of === of && renaming.now === now && renaming.entity === entity)?.old ?? now;

const labelLine = (
  { former, after, words }: Comparison,
  { of, entity: entityName, field: fieldName, old, now }: Renaming,
  renamings: readonly Renaming[],
): ComparedLine | undefined => {
  const findIn = (model: Model, name: string | null) => (name === null ? undefined : model.entities.get(name));
  const entity = findIn(after, entityName);
  const was = findIn(former, entityName === null ? null : findFormer(renamings, "entity", entityName, null));
  const isOther = (one: { readonly title: string }, other: { readonly title: string }) => one.title !== other.title;
  switch (of) {
    case "entity": {
      const [one, other] = [former.entities.get(old), after.entities.get(now)];
      if (one === undefined || other === undefined || one.called.one === other.called.one) return undefined;
      const [name, before] = [quoted(other.called.one), quoted(one.called.one)];
      return createLine(
        { point: 3, subject: now, effect: "changes", message: say("entity.was.called", { name, before }) },
        { before: one, after: other },
      );
    }
    case "role": {
      const [one, other] = [former.roles.get(old), after.roles.get(now)];
      if (one === undefined || other === undefined || !isOther(one, other)) return undefined;
      const message = say("role.was.called", { title: quoted(other.title), before: quoted(one.title) });
      return createLine({ point: 6, subject: now, effect: "changes", message }, { before: one, after: other });
    }
    case "field": {
      const [one, other] = [was?.fields.get(old), entity?.fields.get(now)];
      if (entity === undefined || one === undefined || other === undefined || !isOther(one, other)) return undefined;
      const many = words.many(entity);
      const message = say("field.was.called", { field: words.field(entity, now), many, before: quoted(one.title) });
      return createLine(
        { point: 3, subject: `${entity.name}.${now}`, effect: "changes", message },
        { before: one, after: other },
      );
    }
    case "transition": {
      const [one, other] = [was?.states?.transitions.get(old), entity?.states?.transitions.get(now)];
      if (entity === undefined || one === undefined || other === undefined || !isOther(one, other)) return undefined;
      const many = words.many(entity);
      const message = say("transition.was.called", {
        transition: quoted(other.title),
        many,
        before: quoted(one.title),
      });
      return createLine(
        { point: 4, subject: `${entity.name}.${now}`, effect: "changes", message },
        { before: one, after: other },
      );
    }
    case "value": {
      const field = entity?.fields.get(fieldName ?? "");
      const before = was?.fields.get(findFormer(renamings, "field", fieldName ?? "", entityName));
      if (entity === undefined || field === undefined || before === undefined) return undefined;
      const isState = entity.states?.field === field.name;
      const find = (states: typeof entity.states, name: string) => states?.states.find((state) => state.name === name);
      // Values that are merged into one appear as removed.
      if (
        renamings.filter(
          (renaming) => renaming.entity === entityName && renaming.field === fieldName && renaming.now === now,
        ).length > 1
      )
        return undefined;
      // A value that took over the records of another one existed before.
      if (isState ? find(was?.states ?? null, now) !== undefined : before.values.includes(now)) return undefined;
      const [one, other]: readonly (Labelled | undefined)[] = isState
        ? [find(was?.states ?? null, old), find(entity.states, now)]
        : [
            { title: toValueTitle(old), clause: before.clause },
            { title: toValueTitle(now), clause: field.clause },
          ];
      if (one === undefined || other === undefined || !isOther(one, other)) return undefined;
      const message = say("transition.was.called", {
        transition: quoted(other.title),
        many: words.many(entity),
        before: quoted(one.title),
      });
      return createLine(
        { point: isState ? 4 : 3, subject: `${entity.name}.${now}`, effect: "changes", message },
        { before: one, after: other },
      );
    }
    default:
      return undefined;
  }
};
