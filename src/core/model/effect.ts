import type { Template } from "../expression/compile/template.ts";
import type { Expr } from "../expression/expr.ts";
import type { Clause } from "./clause.ts";

/**
 * An effect of a write, carried out with the document's authority: `for` each element of lists, `when` a condition
 * holds. Expressions read the written record as it is and (`old`) as it was, and the elements by name. The `message` of a
 * notification is its text as in the document, by which it is translated.
 */
export type Effect = {
  readonly clause: Clause;
  readonly each: readonly { readonly name: string; readonly list: Expr }[];
  readonly when: Expr | null;
} & (
  | {
      readonly kind: "notify";
      readonly to: Expr;
      readonly text: Template;
      readonly message: string;
      /** The name of the letter about the record that is attached to mails (`letterName`); null without one. */
      readonly attaches: string | null;
    }
  | { readonly kind: "call"; readonly call: string; readonly sends: ReadonlyMap<string, Expr> }
  | { readonly kind: "chat"; readonly call: string; readonly text: Template; readonly message: string }
  | { readonly kind: "create"; readonly entity: string; readonly set: ReadonlyMap<string, Expr> }
  /** Creates a record, or updates the one with the same values in the fields of `key`. */
  | {
      readonly kind: "put";
      readonly entity: string;
      readonly key: readonly string[];
      readonly set: ReadonlyMap<string, Expr>;
    }
  /** In `set`, `it` is the record to update. */
  | { readonly kind: "update"; readonly entity: string; readonly of: Expr; readonly set: ReadonlyMap<string, Expr> }
  | { readonly kind: "delete"; readonly entity: string; readonly of: Expr }
  /** Makes a transition of the records of `of`, or of the record itself if `of` is `null`. */
  | {
      readonly kind: "make";
      readonly entity: string;
      readonly transition: string;
      readonly of: Expr | null;
      readonly set: ReadonlyMap<string, Expr>;
    }
);

/** A call to another program. Address and secret are names of environment variables. */
export interface Outgoing {
  readonly name: string;
  readonly clause: Clause;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly address: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly retries: number;
  readonly secret: string | null;
  /** Set for a channel of a chat, whose messages are texts. */
  readonly chat: Chat | null;
}

/** A channel of a chat. Nobody here knows its members, so its messages contain only what each of `readers` can read. */
export interface Chat {
  readonly service: "slack" | "teams";
  /** A global role; `null` stands for people who are not signed in. */
  readonly readers: string | null;
}

/** A condition on the record as it is before a transition, with the error if it does not hold. */
export interface Precondition {
  readonly clause: Clause;
  readonly holds: Expr;
  readonly error: string;
  /** The message, evaluated on the record before the transition. */
  readonly message: Template;
}

/** A letter about a record, as it waits in a mail until that is sent. */
export interface MailedLetter {
  /** The address of the letter. */
  readonly screen: string;
  readonly record: string;
  readonly language: string;
}

/** A message to a channel, as it waits in the outbox. */
export interface ChatMessage {
  readonly text: string;
  /** The words about further parts of the record that the same write concerns. */
  readonly more?: readonly string[];
  /** The address of the record without its origin; null if the record was deleted. */
  readonly path: string | null;
  /** The title of the link, in the language of the document. */
  readonly open: string;
}
