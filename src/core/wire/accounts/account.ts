/** The signed-in user's own account: sessions and API tokens. */

import type { Count } from "../lists.ts";
import type { WhyNot } from "../records.ts";
import type { SignInAttemptJson } from "./sign-ins.ts";

/** `GET /_/account`: the user's own account. */
export interface OwnAccountJson {
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
  /** Roles on records that the person holds because other records name them. */
  readonly relations: readonly RoleRelationJson[];
  readonly password: boolean;
  /** True for a sample person, who gets no mails. */
  readonly sample: boolean;
  readonly open: readonly SessionJson[];
  /** Recent sign-ins and attempts, newest first. */
  readonly recent: readonly SignInAttemptJson[];
  /** Null if the document does not let this person create tokens. */
  readonly tokens: OwnTokensJson | null;
  /** The entities about which the person can be notified by mail; null if mail is not configured. */
  readonly mails: readonly string[] | null;
  /** The lists and overviews that are sent to the person on a schedule. */
  readonly reports: readonly ReportJson[];
  /** Why the document does not let the person change their name; null if it does. */
  readonly renameRefused: WhyNot | null;
  /** True if the document lets the person close the account. */
  readonly closes: boolean;
}

/** A list or an overview by its address, and when it is sent: days such as `working day` or `monday`, and a time. */
export interface ReportJson {
  readonly screen: string;
  readonly title: string;
  readonly days: string;
  readonly time: string;
}

/** A role, the field of an entity by which the person holds it, and the first of the records that name them there. */
export interface RoleRelationJson {
  readonly role: string;
  readonly entity: string;
  readonly field: string;
  readonly records: readonly string[];
  readonly count: Count;
}

export interface OwnTokensJson {
  readonly items: readonly TokenJson[];
  /** Maximum lifetime in days. */
  readonly longest: number;
  /** The header in which programs send a token. */
  readonly header: string;
  /** The word before a token in the header; null if the header contains only the token. */
  readonly scheme: string | null;
  /** The roles that a token may have. */
  readonly roles: readonly string[];
}

/** An open session. Its token is never shown again. */
export interface SessionJson {
  readonly id: string;
  readonly made_at: string;
  readonly expires_at: string;
  /** User agent and network address; empty if unknown. */
  readonly agent: string;
  readonly address: string;
  /** True for the session of this request. */
  readonly current: boolean;
  /**
   * Set if the session is an administrator's who views the application as this person: their name, shown to
   * administrators only.
   */
  readonly viewer?: string | null;
  /** The name of the person whose view this administrator is using at the moment. */
  readonly viewing?: string;
}

/** An API token. Its secret is shown once, on creation. */
export interface TokenJson {
  readonly id: string;
  readonly name: string;
  /** The person's roles that the token has, in addition to the permissions of every signed-in user. */
  readonly roles: readonly string[];
  /** True if the token may only read. */
  readonly reads: boolean;
  readonly made_at: string;
  readonly expires_at: string;
  /** To the minute; null if never used. */
  readonly used_at: string | null;
}

export interface TokenMadeJson {
  readonly token: string;
  readonly until: string;
}
