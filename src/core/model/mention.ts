import type { Span } from "../source-text.ts";

/** Where a clause names a field or a role of an entity: a column, what a transition asks for, who may make it. */
export interface Mention {
  readonly of: "field" | "role";
  readonly entity: string;
  readonly name: string;
  readonly span: Span;
}
