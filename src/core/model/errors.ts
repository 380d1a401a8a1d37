import type { ErrorCode } from "../i18n/catalogue.ts";
import { texts } from "../i18n/en/errors.ts";

/** The statuses of the built-in errors. */
const statuses = {
  NOT_SIGNED_IN: 401,
  BAD_CREDENTIALS: 401,
  NOT_FOUND: 404,
  NO_SUCH_CALL: 404,
  FORBIDDEN: 403,
  NOT_YOURS_TO_WRITE: 403,
  FOREIGN_ORIGIN: 403,
  CHANGED_MEANWHILE: 412,
  MALFORMED: 400,
  BAD_QUERY: 400,
  BAD_CURSOR: 400,
  BAD_PATH: 400,
  REQUIRED: 422,
  WRONG_TYPE: 422,
  TOO_SHORT: 422,
  TOO_LONG: 422,
  TOO_SMALL: 422,
  TOO_LARGE: 422,
  NOT_A_CHOICE: 422,
  UNKNOWN_FIELD: 422,
  NO_SUCH_FILE: 422,
  NO_SUCH_PICTURE: 422,
  NOT_IN_ZIP: 422,
  SEVERAL_IN_ZIP: 422,
  UNREADABLE_IN_ZIP: 422,
  NO_SUCH_REFERENCE: 422,
  ROW_REFUSED: 422,
  ROWS_IN_CIRCLE: 422,
  NO_SUCH_PART: 422,
  PART_TWICE: 422,
  TOO_MANY_PARTS: 422,
  NOT_AMONG: 422,
  NO_WAY_TO_STATE: 422,
  KEY_REUSED: 422,
  PASSWORD_LENGTH: 422,
  PASSWORD_WEAK: 422,
  PASSWORD_UNCHANGED: 422,
  WRONG_PASSWORD: 422,
  SIGN_IN_AGAIN: 403,
  LINK_USED: 403,
  INVALID: 422,
  WRONG_STATE: 409,
  TAKEN: 409,
  IN_USE: 409,
  LAST_ADMINISTRATOR: 409,
  ACCOUNT_INACTIVE: 409,
  NOT_ONE: 409,
  GUARD: 409,
  NEEDS_ANOTHER_PERSON: 409,
  DEPUTY_ONESELF: 422,
  DEPUTY_DATES: 422,
  DEPUTY_TOO_LONG: 422,
  DEPUTY_TWICE: 409,
  DOCUMENT_INVALID: 422,
  DOCUMENT_CHANGED: 409,
  CHANGE_REFUSED: 409,
  DOCUMENT_FIXED: 409,
  TOO_MANY_PREVIEWS: 409,
  NO_PREVIEWS: 409,
  PREVIEW_SENDS_NOTHING: 409,
  ALREADY_PUBLISHING: 409,
  PUBLISHING_ENDED: 409,
  SOON_UNIQUE: 409,
  NEEDS_APPROVAL: 403,
  OWN_PROPOSAL: 403,
  PROPOSAL_CHANGED: 409,
  PROPOSAL_TOO_LARGE: 413,
  TOO_MANY_PROPOSALS: 429,
  FILE_TOO_LARGE: 413,
  TOO_MUCH: 413,
  FILE_LOST: 410,
  TOO_MANY_FILES: 429,
  UNSUPPORTED: 415,
  TOO_MANY_ATTEMPTS: 429,
  NOT_A_TABLE: 422,
  QUOTE_NOT_CLOSED: 422,
  NOT_ONE_TABLE: 422,
  TABLE_TOO_LARGE: 413,
  TOO_MUCH_IN_ZIP: 413,
  IMPORT_TOUCHED: 409,
  IMPORT_BUSY: 409,
} as const satisfies Record<ErrorCode, number>;

export type BuiltInError = ErrorCode;

/** Built-in errors about a request as a whole, which name no field of its body. */
const withoutField: ReadonlySet<string> = new Set<BuiltInError>([
  "NOT_SIGNED_IN",
  "BAD_CREDENTIALS",
  "NOT_FOUND",
  "NO_SUCH_CALL",
  "FORBIDDEN",
  "FOREIGN_ORIGIN",
  "CHANGED_MEANWHILE",
  "MALFORMED",
  "BAD_QUERY",
  "BAD_CURSOR",
  "BAD_PATH",
  "KEY_REUSED",
  "WRONG_STATE",
  "GUARD",
  "NEEDS_ANOTHER_PERSON",
  "IN_USE",
  "TOO_MUCH",
  "UNSUPPORTED",
  "TOO_MANY_ATTEMPTS",
  "NOT_A_TABLE",
  "QUOTE_NOT_CLOSED",
  "NOT_ONE_TABLE",
  "TABLE_TOO_LARGE",
  "TOO_MUCH_IN_ZIP",
  "IMPORT_TOUCHED",
  "IMPORT_BUSY",
]);

/** Values of every message about a field: the name of the member in the request, and the value that was sent there. */
export const SENT_VALUES = ["member", "value"] as const;

/** True for `NOT_FOUND` and for its variant of one entity, `User.NOT_FOUND`. */
export const isBuiltInError = (code: string): boolean => Object.hasOwn(builtInErrors, code.split(".").at(-1) ?? "");

/** True for `NOT_FOUND` and `User.NOT_FOUND`: the built-in error names no field. */
export const isWithoutField = (code: string): boolean => withoutField.has(code.split(".").at(-1) ?? "");

/**
 * The built-in error entries, in force where point 8 is silent, in English. An entry of the same name in the
 * document changes one. Every one is documented in `docs/errors.md`; codes are never reused.
 */
export const builtInErrors: { readonly [code in BuiltInError]: { readonly status: number; readonly message: string } } =
  Object.fromEntries(
    Object.entries(statuses).map(([code, status]) => [code, { status, message: texts[code as BuiltInError] }]),
  ) as { [code in BuiltInError]: { status: number; message: string } };
