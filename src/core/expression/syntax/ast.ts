import type { Duration } from "../values/duration.ts";

/**
 * An untyped expression as written. Offsets count UTF-16 code units from its start. Unreadable text becomes an `error`
 * node, so that an editor can still use the rest.
 */
export type Syntax = TextRange &
  (
    | { readonly kind: "number"; readonly text: string }
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "boolean"; readonly value: boolean }
    | { readonly kind: "null" }
    | { readonly kind: "duration"; readonly duration: Duration }
    | { readonly kind: "name"; readonly name: string }
    /** `employee.manager`; the name is absent while the author is still typing it. */
    | { readonly kind: "member"; readonly of: Syntax; readonly name: Word | undefined }
    /** `year(day)`; for a method call such as `tags.count()`, the subject is the first argument. */
    | { readonly kind: "call"; readonly name: Word; readonly method: boolean; readonly args: readonly Syntax[] }
    | { readonly kind: "unary"; readonly sign: string; readonly operand: Syntax }
    | { readonly kind: "binary"; readonly sign: string; readonly left: Syntax; readonly right: Syntax }
    | { readonly kind: "choice"; readonly condition: Syntax; readonly then: Syntax; readonly otherwise: Syntax }
    | { readonly kind: "list"; readonly items: readonly Syntax[] }
    | { readonly kind: "error" }
  );

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A name and its position. */
export interface Word extends TextRange {
  readonly text: string;
}

export type FunctionCall = Syntax & { readonly kind: "call" };

/** The expression with another name for a variable. */
export const renameVariable = (syntax: Syntax, from: string, to: string): Syntax => {
  const inner = (part: Syntax): Syntax => renameVariable(part, from, to);
  switch (syntax.kind) {
    case "name":
      return syntax.name === from ? { ...syntax, name: to } : syntax;
    case "member":
      return { ...syntax, of: inner(syntax.of) };
    case "call":
      return { ...syntax, args: syntax.args.map(inner) };
    case "unary":
      return { ...syntax, operand: inner(syntax.operand) };
    case "binary":
      return { ...syntax, left: inner(syntax.left), right: inner(syntax.right) };
    case "choice":
      return {
        ...syntax,
        condition: inner(syntax.condition),
        // biome-ignore lint/suspicious/noThenProperty: the grammar's own word
        then: inner(syntax.then),
        otherwise: inner(syntax.otherwise),
      };
    case "list":
      return { ...syntax, items: syntax.items.map(inner) };
    default:
      return syntax;
  }
};

/** The direct subexpressions, in the order of the text. */
export const directChildren = (syntax: Syntax): readonly Syntax[] => {
  switch (syntax.kind) {
    case "member":
      return [syntax.of];
    case "call":
      return syntax.args;
    case "unary":
      return [syntax.operand];
    case "binary":
      return [syntax.left, syntax.right];
    case "choice":
      return [syntax.condition, syntax.then, syntax.otherwise];
    case "list":
      return syntax.items;
    default:
      return [];
  }
};

/** Nesting depth of an expression. Iterative, since it protects recursive code from deep input. */
export const nestingDepth = (syntax: Syntax): number => {
  let height = 0;
  for (let level: readonly Syntax[] = [syntax]; level.length > 0; level = level.flatMap(directChildren)) height++;
  return height;
};
