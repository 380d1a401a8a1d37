/** Exit codes for scripts. Documented in `docs/errors.md`; never renumbered. */
export const exits = {
  done: 0,
  /** The document has an error, or its file cannot be read. */
  badDocument: 1,
  /** The command line is invalid. */
  usage: 2,
  /** The port is in use or not permitted. */
  portTaken: 3,
  /** Another process uses the data. */
  dataInUse: 4,
  /** The database is unreachable, refuses the connection, or is unsuitable. */
  databaseRefused: 5,
  /** Stored data does not fit the document. */
  changeRefused: 6,
  /** Demonstration sign-in was requested where it is not allowed. */
  demonstrationRefused: 7,
  /** The backup is unreadable or incomplete. */
  badBackup: 8,
  /** The command succeeded, except for files that are missing or damaged. */
  filesLost: 9,
  /** The two versions differ. */
  changes: 10,
  /** The two versions differ, and access, data or compatibility is lost. */
  losses: 11,
  /** A fault in the program itself. */
  fault: 70,
} as const;

/** Ends a command with one sentence, a hint, and an exit code. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
  readonly exit: number;
  readonly hint: string | undefined;
  constructor(exit: number, message: string, hint?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.exit = exit;
    this.hint = hint;
  }
}
