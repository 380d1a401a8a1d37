import { texts } from "../i18n/en/defaults.ts";

/**
 * The defaults in force where the document says nothing: always the cautious choice, each with a code. The reference
 * (`docs/language.md`) contains this table, and a test keeps the two in step. `topics` are words that match a statement
 * ("No roles are shown.") to its default; a statement that matches none gets the first row of its point. Topics only
 * determine what is displayed, never what is in force.
 */
const rows = {
  NOTHING_INVENTED: {
    point: 0,
    topics: [],
  },
  PURPOSE_UNKNOWN: {
    point: 1,
    topics: ["does"],
  },
  AUDIENCE_INVITED: {
    point: 1,
    topics: ["who", "whom", "audience", "users"],
  },
  LOCALE_ENGLISH: {
    point: 1,
    topics: ["language", "locale"],
  },
  TIMEZONE_UTC: { point: 1, topics: ["zone"] },
  ACCENT_PETROL: {
    point: 1,
    topics: ["colour", "color", "accent"],
  },
  SCREENS_OF_ENTITIES: {
    point: 2,
    topics: ["screen"],
  },
  ROUTES_OF_ENTITIES: {
    point: 2,
    topics: ["route", "path", "address"],
  },
  ROUTE_BY_ID: {
    point: 2,
    topics: ["parameter", "route parameter"],
  },
  RECORD_AND_FORMS_OF_LISTS: {
    point: 2,
    topics: [],
  },
  FIRST_COLUMNS: {
    point: 2,
    topics: ["column"],
  },
  NEWEST_FIRST: {
    point: 2,
    topics: ["order", "sort"],
  },
  NO_ENTITIES: {
    point: 3,
    topics: ["entit", "record", "table"],
  },
  NO_FIELDS: {
    point: 3,
    topics: ["field", "attribute", "column"],
  },
  LABEL_FIRST_TEXT: {
    point: 3,
    topics: ["label"],
  },
  FIELD_WITHOUT_COLUMN: {
    point: 3,
    topics: ["type"],
  },
  NO_STATES: { point: 4, topics: ["state", "status"] },
  NO_TRANSITIONS: { point: 4, topics: ["transition"] },
  FIRST_STATE_BEGINS: {
    point: 4,
    topics: ["initial"],
  },
  COLOURS_BY_ORDER: {
    point: 4,
    topics: ["tone", "colour"],
  },
  NOTIFICATIONS_AT_ONCE: {
    point: 4,
    topics: [],
  },
  TRANSITION_BY_ADMINISTRATORS: {
    point: 4,
    topics: ["by whom"],
  },
  TYPES_ALONE: {
    point: 5,
    topics: [],
  },
  ADMINISTRATORS_ONLY: {
    point: 6,
    topics: ["permission", "access", "may"],
  },
  NO_ROLES: {
    point: 6,
    topics: ["role"],
  },
  CHANGES_BY_ADMINISTRATORS: {
    point: 6,
    topics: ["publish", "propose"],
  },
  ACTION_BY_NOBODY: {
    point: 6,
    topics: [],
  },
  ROLE_GRANTED: {
    point: 6,
    topics: ["members"],
  },
  CONVENTIONAL_CALLS: {
    point: 7,
    topics: ["method", "call", "payload", "endpoint"],
  },
  PASSWORD_ALONE: {
    point: 7,
    topics: ["provider", "social-login"],
  },
  SIGN_UP_CLOSED: {
    point: 7,
    topics: ["registration", "sign-up", "register"],
  },
  NO_TOKENS: {
    point: 7,
    topics: ["token", "program"],
  },
  BUILT_IN_ERRORS: {
    point: 8,
    topics: [],
  },
  STATUS_422: {
    point: 8,
    topics: ["status"],
  },
  BUILT_IN_LIMITS: {
    point: 9,
    topics: [],
  },
} as const satisfies Record<keyof typeof texts, Omit<DefaultRow, "silent" | "inForce">>;

export type DefaultCode = keyof typeof rows;

export const defaultCodes = Object.keys(rows) as readonly DefaultCode[];

/** The rows with their English texts; `i18n` has those of the other languages. */
export const defaults = Object.fromEntries<DefaultRow>(
  defaultCodes.map((code) => [code, { ...rows[code], ...texts[code] }]),
) as Readonly<Record<DefaultCode, DefaultRow>>;

export interface DefaultRow {
  readonly point: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
  readonly silent: string;
  readonly inForce: string;
  readonly topics: readonly string[];
}

export const isDefaultCode = (code: string): code is DefaultCode => Object.hasOwn(defaults, code);

/**
 * The default for a statement: the row of its point with most topics in the sentence; failing that, `otherwise`, or the
 * first row.
 */
export const defaultFor = (point: number, statement: string, otherwise?: DefaultCode): DefaultCode => {
  const words = statement.toLowerCase();
  const rows = defaultCodes.filter((code) => defaults[code].point === point);
  let best = otherwise ?? rows[0] ?? "NOTHING_INVENTED";
  let most = 0;
  for (const code of rows) {
    const hits = defaults[code].topics.filter((topic) => words.includes(topic)).length;
    if (hits > most) [best, most] = [code, hits];
  }
  return best;
};
