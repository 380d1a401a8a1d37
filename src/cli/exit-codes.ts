/** How the program ends, for scripts. Documented in `docs/errors.md`; never renumbered. */
export const exits = {
  done: 0,
  /** The document has an error, or its file cannot be read. */
  badDocument: 1,
  /** The command line cannot be understood. */
  usage: 2,
  /** The port is taken or may not be used. */
  portTaken: 3,
  /** Another process uses the data. */
  dataInUse: 4,
  /** The database cannot be reached, refuses, or cannot be used. */
  databaseRefused: 5,
  /** The document would lose or not fit what is stored. */
  changeRefused: 6,
  /** Demonstration sign-in was asked for where it may not be. */
  demonstrationRefused: 7,
  /** The backup cannot be read, or is not whole. */
  badBackup: 8,
  /** A fault of the program's own. */
  fault: 70,
} as const;

/** Ends a command with one clear sentence, what to do, and its exit code. */
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
