import { seesScreen } from "../derive/authorization/grants.ts";
import type { Expr } from "../expression/expr.ts";
import { finding } from "../findings.ts";
import { findLetter } from "../model/facts/letter-name.ts";
import type { Analyzer } from "./analyzer.ts";

/** Finds notifications to all people of a role, with a letter that this role cannot see. */
export const findUnreadableLetters: Analyzer = ({ model, people, unsettled }) =>
  [...model.entities.values()].flatMap((entity) =>
    [...entity.after.values()].flat().flatMap((effect) => {
      if (effect.kind !== "notify" || effect.attaches === null || unsettled(`6.${entity.name}.read`)) return [];
      const letter = findLetter(model, entity.name, effect.attaches);
      if (letter === undefined) return [];
      return recipientRoles(effect.to).flatMap((role) => {
        const holder = people.holderOf(entity, role);
        const reads = people.grantsOf(entity, "read", holder).length > 0;
        if (reads && seesScreen(model, letter, holder)) return [];
        return finding(
          "NOBODY_READS",
          effect.clause.span,
          `The letter ${letter.path} is attached for ${role}, but ${role} ${reads ? "does not see it" : `can’t read any ${entity.name}`}.`,
          reads ? `Add ${role} to “for” of the letter, or remove “attach:”.` : "Remove “attach:”.",
          { clause: effect.clause.id },
        );
      });
    }),
  );

/** The roles of recipients who are chosen by role alone: `User.filter(u, 'clerk' in u.roles || 'chief' in u.roles)`. */
const recipientRoles = (to: Expr): readonly string[] =>
  to.kind === "each" && to.row === "filter" && to.list.kind === "all" ? (rolesIn(to.body) ?? []) : [];

const rolesIn = (condition: Expr): readonly string[] | undefined => {
  if (condition.kind !== "call") return undefined;
  const [first, second] = condition.args;
  if (first === undefined || second === undefined) return undefined;
  if (condition.row === "boolean || boolean") {
    const [some, more] = [rolesIn(first), rolesIn(second)];
    return some === undefined || more === undefined ? undefined : [...some, ...more];
  }
  const isRole = condition.row === "same in [same]" && second.kind === "field" && second.field.name === "roles";
  return isRole && first.kind === "constant" && typeof first.value === "string" ? [first.value] : undefined;
};
