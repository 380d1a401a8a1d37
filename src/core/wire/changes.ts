/** `GET /_/changes?after=`: answered when something changes, or after a while. */
export interface ChangesJson {
  /** What to ask after next. */
  readonly at: string;
  /** The entities of which something changed; null: it is not known, and everything may have. */
  readonly changed: readonly string[] | null;
  /** Which build of the browser application the server has; a page of another one is old. */
  readonly program: string;
}
