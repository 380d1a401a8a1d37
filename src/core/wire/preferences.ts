/** How people like the interface: what is kept with their account. */

import type { LayoutJson } from "./screens.ts";

/**
 * `GET /_/preferences`: how a person likes the interface, wherever they sign in. Where they chose nothing, it is as the
 * browser or the document has it.
 */
export interface PreferencesJson {
  readonly theme?: "light" | "dark" | "system";
  /** One of those that the document can be read in. */
  readonly language?: string;
  /** Whether keys that print a character act on the page. */
  readonly singleKeys?: boolean;
  /** Whether rows stand further apart. */
  readonly roomy?: boolean;
  /** A list, by the path of its screen. */
  readonly [list: `/${string}`]: ListPreferenceJson;
}

export interface ListPreferenceJson {
  /** The layout that was looked at last. */
  readonly layout?: LayoutJson["kind"];
  /** The columns that are shown, in their order, in the place of the document's. */
  readonly columns?: readonly string[];
  /** Widths in pixels, of the columns that were pulled. */
  readonly widths?: { readonly [column: string]: number };
}
