import type { Edit, Span } from "./source-text.ts";

/**
 * Error: the document does not run. Warning: it runs, but probably not as intended. Open: nobody has decided. Not
 * executed: understood, but without effect.
 */
export type Severity = "error" | "warning" | "open" | "not executed";

/**
 * All codes of findings. Codes are never reused. `docs/errors.md` says what each means and what to do; a test keeps the two in
 * step.
 */
export const findingCodes = {
  // the file
  NOT_UTF8: { severity: "error" },
  EMPTY_DOCUMENT: { severity: "error" },
  TOO_LARGE: { severity: "error" },
  NO_POINTS: { severity: "error" },
  POINT_TWICE: { severity: "error" },
  NOT_A_POINT: { severity: "warning" },
  MISPLACED_BLOCK: { severity: "error" },
  // YAML
  BAD_YAML: { severity: "error" },
  BAD_INDENT: { severity: "error" },
  NEEDS_QUOTES: { severity: "error" },
  NOT_CLOSED: { severity: "error" },
  COMMENT_CUTS: { severity: "warning" },
  BAD_CHARACTER: { severity: "error" },
  YAML_FEATURE: { severity: "error" },
  KEY_TWICE: { severity: "error" },
  TOO_DEEP: { severity: "error" },
  // shapes
  WRONG_SHAPE: { severity: "error" },
  UNKNOWN_KEY: { severity: "error" },
  MISSING_KEY: { severity: "error" },
  BAD_NAME: { severity: "error" },
  RESERVED_NAME: { severity: "error" },
  BAD_VALUE: { severity: "error" },
  // names
  UNKNOWN_NAME: { severity: "error" },
  NAME_TWICE: { severity: "error" },
  BAD_RENAMING: { severity: "error" },
  // rules
  BAD_EXPRESSION: { severity: "error" },
  TYPES_DIFFER: { severity: "error" },
  AMBIGUOUS_NAME: { severity: "error" },
  OPTIONAL_UNGUARDED: { severity: "warning" },
  MAY_BE_MISSING: { severity: "warning" },
  // across points
  NO_ERROR_ENTRY: { severity: "error" },
  UNUSED_ERROR: { severity: "warning" },
  UNUSED_LIMIT: { severity: "warning" },
  UNUSED_CALL: { severity: "warning" },
  UNUSED_ROLE: { severity: "warning" },
  UNREACHABLE_STATE: { severity: "warning" },
  DEAD_END: { severity: "warning" },
  CYCLE: { severity: "error" },
  CALL_TWICE: { severity: "error" },
  SCREENS_CALL_IT: { severity: "warning" },
  NO_SUCH_PARAMETER: { severity: "error" },
  SECRET_IN_DOCUMENT: { severity: "error" },
  INITIAL_IS_FINAL: { severity: "warning" },
  NOBODY_MAY: { severity: "warning" },
  MAY_BE_REFUSED: { severity: "warning" },
  NOBODY_SETS: { severity: "warning" },
  NOBODY_READS: { severity: "warning" },
  NOBODY_WRITES: { severity: "warning" },
  CANNOT_SEE: { severity: "warning" },
  CREATOR_CANNOT_SEE: { severity: "warning" },
  WIDER_AUDIENCE: { severity: "warning" },
  TELLS_HIDDEN: { severity: "warning" },
  PERMISSION_TWICE: { severity: "warning" },
  ALWAYS_TRUE: { severity: "warning" },
  NEVER_TRUE: { severity: "warning" },
  NEVER_TOUCHED: { severity: "warning" },
  SET_AND_ASKED: { severity: "warning" },
  BOUNDS_REVERSED: { severity: "error" },
  BAD_DEFAULT: { severity: "warning" },
  UNKNOWN_TEXT: { severity: "warning" },
  NOT_TRANSLATED: { severity: "warning" },
  PLACES_DIFFER: { severity: "warning" },
  LOOKS_OPEN: { severity: "warning" },
  TOO_MANY_FINDINGS: { severity: "error" },
  // not executed
  NOT_EXECUTED: { severity: "not executed" },
  NOT_SHOWN: { severity: "open" },
} satisfies Record<string, { severity: Severity }>;

export type FindingCode = keyof typeof findingCodes;

/** A mistake or an open question in a document. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly span: Span;
  /** One sentence that says what is wrong. */
  readonly message: string;
  /** One sentence that says what to do. */
  readonly hint: string;
  /** The clause, if known: `5.Loan.DUE_BEFORE_START`. */
  readonly clause?: string;
  /** The existing name that was probably meant. */
  readonly nearest?: string;
  /** A second place, such as the first definition of a duplicate. */
  readonly also?: Span;
  /** The fix, if it is mechanical. */
  readonly fix?: readonly Edit[];
  /** The fix guesses at the intention: it is offered, and never applied without asking. */
  readonly isGuess?: true;
  readonly witness?: Witness;
  /** For a value that is not shown: its key, or the default in force. */
  readonly open?: string;
}

/** A counter-example: for whom, on which record, after which steps. */
export interface Witness {
  readonly role?: string;
  /** Values by path: `status` is `draft`, `author` is `user`. */
  readonly record?: Readonly<Record<string, string>>;
  readonly steps?: readonly string[];
}

export const finding = (
  code: FindingCode,
  span: Span,
  message: string,
  hint: string,
  more: Pick<Finding, "clause" | "nearest" | "also" | "fix" | "isGuess" | "witness" | "open"> = {},
): Finding => ({ code, severity: findingCodes[code].severity, span, message, hint, ...more });

/** Maximum number of findings. Nobody fixes more one by one. */
export const MOST_FINDINGS = 10_000;

/** The result of a stage: its value as far as it got, and its findings. */
export interface WithFindings<T> {
  readonly value: T;
  readonly findings: readonly Finding[];
}
