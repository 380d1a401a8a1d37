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
  /** A list, by the path of its screen. */
  readonly [list: `/${string}`]: ListPreferenceJson;
}

export interface ListPreferenceJson {
  /** The layout used last. */
  readonly layout?: LayoutJson["kind"];
  /** The columns shown, in order, instead of the document's. */
  readonly columns?: readonly string[];
  /** Widths in pixels of resized columns. */
  readonly widths?: { readonly [column: string]: number };
}
