import type { FieldTypeName } from "../../wire/entities.ts";

/** The built-in errors. Their statuses are in `core/model/errors.ts`; `docs/errors.md` documents each. */
export const texts = {
  NOT_SIGNED_IN: "You aren’t signed in. Sign in and try again.",
  BAD_CREDENTIALS: "Wrong email or password.",
  NOT_FOUND: "This record doesn’t exist or you don’t have access.",
  NO_SUCH_CALL: "This address doesn’t exist.",
  FORBIDDEN: "You don’t have permission to do this.",
  NOT_YOURS_TO_WRITE: "You can’t edit {field}.",
  FOREIGN_ORIGIN: "The request came from another site and was refused.",
  CHANGED_MEANWHILE: "Someone else changed this record. Reload it and try again.",
  MALFORMED: "The server can’t read this request. Check its format.",
  BAD_QUERY: "The address isn’t valid: {detail}.",
  BAD_PATH: "Part of the address has the wrong format.",
  BAD_CURSOR: "This page token belongs to another list. Start again from the first page.",
  REQUIRED: "{field} is required.",
  WRONG_TYPE: "{field} must be {type}.",
  TOO_SHORT: "{field} must have at least {min} characters.",
  TOO_LONG: "{field} can have at most {max} characters.",
  TOO_SMALL: "{field} must be at least {min}.",
  TOO_LARGE: "{field} must be at most {max}.",
  NOT_A_CHOICE: "{field} must be {choices}.",
  UNKNOWN_FIELD: "The field {field} doesn’t exist.",
  NO_SUCH_FILE: "The file in {field} wasn’t uploaded within the last day. Upload it again.",
  NO_SUCH_PICTURE:
    "The image in {field} must be a PNG, JPEG, GIF, WebP or AVIF file that you uploaded within the last day. Upload it again.",
  NOT_IN_ZIP: "The ZIP file has no file “{file}” for {field}. Add it, or correct the name.",
  SEVERAL_IN_ZIP: "Several files of the ZIP file are named “{file}”. Write the name in {field} with its folder.",
  UNREADABLE_IN_ZIP:
    "The file “{file}” for {field} is encrypted or damaged. Add it to the ZIP file again, without a password.",
  NO_SUCH_REFERENCE: "The record in “{field}” doesn’t exist or you don’t have access.",
  ROW_REFUSED: "“{text}” is in row {row}, which is refused. Correct that row first.",
  ROWS_IN_CIRCLE:
    "“{field}” leads in a circle through these rows: {rows}. Leave it empty in one of them, and add it in a second import.",
  NO_SUCH_PART: "This row doesn’t exist or you don’t have access.",
  PART_TWICE: "This row is already in the list.",
  TOO_MANY_PARTS: "{field} can contain at most {max}.",
  NOT_AMONG: "Choose a different value for “{field}”.",
  NO_WAY_TO_STATE: "No transition that people make leads from “{from}” to “{to}”.",
  KEY_REUSED: "This Idempotency-Key was used for a different request. Use a new one.",
  PASSWORD_LENGTH: "A password must have {min} to {max} characters.",
  PASSWORD_WEAK: "This password is too weak. Choose another one.",
  PASSWORD_UNCHANGED: "This is your current password. Choose a different one.",
  WRONG_PASSWORD: "Wrong password.",
  SIGN_IN_AGAIN: "This needs a recent sign-in. Sign out, sign in, and try again.",
  LINK_USED: "This link has been used or has expired.",
  INVALID: "Fix the problems below.",
  WRONG_STATE: "Not possible while it is {state}.",
  TAKEN: "{field} is already taken.",
  IN_USE: "Can’t delete: other records still use it.",
  LAST_ADMINISTRATOR: "This is the last administrator. Add another one first.",
  ACCOUNT_INACTIVE: "This account isn’t active.",
  NOT_ONE: "Exactly one of “{things}” must match, but none or several do.",
  GUARD: "This isn’t possible now.",
  NEEDS_ANOTHER_PERSON: "You have already done this. It needs another person.",
  DEPUTY_ONESELF: "You can’t be your own deputy.",
  DEPUTY_DATES: "The last day is before the first.",
  DEPUTY_TOO_LONG: "A deputy can’t stand in for so long.",
  DEPUTY_TWICE: "You already have a deputy on some of these days. Choose other days, or end that arrangement first.",
  DOCUMENT_INVALID: "The specification has errors. Fix them, then try again.",
  DOCUMENT_CHANGED: "Someone else changed the specification. Reload it and try again.",
  CHANGE_REFUSED: "Can’t publish: some stored data doesn’t fit.",
  DOCUMENT_FIXED: "You can’t edit the specification here: {detail}.",
  TOO_MANY_PREVIEWS: "There are already {most} previews. End one of them, then try again.",
  NO_PREVIEWS: "You can’t start a preview here: {detail}.",
  PREVIEW_SENDS_NOTHING: "A preview never sends anything.",
  ALREADY_PUBLISHING: "Another version is being published. Wait until it is live, or abandon it.",
  PUBLISHING_ENDED: "This version is no longer being published. Reload the page.",
  SOON_UNIQUE: "A version that is being published doesn’t allow this value twice. Enter another one.",
  NEEDS_APPROVAL: "Publishing this change needs approval. Propose it instead.",
  OWN_PROPOSAL: "You proposed or edited this change, so someone else has to approve it.",
  PROPOSAL_CHANGED: "Someone changed or decided this proposal in the meantime. Reload the page.",
  PROPOSAL_TOO_LARGE:
    "A proposal can have at most 1,000,000 characters. Shorten the specification, or publish it with “ninefold apply”.",
  TOO_MANY_PROPOSALS: "You can save at most {most} texts and comments of proposals in 24 hours. Try again tomorrow.",
  FILE_TOO_LARGE: "A file can have at most {max}.",
  TOO_MUCH: "This is too much for one request. Send less at a time.",
  FILE_LOST: "This file is missing or damaged. An administrator can restore it from a backup.",
  TOO_MANY_FILES:
    "You’ve uploaded many files that no record uses yet. Save the records they belong to, then try again.",
  UNSUPPORTED: "This format isn’t supported. Send JSON.",
  TOO_MANY_ATTEMPTS: "Too many attempts. Wait a minute, then try again.",
  NOT_A_TABLE: "The file contains no table. A table has a header and at least one row. Save it as CSV or XLSX.",
  QUOTE_NOT_CLOSED:
    "The quotation mark in cell {cell} is never closed, so the rows after it can’t be read. Close or delete it.",
  NOT_ONE_TABLE:
    "The ZIP file must contain exactly one table (CSV, TSV or XLSX) outside of folders. Move the other files into a folder.",
  TABLE_TOO_LARGE: "{detail} A table can have at most {rows} rows, {columns} columns and {max}. Split the file.",
  TOO_MUCH_IN_ZIP:
    "The ZIP file contains more than can be imported at once. Split it, and import one part after the other.",
  IMPORT_TOUCHED:
    "Some imported records were changed or deleted since ({count}), so the import can’t be undone. Change those records by hand.",
  IMPORT_BUSY: "This isn’t possible in the present state of the import. Reload it.",
} as const;

