import type { Named } from "../../document/shape.ts";
import { locate, type Scalar } from "../../document/tree.ts";
import { lex } from "../../expression/syntax/lex.ts";
import type { Span } from "../../source-text.ts";
import { composeExpression } from "../linking/build-tree.ts";

/** The variable for a record of `Deputy`, and the conditions on it. */
export const RECORD = "standing_in";
export const IN_FORCE = `${RECORD}.deputy == user && ${RECORD}.first_day <= today && today <= ${RECORD}.last_day`;
export const PERSON = `${RECORD}.person`;

/** The roles of a document, as far as deputies need them. */
export interface Expansion {
  readonly clause: Span;
  /** The roles that are handed over. */
  readonly delegated: ReadonlySet<string>;
  readonly isGlobal: (role: string) => boolean;
  /** The condition of a role on the records of an entity; undefined if the role belongs to another entity. */
  readonly conditionOf: (entity: string, role: string) => Scalar | undefined;
  /** The condition that the user holds the role themselves. */
  readonly isHeldByUser: (entity: string, role: string) => readonly (string | Scalar)[];
  readonly titleOf: (role: string, title: string | undefined) => string;
}

export const listNamed = <T>(syntax: readonly Named<T>[] | "none" | undefined): readonly Named<T>[] =>
  syntax === undefined || syntax === "none" ? [] : syntax;

/**
 * Rewrites an expression for the person whom a deputy represents, in place of `user`. The parts keep their positions in
 * the author's text.
 */
const forPerson = (scalar: Scalar): readonly (string | Scalar)[] => {
  const { tokens } = lex(scalar.text);
  const parts: (string | Scalar)[] = [];
  let at = 0;
  for (const [i, { kind, text, start, end }] of tokens.entries()) {
    if (kind !== "name" || text !== "user" || tokens[i - 1]?.text === ".") continue;
    parts.push(slice(scalar, at, start), PERSON);
    at = end;
  }
  parts.push(slice(scalar, at, scalar.text.length));
  return parts;
};

const slice = (scalar: Scalar, start: number, end: number): Scalar => ({
  ...scalar,
  text: scalar.text.slice(start, end),
  origin: (offset) => locate(scalar, start + offset),
});

const readsUser = (scalar: Scalar): boolean => forPerson(scalar).length > 1;

/** The condition that the person holds the role. */
export const holds = (entity: string, role: string, expansion: Expansion): readonly (string | Scalar)[] => {
  if (expansion.isGlobal(role)) return [`'${role}' in ${PERSON}.roles`];
  const condition = expansion.conditionOf(entity, role);
  // A role that a part inherits is checked by the inherited role itself.
  return condition === undefined ? ["true"] : ["(", ...forPerson(condition), ")"];
};

/** True if a person whom the user represents today meets all of these conditions. */
export const standsIn = (span: Span, ...conditions: readonly (readonly (string | Scalar)[])[]): Scalar =>
  composeExpression(
    span,
    `Deputy.exists(${RECORD}, ${IN_FORCE}`,
    ...conditions.flatMap((condition) => [" && ", ...condition]),
    ")",
  );

/** Conditions that mention the user must hold for the deputy and for the person. */
export const forBoth = (
  entity: string,
  role: string,
  when: Scalar | undefined,
  more: readonly Scalar[],
  expansion: Expansion,
): Scalar | undefined => {
  const personal = [...(when === undefined ? [] : [when]), ...more].filter(readsUser);
  if (personal.length === 0) return when;
  const both = standsIn(
    expansion.clause,
    holds(entity, role, expansion),
    ...personal.map((scalar) => ["(", ...forPerson(scalar), ")"]),
  );
  return when === undefined ? both : composeExpression(expansion.clause, "(", when, ") && ", both);
};
