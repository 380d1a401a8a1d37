/** What the browser draws everything from. Nobody is sent a clause, field, screen or transition that the document does not open to them. */

import type { EntityJson } from "./entities.ts";
import type { PreferencesJson } from "./preferences.ts";
import type { ScreenJson } from "./screens.ts";

/** `GET /_/application`: everything the browser draws from, for who asks. */
export interface Application {
  readonly name: string;
  /** The first sentence of point 1's prose, in the document's voice; null where none is shown. */
  readonly sentence: string | null;
  /** The language that it is in, for who asks. */
  readonly locale: string;
  /** Those that it can be read in, the document's own first. */
  readonly languages: readonly string[];
  readonly timezone: string;
  /** `#rrggbb`, or null for the platform's own. */
  readonly accent: string | null;
  /** Counts the versions of the document that this database has run, from 1. */
  readonly version: number;
  readonly person: PersonJson | null;
  /** What people read for the names of roles; `administrator`, which the document does not name, is not among them. */
  readonly roles: { readonly [name: string]: string };
  readonly signIn: SignInJson;
  /** In document order; the first is where one lands. Those that a person may not read are absent. */
  readonly screens: readonly ScreenJson[];
  readonly entities: { readonly [name: string]: EntityJson };
}

export interface PersonJson {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly string[];
  /** The roles that everybody has who is signed in. */
  readonly everybody: readonly string[];
  readonly administrator: boolean;
  /** How whoever sits there likes the interface. */
  readonly preferences: PreferencesJson;
  /** An administrator looks as this person: nothing can be changed. */
  readonly looked?: true;
}

export interface SignInJson {
  readonly password: boolean;
  readonly signUp: {
    readonly open: boolean;
    readonly clause: string;
    readonly because: string;
    /** The domains of the addresses that may register; null: any. */
    readonly emails: readonly string[] | null;
  };
  readonly providers: readonly { readonly name: string; readonly label: string }[];
  /** The sample people of a demonstration, on loopback alone; absent elsewhere. */
  readonly demonstration?: readonly {
    readonly name: string;
    readonly roles: readonly string[];
    readonly token: string;
  }[];
}
