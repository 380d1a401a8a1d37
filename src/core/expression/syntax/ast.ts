import type { Duration } from "../values/duration.ts";

/**
 * An expression as it is written, before anything is known of its names. Offsets are UTF-16 code units from its start.
 * Where something could not be read there stands an `error`, so that the rest keeps its meaning for an editor.
 */
export type Syntax = Stretch &
  (
    | { readonly kind: "number"; readonly text: string }
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "boolean"; readonly value: boolean }
    | { readonly kind: "null" }
    | { readonly kind: "duration"; readonly duration: Duration }
    | { readonly kind: "name"; readonly name: string }
    /** `employee.manager`; the name is absent while it is being written. */
    | { readonly kind: "member"; readonly of: Syntax; readonly name: Word | undefined }
    /** `year(day)`; `tags.count()` has its subject as the first argument. */
    | { readonly kind: "call"; readonly name: Word; readonly method: boolean; readonly args: readonly Syntax[] }
    | { readonly kind: "unary"; readonly sign: string; readonly operand: Syntax }
    | { readonly kind: "binary"; readonly sign: string; readonly left: Syntax; readonly right: Syntax }
    | { readonly kind: "choice"; readonly condition: Syntax; readonly then: Syntax; readonly otherwise: Syntax }
    | { readonly kind: "list"; readonly items: readonly Syntax[] }
    | { readonly kind: "error" }
  );

export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** A name with its place. */
export interface Word extends Stretch {
  readonly text: string;
}

/** The expressions that an expression is made of, in the order they are written. */
export const childrenOf = (syntax: Syntax): readonly Syntax[] => {
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

/** How many expressions stand inside one another, at the most. Without recursion, for it guards what recurses. */
export const heightOf = (syntax: Syntax): number => {
  let height = 0;
  for (let level: readonly Syntax[] = [syntax]; level.length > 0; level = level.flatMap(childrenOf)) height++;
  return height;
};
