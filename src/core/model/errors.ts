/**
 * The built-in entries of the error catalogue, in force where point 8 is silent. An entry of the same name in the
 * document changes one. Every one is documented in `docs/errors.md`; codes are never reused.
 */
export const builtInErrors = {
  NOT_SIGNED_IN: { status: 401, message: "Nobody is signed in." },
  BAD_CREDENTIALS: { status: 401, message: "The email address or the password is not right." },
  NOT_FOUND: { status: 404, message: "There is no such record, or it may not be seen." },
  NO_SUCH_CALL: { status: 404, message: "There is nothing at this address." },
  FORBIDDEN: { status: 403, message: "This is not permitted." },
  NOT_YOURS_TO_WRITE: { status: 403, message: "{field} may not be written." },
  FOREIGN_ORIGIN: { status: 403, message: "The request came from another site." },
  CHANGED_MEANWHILE: { status: 412, message: "Somebody changed this record in the meantime." },
  MALFORMED: { status: 400, message: "What was sent cannot be read." },
  BAD_QUERY: { status: 400, message: "The address asks for something that is not there: {detail}." },
  BAD_CURSOR: { status: 400, message: "This page token does not belong to this list." },
  REQUIRED: { status: 422, message: "{field} is needed." },
  WRONG_TYPE: { status: 422, message: "{field} must be {type}." },
  TOO_LONG: { status: 422, message: "{field} may have {max} characters at most." },
  TOO_SMALL: { status: 422, message: "{field} must be {min} at least." },
  TOO_LARGE: { status: 422, message: "{field} must be {max} at most." },
  NOT_A_CHOICE: { status: 422, message: "{field} must be one of its choices." },
  UNKNOWN_FIELD: { status: 422, message: "There is no field {field}." },
  NO_SUCH_REFERENCE: { status: 422, message: "{field} names no record that may be seen." },
  KEY_REUSED: { status: 422, message: "This Idempotency-Key was used for another request." },
  PASSWORD_LENGTH: { status: 422, message: "A password has {min} to {max} characters." },
  WRONG_PASSWORD: { status: 422, message: "The password is not right." },
  LINK_USED: { status: 403, message: "This link was used already or no longer holds." },
  INVALID: { status: 422, message: "Something has to be put right." },
  WRONG_STATE: { status: 409, message: "That cannot be done in the state it is in: {state}." },
  TAKEN: { status: 409, message: "{field} is taken." },
  IN_USE: { status: 409, message: "Other records refer to this one." },
  LAST_ADMINISTRATOR: { status: 409, message: "Somebody has to be administrator, and this is the last one." },
  ACCOUNT_INACTIVE: { status: 409, message: "This account is not active." },
  GUARD: { status: 409, message: "That cannot be done now." },
  TOO_MUCH: { status: 413, message: "That is more than one request may hold." },
  UNSUPPORTED: { status: 415, message: "Send JSON." },
  TOO_MANY_ATTEMPTS: { status: 429, message: "There were too many attempts. Wait a minute, then try again." },
} as const satisfies Record<string, { readonly status: number; readonly message: string }>;

export type BuiltInError = keyof typeof builtInErrors;
