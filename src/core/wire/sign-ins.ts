/** Sign-ins and refused attempts. */

import type { ReferenceJson } from "./records.ts";

export type SignInWay =
  | "password"
  | "link"
  | "registration"
  | "provider"
  | "first administrator"
  | "demonstration"
  | "confirmation";

/** One attempt. */
export interface SignInJson {
  readonly at: string;
  /** By what: a password, a link for a new one, a provider; `confirmation` is a password that was asked for again. */
  readonly way: SignInWay;
  /** Why it was refused: `BAD_CREDENTIALS`, `TOO_MANY_ATTEMPTS`; null where the person was let in. */
  readonly refused: string | null;
  readonly address: string;
  /** What the browser called itself. */
  readonly agent: string;
}

/** `GET /_/sign-ins`, for administrators, newest first. */
export interface SignInsJson {
  readonly items: readonly (SignInJson & {
    readonly id: string;
    /** Whose account it is; null where there is none. */
    readonly person: ReferenceJson | null;
    /** The address that was typed, where it is one. */
    readonly account: string;
  })[];
  /** Hand back as `after` for the next page; null at the end. */
  readonly next: string | null;
}
