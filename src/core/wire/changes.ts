/** `GET /_/changes?after=`: a long poll that returns when something changes, or after a while. */
export interface ChangesJson {
  /** Pass it as `after` to the next call. */
  readonly at: string;
  /** The entities that changed; null if unknown, in which case any may have, and the roles of the caller too. */
  readonly changed: readonly string[] | null;
  /** Build of the browser application on the server; a page with a different build is outdated. */
  readonly program: string;
}