/** Completes NOT_A_CHOICE if its choices are unknown, and after the first of many. */
export const choices = {
  unknown: "one of the listed choices",
  more: "one of {count} more",
} as const;

/** Problems with query parameters and headers; each follows a colon. `word` is the parameter. */
export const queries = {
  KEY_LENGTH: "an Idempotency-Key must have 1 to 255 characters",
  IF_MATCH: 'If-Match must be a version in quotes, such as "3"',
  TWICE: "“{word}” appears more than once",
  LIMIT: "“{word}” must be between 1 and {most}",
  OFFSET: "“{word}” must be the number of records to skip",
  PAGE: "“{word}” must be the number of a page, from 1",
  SEARCH: "“search” must be text",
  GROUP: "the list can’t be grouped or added up by “{word}”",
  GROUPS: "grouping needs one or two different fields",
  PIVOT: "a pivot needs two different fields",
  TOO_MANY_FILTERS: "there are too many filters",
  AMONG: "“among” must be a reference such as Request.kind, or Request.kind/ID",
  NO_SUCH_LIST: "these records have no list “{word}”",
  CHOOSES_NOTHING: "“{word}” matches none of these records",
  NO_PARAMETERS: "this call takes no parameters",
  IMPORT_ACT: "“{word}” is neither check nor run",
  IMPORT_SETTINGS: "the settings don’t fit the columns and fields of the import",
  IMPORT_OPEN: "some columns can be read in two ways; choose one for each",
  NO_SUCH_PARAMETER: "this call has no parameter “{word}”",
  VALUE: "“{word}” can’t have that value",
  VALUE_NOW: "“{word}” can’t have that value. It was renamed to “{now}”",
  FILTER: "you can’t filter by “{word}”",
  FILTER_NOW: "you can’t filter by “{word}”. It was renamed to “{now}”",
  FIELDS: "you can’t choose the member “{word}”",
  SORT: "you can’t sort by “{word}”",
  SORT_NOW: "you can’t sort by “{word}”. It was renamed to “{now}”",
  ACTION: "“{word}” isn’t an action",
  NO_SUCH_ENTITY: "“{word}” doesn’t exist",
  NOTHING_UNDECIDED: "“{word}” has nothing to decide",
  TOO_MANY_VIEWS: "you can save at most {most} views",
} as const;

