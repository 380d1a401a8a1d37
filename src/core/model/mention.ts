import type { Span } from "../source-text.ts";

/** A place where a clause names a field or role of an entity: a column, an input of a transition, a permission. */
export interface Mention {
  readonly of: "field" | "role";
  readonly entity: string;
  readonly name: string;
  readonly span: Span;
}
