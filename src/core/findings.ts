import type { Edit, Span } from "./source-text.ts";

/**
 * Error: the document does not run. Warning: it runs, but probably not as intended. Open: nobody has decided. Not
 * executed: understood, but without effect.
 */
export type Severity = "error" | "warning" | "open" | "not executed";

/**
 * All codes of findings, with their meanings. Codes are never reused. `docs/errors.md` describes them in full; a test
 * keeps the two in step.
 */
export const findingCodes = {
  // the file
  NOT_UTF8: { severity: "error", about: "The file is not UTF-8 text." },
  EMPTY_DOCUMENT: { severity: "error", about: "The file is empty." },
  TOO_LARGE: { severity: "error", about: "The specification is longer than the maximum." },
  NO_POINTS: { severity: "error", about: "No level-2 heading begins with a number from 1 to 9." },
  POINT_TWICE: { severity: "error", about: "Two headings of one file have the same number." },
  NOT_A_POINT: { severity: "warning", about: "A block that does not belong to a point, so it has no effect." },
  MISPLACED_BLOCK: { severity: "error", about: "A block that fits only a point whose heading is missing." },
  // YAML
  BAD_YAML: { severity: "error", about: "A line of a block that cannot be read." },
  BAD_INDENT: { severity: "error", about: "A line whose indentation matches nothing around it, or contains a tab." },
  NEEDS_QUOTES: {
    severity: "error",
    about: "A text or an expression that would be cut off or misread without quotes.",
  },
  NOT_CLOSED: { severity: "error", about: "A quote, bracket, brace or block that is never closed." },
  COMMENT_CUTS: { severity: "warning", about: "A `#` that starts a comment but looks like part of the text." },
  BAD_CHARACTER: { severity: "error", about: "A character that is invisible, or that text can’t store." },
  YAML_FEATURE: { severity: "error", about: "An anchor, alias, tag, merge key or second YAML document." },
  KEY_TWICE: { severity: "error", about: "A mapping that contains the same key twice." },
  TOO_DEEP: { severity: "error", about: "A block that is nested too deep." },
  // shapes
  WRONG_SHAPE: { severity: "error", about: "A value of the wrong shape for its place." },
  UNKNOWN_KEY: { severity: "error", about: "A key that is not known in this place." },
  MISSING_KEY: { severity: "error", about: "A key that is required in this place." },
  BAD_NAME: { severity: "error", about: "A name that the language does not allow." },
  RESERVED_NAME: { severity: "error", about: "A name that the language reserves." },
  BAD_VALUE: { severity: "error", about: "A value that is not valid in this place." },
  // names
  UNKNOWN_NAME: { severity: "error", about: "A name that nothing declares." },
  NAME_TWICE: { severity: "error", about: "Two things of one kind have the same name." },
  BAD_RENAMING: { severity: "error", about: "A `was` whose old name still exists, or that two things claim." },
  // rules
  BAD_EXPRESSION: { severity: "error", about: "An expression that cannot be read." },
  TYPES_DIFFER: { severity: "error", about: "An operator or a place that does not take values of these types." },
  AMBIGUOUS_NAME: { severity: "error", about: "A bare name that is a value of a choice and also something else." },
  OPTIONAL_UNGUARDED: {
    severity: "warning",
    about: "A rule that refuses records in which an optional field is missing.",
  },
  MAY_BE_MISSING: {
    severity: "warning",
    about: "A computed field whose type says that it always has a value, but whose formula can give none.",
  },
  // across points
  NO_ERROR_ENTRY: { severity: "error", about: "A rule raises a code that is neither in point 8 nor built in." },
  UNUSED_ERROR: { severity: "warning", about: "An error that no rule raises." },
  UNUSED_LIMIT: { severity: "warning", about: "A constant that nothing reads." },
  UNUSED_CALL: { severity: "warning", about: "An outgoing call that no effect makes." },
  UNUSED_ROLE: { severity: "warning", about: "A role that nothing uses." },
  UNREACHABLE_STATE: { severity: "warning", about: "A state that no path of transitions reaches." },
  DEAD_END: { severity: "warning", about: "A state that no transition leaves and that is not final." },
  CYCLE: { severity: "error", about: "Clauses that depend on one another in a circle." },
  CALL_TWICE: {
    severity: "error",
    about: "Two calls with the same method and path, or a call with the address of a screen.",
  },
  SCREENS_CALL_IT: {
    severity: "warning",
    about: "A call with the address of a conventional call that the screens use.",
  },
  NO_SUCH_PARAMETER: { severity: "error", about: "A path parameter that matches no field." },
  SECRET_IN_DOCUMENT: {
    severity: "error",
    about: "A secret or an address in the specification, or an environment variable that does not begin with APP_.",
  },
  INITIAL_IS_FINAL: { severity: "warning", about: "A state that is both initial and final." },
  NOBODY_MAY: { severity: "warning", about: "A transition that no one can make, or not from one of its states." },
  MAY_BE_REFUSED: {
    severity: "warning",
    about: "An automatic transition that can be refused because of another record.",
  },
  NOBODY_SETS: { severity: "warning", about: "A required field that people who can create the record can’t set." },
  NOBODY_READS: {
    severity: "warning",
    about: "A screen or a field that the people it is shown to can’t read.",
  },
  NOBODY_WRITES: { severity: "warning", about: "A form or a field that no one can ever write." },
  CANNOT_SEE: { severity: "warning", about: "A role that can change records but can’t see them." },
  CREATOR_CANNOT_SEE: { severity: "warning", about: "A role that can create records but can’t read them afterwards." },
  WIDER_AUDIENCE: { severity: "warning", about: "A field that more people can read than the sources of its value." },
  TELLS_HIDDEN: { severity: "warning", about: "A clause whose outcome reveals data that people can’t read." },
  PERMISSION_TWICE: { severity: "warning", about: "A permission that another permission already includes." },
  ALWAYS_TRUE: { severity: "warning", about: "A rule or a condition that is true for every record." },
  NEVER_TRUE: { severity: "warning", about: "A rule or a condition that no record can meet." },
  NEVER_TOUCHED: {
    severity: "warning",
    about: "A rule that is checked on updates but reads only fields that no update changes.",
  },
  SET_AND_ASKED: { severity: "warning", about: "A field that a transition both asks for and sets." },
  BOUNDS_REVERSED: { severity: "error", about: "A field whose `min` is above its `max`." },
  BAD_DEFAULT: { severity: "warning", about: "A default that its own field does not accept." },
  UNKNOWN_TEXT: { severity: "warning", about: "A translation of a text that nothing shows." },
  NOT_TRANSLATED: { severity: "warning", about: "Texts without a translation into a language of the specification." },
  PLACES_DIFFER: { severity: "warning", about: "A translation whose values in braces differ from those of its text." },
  LOOKS_OPEN: { severity: "warning", about: "A sentence that reads like an open point but is none." },
  TOO_MANY_FINDINGS: { severity: "error", about: "There are too many findings, so the check stopped." },
  // not executed
  NOT_EXECUTED: { severity: "not executed", about: "Understood, but without effect." },
  NOT_SHOWN: { severity: "open", about: "No one has decided, so the cautious default applies." },
} satisfies Record<string, { severity: Severity; about: string }>;

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
