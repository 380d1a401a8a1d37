/**
 * The manifest from which the browser draws the application. It contains only clauses, fields, screens and transitions
 * that the document opens to the user.
 */

import type { PreferencesJson } from "./accounts/preferences.ts";
import type { InPreviewJson } from "./authoring/previews.ts";
import type { ChangeRightsJson } from "./authoring/proposals.ts";
import type { EntityJson, FieldJson } from "./entities.ts";
import type { ReferenceJson } from "./records.ts";
import type { ScreenJson } from "./screens.ts";

/** `GET /_/application`: the manifest for the caller. */
export interface Application {
  readonly name: string;
  /** The first sentence of point 1; null if nothing is shown. */
  readonly sentence: string | null;
  /** The language for this user. */
  readonly locale: string;
  /** The available languages, the document's own first. */
  readonly languages: readonly string[];
  readonly timezone: string;
  /** `#rrggbb`, or null for the default. */
  readonly accent: string | null;
  /** Set if the application has a logo: `GET /_/logo.png`. */
  readonly logo?: true;
  /** Number of the document's version in this database, from 1. */
  readonly version: number;
  readonly person: PersonJson | null;
  /** Titles of roles. `administrator` is missing, since no document declares it. */
  readonly roles: { readonly [name: string]: string };
  /** The work that this person can hand to a deputy, null if there is none; absent if nobody can have a deputy. */
  readonly deputies?: HandedWorkJson | null;
  /** The arrangements of this person from today on: deputies, and people for whom this person stands in. */
  readonly standIns?: readonly StandInJson[];
  readonly signIn: SignInJson;
  /** The entities whose deleted records the person can restore, and for how many days; absent if there are none. */
  readonly trash?: { readonly of: readonly string[]; readonly days: number };
  /** Set in a preview of a draft. */
  readonly preview?: InPreviewJson;
  /** In document order; the first is the start page. Screens that the person cannot read are left out. */
  readonly screens: readonly ScreenJson[];
  readonly entities: { readonly [name: string]: EntityJson };
}

/** One person stands in for another on some days. */
export interface StandInJson {
  readonly id: string;
  /** The person who is away. */
  readonly person: ReferenceJson;
  readonly deputy: ReferenceJson;
  readonly first_day: string;
  readonly last_day: string;
  /** The work that is handed over; null if the person who is away has none of it now. */
  readonly handed: HandedWorkJson | null;
}

/** `GET /_/deputies/holders`: people whom the caller can name as deputies, and who hold roles that the caller hands over. */
export interface RoleHoldersJson {
  readonly items: readonly RoleHolderJson[];
}

export interface RoleHolderJson extends ReferenceJson {
  /** The titles of these roles. */
  readonly roles: readonly string[];
}

/** The work that somebody hands to a deputy. */
export interface HandedWorkJson {
  /** In words, a line for each kind of record: "Grant and decline requests". */
  readonly acts: readonly string[];
  /** Set if there is more than these lines say. */
  readonly more?: true;
  /** The names of the granted roles that are handed over. */
  readonly roles: readonly string[];
}

export interface PersonJson {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly string[];
  /** The roles that every signed-in user has. */
  readonly everybody: readonly string[];
  readonly administrator: boolean;
  /** The rights on changes of the document; absent for people who have none. */
  readonly changes?: ChangeRightsJson;
  /** The user's preferences for the interface. */
  readonly preferences: PreferencesJson;
  /** Set while an administrator views the application as this person: nothing can be changed. */
  readonly looked?: true;
}

export interface SignInJson {
  /** True if nobody signs in to the application; administrators sign in for the workbench. */
  readonly off: boolean;
  readonly password: boolean;
  /** The smallest number of characters of a new password. */
  readonly passwordLength: number;
  /** True if people can ask for a link for a new password by mail. */
  readonly forgotten: boolean;
  /** The field that people can use to sign in instead of their email address, with its title; null if there is none. */
  readonly by: { readonly name: string; readonly label: string } | null;
  readonly signUp: {
    readonly open: boolean;
    /** The fields of a person who registers at once, with the address; null if a link is mailed. */
    readonly fields: readonly FieldJson[] | null;
    readonly clause: string;
    readonly because: string;
    /** Domains whose addresses may register; null for any. */
    readonly emails: readonly string[] | null;
  };
  readonly providers: readonly { readonly name: string; readonly label: string }[];
  /** The sample people of a demonstration, on loopback only. */
  readonly demonstration?: readonly SamplePersonJson[];
}

/** A person whose account visitors of a demonstration can use. */
export interface SamplePersonJson {
  readonly name: string;
  /** Granted roles. */
  readonly roles: readonly string[];
  /** Titles of those roles and of roles on records; without any, of the roles that everybody has. */
  readonly titles: readonly string[];
  readonly token: string;
  /** The work of the roles in short sentences without a full stop; empty if they permit nothing. */
  readonly does: readonly string[];
}
