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
export const catalogue = {
  // the file
  NOT_UTF8: { severity: "error", about: "The file is not UTF-8 text." },
  EMPTY_DOCUMENT: { severity: "error", about: "The file holds nothing." },
  TOO_LARGE: { severity: "error", about: "The document is larger than a document may be." },
  NO_POINTS: { severity: "error", about: "No level-2 heading begins with a number from 1 to 9." },
  POINT_TWICE: { severity: "error", about: "Two headings of one file bear the same point." },
  NOT_A_POINT: { severity: "warning", about: "A level-2 heading without a point's number; its blocks do not run." },
  // YAML
  BAD_YAML: { severity: "error", about: "A line of a block that cannot be read." },
  BAD_INDENT: { severity: "error", about: "A line that is indented as nothing around it is, or with a tab." },
  NEEDS_QUOTES: { severity: "error", about: "A text or expression that would be cut or misread without quotes." },
  NOT_CLOSED: { severity: "error", about: "A quote, bracket, brace or block that is never closed." },
  COMMENT_CUTS: { severity: "warning", about: "A `#` that begins a comment and looks like a part of the text." },
  BAD_CHARACTER: { severity: "error", about: "A character that cannot be seen, or that text cannot keep." },
  YAML_FEATURE: { severity: "error", about: "An anchor, alias, tag, merge key or second YAML document." },
  KEY_TWICE: { severity: "error", about: "One mapping says the same key twice." },
  TOO_DEEP: { severity: "error", about: "A block nested deeper than any clause is." },
  // shapes
  WRONG_SHAPE: { severity: "error", about: "A value of another shape than its place takes." },
  UNKNOWN_KEY: { severity: "error", about: "A key that its place does not know." },
  MISSING_KEY: { severity: "error", about: "A key that its place needs." },
  BAD_NAME: { severity: "error", about: "A name that is not one the language allows." },
  RESERVED_NAME: { severity: "error", about: "A name that the language keeps for itself." },
  BAD_VALUE: { severity: "error", about: "A value that its place cannot take." },
  // names
  UNKNOWN_NAME: { severity: "error", about: "A name that nothing declares." },
  NAME_TWICE: { severity: "error", about: "Two things of one kind bear the same name." },
  BAD_RENAMING: { severity: "error", about: "A `was` that names what is still there, or what another was already." },
  // rules
  BAD_EXPRESSION: { severity: "error", about: "An expression that cannot be read." },
  TYPES_DIFFER: { severity: "error", about: "An operator or a place that does not take these types." },
  AMBIGUOUS_NAME: { severity: "error", about: "A bare name that is a choice's value and something else too." },
  OPTIONAL_UNGUARDED: {
    severity: "warning",
    about: "A rule that refuses records because an optional field is missing.",
  },
  MAY_BE_MISSING: {
    severity: "warning",
    about: "A computed field whose type says that it has a value always, and that may be missing.",
  },
  // across points
  NO_ERROR_ENTRY: { severity: "error", about: "A rule raises a code that point 8 does not hold." },
  UNUSED_ERROR: { severity: "warning", about: "An error that no rule raises." },
  UNUSED_LIMIT: { severity: "warning", about: "A constant that nothing reads." },
  UNUSED_CALL: { severity: "warning", about: "An outgoing call that nothing makes." },
  UNUSED_ROLE: { severity: "warning", about: "A role that nothing uses." },
  UNREACHABLE_STATE: { severity: "warning", about: "A state that no path of transitions reaches." },
  DEAD_END: { severity: "warning", about: "A state that nothing leaves and that is not final." },
  CYCLE: { severity: "error", about: "Clauses that rest on one another in a circle." },
  CALL_TWICE: { severity: "error", about: "Two calls with one method and path, or a call at the address of a screen." },
  SCREENS_CALL_IT: { severity: "warning", about: "A call at the address of one that the screens make." },
  NO_SUCH_PARAMETER: { severity: "error", about: "A path parameter that matches nothing." },
  SECRET_IN_DOCUMENT: {
    severity: "error",
    about: "A name of the environment outside points 7 and 9, or one that does not begin with APP_.",
  },
  INITIAL_IS_FINAL: { severity: "warning", about: "A state that records begin in and that is final." },
  NOBODY_MAY: { severity: "warning", about: "A transition that nobody may make, or not from one of its states." },
  MAY_BE_REFUSED: {
    severity: "warning",
    about: "A transition that the clock makes, and that another record may stand against.",
  },
  NOBODY_SETS: { severity: "warning", about: "A required field that who may create the record cannot set." },
  NOBODY_READS: {
    severity: "warning",
    about: "A screen, a field on one or one asked for that those whom it is for may not read.",
  },
  NOBODY_WRITES: { severity: "warning", about: "A form or a field that nobody and nothing may ever write." },
  CANNOT_SEE: { severity: "warning", about: "A role that may change records of which it may see none." },
  CREATOR_CANNOT_SEE: { severity: "warning", about: "A record that who makes it may not see." },
  WIDER_AUDIENCE: { severity: "warning", about: "A computed field that more may read than what it is made of." },
  TELLS_HIDDEN: { severity: "warning", about: "A clause whose outcome tells of what who meets it may not read." },
  PERMISSION_TWICE: { severity: "warning", about: "A permission that another gives wholly." },
  ALWAYS_TRUE: { severity: "warning", about: "A rule or a condition that holds whatever the record says." },
  NEVER_TRUE: { severity: "warning", about: "A rule or a condition that nothing can meet." },
  NEVER_TOUCHED: { severity: "warning", about: "A rule judged on updates that reads what no update changes." },
  SET_AND_ASKED: { severity: "warning", about: "A field that a transition asks for and the document sets." },
  BOUNDS_REVERSED: { severity: "error", about: "A field whose `min` is above its `max`." },
  BAD_DEFAULT: { severity: "warning", about: "A default that its own field does not take." },
  UNKNOWN_TEXT: { severity: "warning", about: "A translation of a text that nothing shows." },
  NOT_TRANSLATED: { severity: "warning", about: "Texts that a language of the document has no words for." },
  PLACES_DIFFER: { severity: "warning", about: "A translation that has other values in it than its text." },
  TOO_MANY_FINDINGS: { severity: "error", about: "There are more findings than are shown." },
  // not executed
  NOT_EXECUTED: { severity: "not executed", about: "Understood, and without effect." },
  NOT_SHOWN: { severity: "open", about: "Nobody decided; the cautious default is in force." },
} satisfies Record<string, { severity: Severity; about: string }>;

export type FindingCode = keyof typeof catalogue;

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
  more: Pick<Finding, "clause" | "nearest" | "also" | "fix" | "witness" | "open"> = {},
): Finding => ({ code, severity: catalogue[code].severity, span, message, hint, ...more });

/** Maximum number of findings. Nobody fixes more one by one. */
export const MOST_FINDINGS = 10_000;

/** The result of a stage: its value as far as it got, and its findings. */
export interface WithFindings<T> {
  readonly value: T;
  readonly findings: readonly Finding[];
}
