/** One's own account: sessions that are open, and tokens for one's programs. */

import type { SignInJson } from "./sign-ins.ts";

/** `GET /_/account`: one's own. */
export interface OwnAccountJson {
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
  readonly password: boolean;
  readonly open: readonly SessionJson[];
  /** The newest sign-ins and attempts to sign in. */
  readonly recent: readonly SignInJson[];
  /** Null where the document lets this person make none. */
  readonly tokens: OwnTokensJson | null;
}

export interface OwnTokensJson {
  readonly items: readonly TokenJson[];
  /** How many days one may hold. */
  readonly longest: number;
  /** The word before a token in the header Authorization. */
  readonly scheme: string;
  /** The roles that one may have. */
  readonly roles: readonly string[];
}

/** A session that is open. Its token is never told again. */
export interface SessionJson {
  readonly id: string;
  readonly made_at: string;
  readonly expires_at: string;
  /** What the browser called itself, and the address that it came from; empty where neither is known. */
  readonly agent: string;
  readonly address: string;
  /** Whether it is the one that asks. */
  readonly current: boolean;
  /** The session is an administrator's who views as this person: their name, told to administrators alone. */
  readonly viewer?: string | null;
  /** The name of the person as whom this administrator views the application at the moment. */
  readonly viewing?: string;
}

/** A token that a person's programs bear. What it is, is told once, when it is made. */
export interface TokenJson {
  readonly id: string;
  readonly name: string;
  /** Those of the person's roles that it has, beside what everybody who is signed in may do. */
  readonly roles: readonly string[];
  /** Whether it reads alone. */
  readonly reads: boolean;
  readonly made_at: string;
  readonly expires_at: string;
  /** To the minute; null where nothing has borne it yet. */
  readonly used_at: string | null;
}

export interface TokenMadeJson {
  readonly token: string;
  readonly until: string;
}
