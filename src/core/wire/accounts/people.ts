/** Accounts as administrators see them, and invitation links. */

import type { FieldJson } from "../entities.ts";
import type { ReferenceJson } from "../records.ts";
import type { UnsentReason } from "../unsent.ts";
import type { SessionJson, TokenJson } from "./account.ts";

/** An account as administrators see it. */
export interface AccountJson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly active: boolean;
  readonly roles: readonly string[];
  readonly created_at: string;
  /** False for an invited person who has not set a password yet. */
  readonly password: boolean;
  /** Expiry of the link to set a password; null if there is none. */
  readonly link_until: string | null;
  /** The newest email with a valid link, if it is not sent: it waits, or why the last attempt failed; otherwise null. */
  readonly link_mail: "waiting" | UnsentReason | null;
  /** The invitation of somebody who could not sign in so far: its link is valid, or has expired; null for anybody else. */
  readonly invitation: "open" | "expired" | null;
  /** Number of open sessions. */
  readonly sessions: number;
  /** True for a sample person. */
  readonly sample: boolean;
}

/** The result of `POST /_/samples/remove`, for administrators. */
export interface SamplesRemovedJson {
  readonly removed: number;
  /** Sample people and records that stay because other records refer to them. */
  readonly retained: number;
}

/** `GET /_/people`, for administrators, sorted by name. */
export interface PeopleJson {
  readonly items: readonly AccountJson[];
  /** Pass as `after` to get the next page; null on the last. */
  readonly next: string | null;
  /** The roles that can be granted, in document order, `administrator` last. */
  readonly roles: readonly string[];
  /** The fields required for a new person: name, email address, and what else the document needs. */
  readonly fields: readonly FieldJson[];
  /** The number of sample people beside the caller. */
  readonly samples: number;
  /** True if links for new people are mailed. */
  readonly mails: boolean;
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
  | "ask_for"
  | "export_retired"
  | "delete_retired"
  | "remove_samples";

/** A change of an account. Lists are sorted newest first. */
export interface AccountLine {
  readonly at: string;
  /** The user who made it; null for the program. */
  readonly person: ReferenceJson | null;
  readonly action: AccountAct;
  readonly clause: string;
  /** Roles granted and revoked. */
  readonly granted: readonly string[];
  readonly taken: readonly string[];
  /** Name of the token that was created or deleted. */
  readonly token?: string;
  /** Name of the retired data that was exported or deleted. */
  readonly retired?: string;
  /** Number of sample people and records that were removed. */
  readonly removed?: number;
}

/** A new link. It is shown once: the database stores only its hash. */
export interface LinkJson {
  readonly id: string;
  /** Relative to the site's root: `/sign-in#password=…`. */
  readonly link: string;
  readonly until: string;
  /** The address to which it was mailed; absent if mail is not configured. */
  readonly mailed?: string;
}

/** A pending registration; for administrators. */
export interface RegistrationJson {
  readonly id: string;
  readonly email: string;
  readonly made_at: string;
  readonly until: string;
}

/** The registration that a link completes, and the remaining required fields. */
export interface RegisteringJson {
  readonly email: string;
  readonly fields: readonly FieldJson[];
}

/** The person whose password a link sets. */
export interface LinkOwnerJson {
  readonly name: string;
  readonly email: string;
  /** True if the name is only a guess from the address, which they can correct together with the password. */
  readonly asksName: boolean;
}

/** `GET /_/pictures?of=ID,ID`: the pictures of these people, where readable and small enough to load quickly. */
export interface PicturesJson {
  readonly items: readonly {
    readonly id: string;
    /** File id of the picture. */
    readonly file: string;
  }[];
}
