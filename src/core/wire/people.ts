/** Accounts, as administrators see them, and the links by which people come. */

import type { SessionJson, TokenJson } from "./account.ts";
import type { FieldJson } from "./entities.ts";
import type { ReferenceJson } from "./records.ts";

/** Somebody's account, as administrators see it. */
export interface AccountJson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly active: boolean;
  readonly roles: readonly string[];
  readonly created_at: string;
  /** Whether they have a password; who was invited has none yet. */
  readonly password: boolean;
  /** Until when the link holds by which they set one; null where there is none. */
  readonly link_until: string | null;
  /** How many sessions of theirs are open. */
  readonly sessions: number;
}

/** `GET /_/people`, for administrators, by name. */
export interface PeopleJson {
  readonly items: readonly AccountJson[];
  /** Hand back as `after` for the next page; null at the end. */
  readonly next: string | null;
  /** The roles that can be granted, in document order, `administrator` last. */
  readonly roles: readonly string[];
  /** What has to be said of a new person: name, email address, and what else the document needs. */
  readonly fields: readonly FieldJson[];
}

/** `GET /_/people/:id`, for administrators. */
export interface PersonAccountJson extends AccountJson {
  readonly open: readonly SessionJson[];
  readonly tokens: readonly TokenJson[];
  readonly history: readonly AccountLine[];
  /** As in `PeopleJson.roles`. */
  readonly grantable: readonly string[];
}

export type AccountAct =
  | "create"
  | "activate"
  | "deactivate"
  | "grant"
  | "take"
  | "password_link"
  | "set_password"
  | "end_sessions"
  | "make_token"
  | "end_token"
  | "link_provider"
  | "look_as"
  | "ask_for";

/** What was done to an account, newest first. */
export interface AccountLine {
  readonly at: string;
  /** Who did it; null where the program did. */
  readonly person: ReferenceJson | null;
  readonly action: AccountAct;
  readonly clause: string;
  /** The roles that came and went. */
  readonly granted: readonly string[];
  readonly taken: readonly string[];
  /** The name of the token that came or went. */
  readonly token?: string;
}

/** A link that was made just now. It is told once: the database keeps only its hash. */
export interface LinkJson {
  readonly id: string;
  /** From the site's root: `/sign-in#password=…`. */
  readonly link: string;
  readonly until: string;
  /** The address to which it was sent as well; absent where no mails are sent. */
  readonly mailed?: string;
}

/** Somebody who asked for an account and has not come yet; for administrators. */
export interface RegistrationJson {
  readonly id: string;
  readonly email: string;
  readonly made_at: string;
  readonly until: string;
}

/** Whose registration a link completes, and what else is to be said of a new person. */
export interface RegisteringJson {
  readonly email: string;
  readonly fields: readonly FieldJson[];
}

/** Whose password a link sets. */
export interface LinkOwnerJson {
  readonly name: string;
  readonly email: string;
}

/** `GET /_/pictures?of=ID,ID`: the picture of each of these people that has one which may be read, and comes quickly enough to stand beside a name. */
export interface PicturesJson {
  readonly items: readonly {
    readonly id: string;
    /** The file of the person's record. */
    readonly file: string;
  }[];
}