/** Reasons why a specification cannot be edited or tried here; each follows a colon. `word` is a file. */
export const reasons = {
  NOT_UTF8: "{word} is not in UTF-8",
  NOT_WRITABLE: "the program has no permission to write {word}",
  UNREADABLE: "its files can’t be read",
  CHANGED_OUTSIDE: "its files were changed outside the program. Restart the program to run them",
  OTHER_FILES: "files can be changed here, but not added or removed",
  PREVIEW: "this is a preview",
  NO_ADDRESS: "start the program with --preview PORT=ORIGIN",
} as const;

/** Completes TABLE_TOO_LARGE: the measure in which a file is too large. `count` is its rows, columns or megabytes. */
export const sizes = {
  ROWS: "This table has {count, number} rows.",
  COLUMNS: "This table has {count, number} columns.",
  BYTES: "This file has {count}.",
  UNPACKED: "This workbook unpacks to more than 300 MB.",
} as const;

/** Expected values by field type; `list` for several values. */
export const kinds = {
  text: "one line of text",
  "long text": "text",
  "rich text": "formatted text",
  integer: "a whole number",
  decimal: "a number",
  "short decimal": "a number with at most 28 digits before and 10 after the decimal separator",
  "exact decimal": "a number with at most 15 digits; send a longer one as text",
  money: "an amount of money",
  boolean: "yes or no",
  date: "a date",
  "ordered date":
    "a date in the order {days, select, dmy {day, month, year} mdy {month, day, year} other {year, month, day}}, like the other dates of its column",
  "unordered date": "a date in a known order: choose the order of day and month for its column",
  "zoned date": "a date without a time: this moment is on another day in the time zone {zone}",
  time: "a time of day",
  datetime: "a date and time with its offset",
  duration: "a length of time, such as P14D or PT1H30M",
  choice: "one of the listed choices",
  email: "an email address",
  url: "a web address that begins with http:// or https://",
  phone: "a phone number",
  file: "an uploaded file",
  image: "an uploaded image (PNG, JPEG, GIF, WebP or AVIF)",
  json: "JSON with at most 50 levels",
  sequence: "a number that is assigned automatically",
  "integer sequence": "a whole number that is assigned automatically",
  slug: "lower-case letters and digits, with hyphens between them",
  position: "a whole number from 1",
  reference: "a record’s id",
  state: "one of its states",
  amount:
    "an amount in {currency} {places, plural, =0 {without decimal places} one {with at most # decimal place} other {with at most # decimal places}}",
  object: "an object",
  "objects in a list": "an object for each",
  rows: "a list",
  "list in place of null": "a list; send [] to empty it",
  "part id": "the id of a part",
  list: "a list of at most 200 values, each {kind}",
} as const satisfies { readonly [T in FieldTypeName]: string } & { readonly [kind: string]: string };

export type KindName = Exclude<keyof typeof kinds, "list">;

export const unavailable = {
  FAULT: { title: "Internal error", detail: "Something went wrong on our side. Try again in a moment." },
  TOO_BUSY: {
    title: "Server busy",
    detail: "The server is busy. Nothing was saved. Try again in a moment.",
  },
  TOOK_TOO_LONG: {
    title: "Took too long",
    detail: "This took too long and was stopped. Nothing was saved. Try again in a moment.",
  },
  STORE_AWAY: {
    title: "Database unavailable",
    detail: "Can’t reach the database. Your data is safe. Try again in a moment.",
  },
  FILES_AWAY: {
    title: "Files unavailable",
    detail: "Files can’t be stored or opened at the moment. Everything else works. Try again in a few minutes.",
  },
};

/** The page that an installed application shows without a connection. */
export const offline = {
  title: "Can’t reach {application}",
  words: "Check your connection, or wait a moment. This page keeps trying and opens as soon as it can.",
  drafts: "Drafts that you began on this device are still here.",
  retry: "Try again",
};

/** The page at the address of a preview that has ended. */
export const previewEnded = {
  title: "This preview has ended",
  words: "Its copy of the data has been deleted. Nothing that was entered in the preview reached the application.",
  back: "Back to the application",
};

/** Titles of problem documents by status. */
export const titles = {
  400: "Bad request",
  401: "Not signed in",
  403: "Not allowed",
  404: "Not found",
  409: "Conflict",
  412: "Changed by someone else",
  413: "Too large",
  415: "Unsupported format",
  422: "Not valid",
  429: "Too many attempts",
};

export const refused = "Refused";

/** Replaces the message if something was renamed or moved since the document changed. */
export const renamed = "“{name}” was renamed to “{now}”.";
export const moved = "This page has moved to {now}.";
export const removedBy =
  "Version {version} of the specification removed “{name}”. Its values are kept: see Versions, Retired data.";
