/** The built-in errors. Their statuses are in `core/model/errors.ts`; `docs/errors.md` documents each. */
export const texts = {
  NOT_SIGNED_IN: "You are not signed in.",
  BAD_CREDENTIALS: "The email address or the password is not right.",
  NOT_FOUND: "There is no such record, or it is not for you to see.",
  NO_SUCH_CALL: "There is nothing at this address.",
  FORBIDDEN: "This is not permitted.",
  NOT_YOURS_TO_WRITE: "{field} is not yours to change.",
  FOREIGN_ORIGIN: "The request came from another site.",
  CHANGED_MEANWHILE: "Somebody changed this record in the meantime.",
  MALFORMED: "What was sent cannot be read.",
  BAD_QUERY: "The address asks for something that is not there: {detail}.",
  BAD_CURSOR: "This page token does not belong to this list.",
  REQUIRED: "{field} is needed.",
  WRONG_TYPE: "{field} must be {type}.",
  TOO_SHORT: "{field} must have at least {min} characters.",
  TOO_LONG: "{field} may have at most {max} characters.",
  TOO_SMALL: "{field} must be at least {min}.",
  TOO_LARGE: "{field} must be at most {max}.",
  NOT_A_CHOICE: "{field} must be one of its choices.",
  UNKNOWN_FIELD: "There is no field {field}.",
  NO_SUCH_FILE: "{field} names no file that was sent within the last day.",
  NO_SUCH_PICTURE: "{field} names no picture that was sent within the last day.",
  NO_SUCH_REFERENCE: "What stands in “{field}” is not there, or it is not for you to see.",
  NO_SUCH_PART: "This names no part of the record that may be seen.",
  PART_TWICE: "This part stands in the list already.",
  TOO_MANY_PARTS: "{field} may hold at most {max}.",
  NOT_AMONG: "What stands in “{field}” cannot be chosen here.",
  KEY_REUSED: "This Idempotency-Key was used for another request.",
  PASSWORD_LENGTH: "A password has {min} to {max} characters.",
  PASSWORD_WEAK: "This password can be guessed. Choose another one.",
  WRONG_PASSWORD: "The password is not right.",
  SIGN_IN_AGAIN: "This asks for a recent sign-in. Sign out, sign in, and try again.",
  LINK_USED: "This link was used already or no longer holds.",
  INVALID: "Something has to be put right.",
  WRONG_STATE: "That cannot be done in the state it is in: {state}.",
  TAKEN: "{field} is taken.",
  IN_USE: "Something else still refers to this, so it stays.",
  LAST_ADMINISTRATOR: "Somebody has to be administrator, and this is the last one.",
  ACCOUNT_INACTIVE: "This account is not active.",
  NOT_ONE: "Exactly one was to be found there, and there are none or several.",
  GUARD: "That cannot be done now.",
  DOCUMENT_INVALID: "The document cannot run before its errors are mended.",
  DOCUMENT_CHANGED: "The document was changed in the meantime.",
  CHANGE_REFUSED: "What is stored would be lost or would not fit.",
  DOCUMENT_FIXED: "The document cannot be changed here: {detail}.",
  FILE_TOO_LARGE: "A file may have at most {max}.",
  TOO_MUCH: "That is more than one request may hold.",
  TOO_MANY_FILES: "You have sent many files that nothing holds yet. Save what they belong to, then try again.",
  UNSUPPORTED: "Send JSON.",
  TOO_MANY_ATTEMPTS: "There were too many attempts. Wait a minute, then try again.",
} as const;

/** Problems with query parameters and headers; each follows a colon. `word` is the parameter. */
export const queries = {
  KEY_LENGTH: "an Idempotency-Key has 1 to 255 characters",
  IF_MATCH: 'If-Match is a version in quotes, such as "3"',
  TWICE: "“{word}” stands there more than once",
  LIMIT: "“limit” is from 1 to {most}",
  OFFSET: "“offset” is how many records are passed over",
  SEARCH: "“search” is no text",
  TOO_MANY_FILTERS: "there are too many filters",
  AMONG: "“among” is a reference such as Request.kind, or Request.kind/ID",
  NO_SUCH_LIST: "no list of these records is called “{word}”",
  CHOOSES_NOTHING: "“{word}” chooses nothing of these",
  NO_PARAMETERS: "this call takes no words in its address",
  NO_SUCH_PARAMETER: "this call knows no “{word}”",
  VALUE: "“{word}” cannot have that value",
  VALUE_NOW: "“{word}” cannot have that value; it is called “{now}” now",
  FILTER: "nothing can be filtered by “{word}”",
  FILTER_NOW: "nothing can be filtered by “{word}”; it is called “{now}” now",
  SORT: "nothing can be sorted by “{word}”",
  SORT_NOW: "nothing can be sorted by “{word}”; it is called “{now}” now",
  ACTION: "“{word}” is nothing that can be done",
  NO_SUCH_ENTITY: "there is no “{word}”",
  NOTHING_UNDECIDED: "nothing is undecided about “{word}”",
  TOO_MANY_VIEWS: "one keeps {most} views at most",
} as const;

/** Expected values by field type; `list` for several values. */
export const kinds = {
  text: "one line of text",
  "long text": "text",
  "rich text": "text with marks",
  integer: "a whole number",
  decimal: "a number",
  money: "an amount of money",
  boolean: "yes or no",
  date: "a date",
  time: "a time of day",
  datetime: "a date and time with its offset",
  duration: "a length of time, such as P14D or PT1H30M",
  choice: "one of its choices",
  email: "an email address",
  url: "a web address that begins with http:// or https://",
  phone: "a telephone number",
  file: "a file that was sent before",
  image: "a picture (PNG, JPEG, GIF, WebP or AVIF) that was sent before",
  json: "JSON, nested 50 deep at most",
  sequence: "a number that the program draws",
  slug: "small letters and digits with hyphens between them",
  position: "a whole number from 1",
  reference: "a record's id",
  state: "one of its states",
  amount:
    "an amount in {currency} {places, plural, =0 {without decimal places} one {with # decimal place at most} other {with # decimal places at most}}",
  object: "an object",
  "objects in a list": "an object for each",
  rows: "a list",
  "part id": "the id of a part",
  list: "a list of 200 values at most, each {kind}",
} as const;

export type KindName = Exclude<keyof typeof kinds, "list">;

export const unavailable = {
  FAULT: { title: "Fault", detail: "This could not be done, and the fault is the program's." },
  TOO_BUSY: {
    title: "Too busy",
    detail: "Too many are asking at this moment. Nothing was done; try again in a moment.",
  },
  TOOK_TOO_LONG: {
    title: "Took too long",
    detail: "This took longer than it may and was given up. Nothing was done; try again in a moment.",
  },
  STORE_AWAY: {
    title: "Away",
    detail: "The store cannot be reached just now. Nothing was lost; try again in a moment.",
  },
};

/** Titles of problem documents by status. */
export const titles = {
  400: "Bad request",
  401: "Not signed in",
  403: "Not permitted",
  404: "Not found",
  409: "Conflict",
  412: "Changed meanwhile",
  413: "Too much",
  415: "Unsupported",
  422: "Not valid",
  429: "Too many attempts",
};

export const refused = "Refused";

/** Replaces the message if something was renamed or moved since the document changed. */
export const renamed = "“{name}” is called “{now}” now.";
export const moved = "This is at {now} now.";
