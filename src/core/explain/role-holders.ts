import { splitConjuncts } from "../expression/boolean-exprs.ts";
import type { Expr } from "../expression/expr.ts";
import type { Entity } from "../model/entity.ts";

/**
 * References to the persons who satisfy a condition: the borrower for `borrower == user`, the wardens for `user in
 * wardens`. For a disjunction, all persons if every operand names one. Otherwise none.
 */
export const findHolders = (condition: Expr): readonly Expr[] => {
  if (condition.kind !== "call") return [];
  const [a, b] = condition.args;
  if (a === undefined || b === undefined) return [];
  switch (condition.row) {
    case "same == same":
      return isUser(a) === isUser(b) ? [] : [isUser(a) ? b : a].filter(isAPerson);
    case "same in [same]":
      return isUser(a) && isAPerson(b) ? [b] : [];
    case "boolean && boolean":
      return splitConjuncts(condition).map(findHolders).find(isSome) ?? [];
    case "boolean || boolean": {
      const each = [findHolders(a), findHolders(b)];
      return each.every(isSome) ? each.flat() : [];
    }
    default:
      return [];
  }
};

/** The person excluded by a condition: the requester for `requester != user`. */
export const findExcludedPerson = (condition: Expr): Expr | undefined => {
  if (condition.kind !== "call" || condition.row !== "same != same") return undefined;
  const [a, b] = condition.args;
  if (a === undefined || b === undefined || isUser(a) === isUser(b)) return undefined;
  return isUser(a) ? b : a;
};

/** The states of a condition that tests nothing else: both for `status in [draft, sent]`. */
export const findStatesIn = ({ states }: Entity, condition: Expr): readonly string[] | undefined => {
  if (states === null || condition.kind !== "call") return undefined;
  const [a, b] = condition.args;
  if (a?.kind !== "field" || a.of.kind !== "this" || a.field.name !== states.field) return undefined;
  const compared = condition.row === "same == same" ? [b] : b?.kind === "list" ? b.items : [];
  if (condition.row !== "same == same" && condition.row !== "same in [same]") return undefined;
  const names = compared.flatMap((item) =>
    item?.kind === "constant" && item.value !== null ? [String(item.value)] : [],
  );
  return names.length === compared.length && names.length > 0 ? names : undefined;
};

const isUser = ({ kind }: Expr): boolean => kind === "user";
const isSome = (people: readonly Expr[]): boolean => people.length > 0;

/** True for a field that refers to people, and for the current record if it is an account. */
const isAPerson = ({ kind, type }: Expr): boolean => {
  const of = type.kind === "list" ? type.of : type;
  return (kind === "field" || kind === "this") && of.kind === "record" && of.entity === "User";
};
