import { identifier, type Sql } from "../../core/sql.ts";

/**
 * The alias of a table or table expression in a statement. As SQL it is the quoted name: `${CURRENT}."id"` is `"c"."id"`;
 * functions that take a name get `CURRENT.alias`.
 */
export interface Alias extends Sql {
  readonly alias: string;
}

const alias = (name: string): Alias => ({ ...identifier(name), alias: name });

/**
 * The aliases of tables in statements, most of them one letter. A letter can mean several things, but never two in one
 * scope of a statement: a subquery can use it again. Look here before you combine two parts of a statement.
 */

// Any statement

/** Rows of the table of the entity that the statement is about. */
export const TABLE = alias("t");
/** Rows of another table, or of the same one in a subquery. */
export const OTHER = alias("x");
/** Audit lines: those that a write leaves, or those of a history. */
export const LINES = alias("a");

// Of writes

/** The records before the write, locked. */
export const CURRENT = alias("c");
/** The records as they would be after the write. */
export const CANDIDATE = alias("n");
/** The checks of each candidate, a boolean column each. */
export const CHECKED = alias("j");
/** The rows that were written. */
export const WRITTEN_ROWS = alias("d");
/** Locks that the statement takes. */
export const LOCKS = alias("l");
/** The record itself, read for the id of its parent before it is locked. */
export const OWN = alias("y");
/** Input values, to which computed ones are added. */
export const GIVEN = alias("g");
/** The parents whose versions a write raises. */
export const PARENTS = alias("u");
/** The written rows below those parents. */
export const BELOW = alias("w");
/** Records whose rule or condition must be checked again. */
export const OWNER = alias("o");
/** Stored records that a new value must differ from or follow. */
export const EXISTING = alias("o");
/** Values of the records before the write, as JSON. */
export const PAST_VALUES = alias("w");
/** The records before the write, from those values. */
export const PAST = alias("p");
/** Uploaded files. */
export const FILES = alias("f");
/** Keys of locks in one row for each record. */
export const LOCK_SOURCES = alias("s");
/** Keys of locks, one in each row. */
export const LOCK_KEYS = alias("v");

/** Deleted records that can be restored. */
export const TRASH = alias("trash");
/** The rows of such records. */
export const TRASHED = alias("r");

// Parts, which are sent as a list

/** The sent parts. */
export const SENT = alias("p");
/** The sent parts again, to find those before a part in the list. */
export const EARLIER = alias("q");
/** The grants that cover a stored part. */
export const GRANTED = alias("g");

// Of generated values

/** Counters of sequences. */
export const COUNTERS = alias("q");
/** Rows that need a number. */
export const NUMBERLESS = alias("r");
/** Candidate slugs. */
export const SLUGS = alias("w");
/** Their numbers: `word-2` has 2. */
export const SUFFIXES = alias("k");

// Of effects

/** Runs of an effect, with their targets. */
export const RUNS = alias("p");
/** The written records that cause the effect. */
export const SOURCES = alias("w");
/** Those records before the write. */
export const BEFORE = alias("b");
/** Notifications to be stored. */
export const NOTICES = alias("x");

// Accounts

/** Active administrators, locked. */
export const ADMINISTRATORS = alias("m");
/** Sessions that end. */
export const SESSIONS = alias("s");
/** Sessions that no longer show the application as the person. */
export const VIEWS = alias("v");
/** Tokens for programs that end. */
export const TOKENS = alias("k");
/** Links to transitions in mails. */
export const MAIL_LINKS = alias("mail links");
/** Links, tokens or identities of the person that are created or deleted. */
export const LINKS = alias("l");
/** Earlier links that end. */
export const OLD_LINKS = alias("o");
/** Mails about the change. */
export const MAILS = alias("n");
/** Passwords. */
export const CREDENTIALS = alias("p");
/** Links by which invited people set a password. */
export const INVITATIONS = alias("i");
/** Failed attempts to sign in. */
export const ATTEMPTS = alias("q");

// Lists, records and labels

/** Keys of an index, each with the rows that it finds. */
export const KEYS = alias("k");
/** Values of a filter that are read one by one. */
export const VALUES = alias("v");
/** Groups of an overview. */
export const GROUPED = alias("g");
/** Records that a search looks through. */
export const SEARCHED = alias("s");
/** Words of a search. */
export const WORDS = alias("w");
/** The record that a label names. */
export const LABELLED = alias("s");
/** Elements of a field with several values. */
export const ELEMENTS = alias("m");
/** Derived rows that follow from a write. */
export const DERIVED = alias("f");
/** The record to which a part belongs. */
export const PARENT = alias("w");
/** Visits of a person to a record. */
export const VISITS = alias("v");

// Of history

/** The audit lines that caused others. */
export const CAUSES = alias("c");
/** Audit lines of a record, to which others are joined. */
export const OWN_LINES = alias("l");
/** Fields and values of an audit line. */
export const ENTRIES = alias("e");
/** Audit lines of deletions. */
export const DELETIONS = alias("d");
