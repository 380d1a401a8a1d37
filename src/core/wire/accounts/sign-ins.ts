/** Sign-ins and refused attempts. */

import type { ReferenceJson } from "../records.ts";

export type SignInWay =
  | "password"
  | "link"
  | "registration"
  | "provider"
  | "first administrator"
  | "demonstration"
  | "confirmation";

/** One attempt. */
export interface SignInAttemptJson {
  readonly at: string;
  /** The method: a password, a link for a new password, a provider. `confirmation` is a password requested again. */
  readonly way: SignInWay;
  /** The error code: `BAD_CREDENTIALS`, `TOO_MANY_ATTEMPTS`; null if it succeeded. */
  readonly refused: string | null;
  readonly address: string;
  /** The user agent. */
  readonly agent: string;
}

/** `GET /_/sign-ins`, for administrators, newest first. */
export interface SignInsJson {
  readonly items: readonly (SignInAttemptJson & {
    readonly id: string;
    /** The owner of the account; null if there is none. */
    readonly person: ReferenceJson | null;
    /** The address entered, if it is an address. */
    readonly account: string;
  })[];
  /** Pass as `after` to get the next page; null on the last. */
  readonly next: string | null;
}
