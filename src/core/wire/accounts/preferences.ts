/** Preferences for the interface, stored with the account. */

import type { LayoutJson } from "../screens.ts";

/**
 * `GET /_/preferences`: a person's preferences in all their browsers. Anything not chosen follows the browser or the
 * document.
 */
export interface PreferencesJson {
  readonly theme?: "light" | "dark" | "system";
  /** One of the document's languages. */
  readonly language?: string;
  /** False if shortcuts of a single character are turned off. */
  readonly singleKeys?: boolean;
  /** True for larger row spacing. */
  readonly roomy?: boolean;
  /** When notifications are sent by mail. */
  readonly mail?: MailPreferenceJson;
  /** A list, by the path of its screen. */
  readonly [list: `/${string}`]: ListPreferenceJson;
}

/** At once, in one mail a day, or not at all. */
export type MailTiming = "now" | "daily" | "never";

export interface MailPreferenceJson {
  /** At once by default. */
  readonly when?: MailTiming;
  /** The time of the daily mail, such as `08:00`, in `zone`, which is the document's by default. */
  readonly at?: string;
  readonly zone?: string;
  /** Other choices for the notifications about some entities, by name. */
  readonly kinds?: { readonly [entity: string]: MailTiming };
  /** Set if the person does not want any of the lists and overviews that are sent on a schedule. */
  readonly reports?: "never";
  /** The addresses of single lists and overviews that the person does not want. */
  readonly stopped?: readonly string[];
}

export interface ListPreferenceJson {
  /** The layout used last. */
  readonly layout?: LayoutJson["kind"];
  /** The columns shown, in order, instead of the document's. */
  readonly columns?: readonly string[];
  /** Widths in pixels of resized columns. */
  readonly widths?: { readonly [column: string]: number };
  /** The unfolded groups of a list in groups, and the fields by which it was grouped. */
  readonly unfolded?: { readonly by: string; readonly groups: readonly string[] };
}
