import type { Span } from "../source-text.ts";

/**
 * A place where a clause names something of an entity: a field as a column, an input of a transition, a role in a
 * permission, a shape in a payload. The name can be a part of the text there. A `role as text` is compared with the roles
 * of a person.
 */
export interface Mention {
  readonly of: "field" | "role" | "shape" | "entity" | "transition" | "error" | "role as text";
  /** Of a mentioned entity: itself. */
  readonly entity: string;
  readonly name: string;
  readonly span: Span;
  /**
   * Set where one word names a member and a field, as in `{ title }`: `key` for the mention of the member, `value` for
   * that of the field.
   */
  readonly standsFor?: "key" | "value";
}
