import type { Clause } from "./clause.ts";

/** Settings for sign-in. */
export interface SignIn {
  readonly clause: Clause | null;
  /** True if nobody signs in to the application: everybody is a visitor. Administrators sign in for the workbench alone. */
  readonly isOff: boolean;
  readonly password: boolean;
  /** The unique field of `User` that the sign-in page takes beside the email address; null: the address alone. */
  readonly by: string | null;
  /** True if programs can send the credentials of a person with each request (HTTP Basic). */
  readonly basic: boolean;
  readonly providers: readonly Provider[];
  /** Null: nobody can register; administrators create accounts. */
  readonly signUp: SignUp | null;
}

/** An OpenID Connect provider. Credentials are environment variables. */
export interface Provider {
  readonly name: string;
  readonly clause: Clause;
  readonly title: string;
  /** Name of an environment variable, or a public address. */
  readonly issuer: string;
  /** Names of environment variables. */
  readonly client: string;
  readonly secret: string;
}

export interface SignUp {
  readonly clause: Clause;
  /** Domains whose addresses may register; null for any. */
  readonly emails: readonly string[] | null;
  /** The roles granted on registration. */
  readonly roles: readonly string[];
  /** Fields that people must enter to register, although they are optional in a person. */
  readonly asks: readonly string[];
  /** True if an account is created only with a link that was mailed to its address. */
  readonly verifiesEmail: boolean;
}
