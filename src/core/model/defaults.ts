/**
 * The defaults in force where the document says nothing: always the cautious choice, each with a code. The reference
 * (`docs/language.md`) contains this table, and a test keeps the two in step. `topics` are words that match a statement
 * ("No roles are shown.") to its default; a statement that matches none gets the first row of its point. Topics only
 * determine what is displayed, never what is in force.
 */
export const defaults = {
  NOTHING_INVENTED: {
    point: 0,
    silent: "the document as a whole",
    inForce: "Nothing appears that no clause and no named default accounts for.",
    topics: [],
  },
  PURPOSE_UNKNOWN: {
    point: 1,
    silent: "what the product does",
    inForce: "The application bears the document's title and says nothing about itself.",
    topics: ["does"],
  },
  AUDIENCE_INVITED: {
    point: 1,
    silent: "whom it is for",
    inForce: "Only people whom an administrator has let in can sign in.",
    topics: ["who", "whom", "audience", "users"],
  },
  LOCALE_ENGLISH: {
    point: 1,
    silent: "the language",
    inForce: "Dates and numbers are written as in English.",
    topics: ["language", "locale"],
  },
  TIMEZONE_UTC: { point: 1, silent: "the time zone", inForce: "Days begin in UTC.", topics: ["zone"] },
  ACCENT_PETROL: {
    point: 1,
    silent: "the colour",
    inForce: "Buttons and links are petrol.",
    topics: ["colour", "color", "accent"],
  },
  SCREENS_OF_ENTITIES: {
    point: 2,
    silent: "the screens",
    inForce: "Each entity that a person may read has a list, a record and, where it may be written, a form.",
    topics: ["screen"],
  },
  ROUTES_OF_ENTITIES: {
    point: 2,
    silent: "the routes",
    inForce: "A list stands at the plural of its entity's name, its records below it.",
    topics: ["route", "path", "address"],
  },
  ROUTE_BY_ID: {
    point: 2,
    silent: "the route parameters",
    inForce: "The one parameter of a route is a record's id.",
    topics: ["parameter", "route parameter"],
  },
  RECORD_AND_FORMS_OF_LISTS: {
    point: 2,
    silent: "the record and the forms of a list",
    inForce: "A list has a record below it, and a form to make and to change one, with every field.",
    topics: [],
  },
  FIRST_COLUMNS: {
    point: 2,
    silent: "the columns of a list",
    inForce: "A list shows its entity's first six fields.",
    topics: ["column"],
  },
  NEWEST_FIRST: {
    point: 2,
    silent: "the order of a list",
    inForce: "A list shows the newest record first.",
    topics: ["order", "sort"],
  },
  NO_ENTITIES: {
    point: 3,
    silent: "the entities",
    inForce: "There are no entities but the people who sign in; nothing can be stored.",
    topics: ["entit", "record", "table"],
  },
  NO_FIELDS: {
    point: 3,
    silent: "the fields",
    inForce:
      "There are no fields; a person has a name and an email address, and no picture until somebody may give one.",
    topics: ["field", "attribute", "column"],
  },
  LABEL_FIRST_TEXT: {
    point: 3,
    silent: "the label of an entity",
    inForce: "A record is called by its first line of text, or by its entity's name.",
    topics: ["label"],
  },
  FIELD_WITHOUT_COLUMN: {
    point: 3,
    silent: "the type of a field",
    inForce: "The field has no column and is shown nowhere.",
    topics: ["type"],
  },
  NO_STATES: { point: 4, silent: "the states", inForce: "Records have no state.", topics: ["state", "status"] },
  NO_TRANSITIONS: { point: 4, silent: "the transitions", inForce: "There are no transitions.", topics: ["transition"] },
  FIRST_STATE_BEGINS: {
    point: 4,
    silent: "the initial state",
    inForce: "A record begins in the first state.",
    topics: ["initial"],
  },
  COLOURS_BY_ORDER: {
    point: 4,
    silent: "the tone of a state",
    inForce: "States have colours by their order, and never red or green.",
    topics: ["tone", "colour"],
  },
  TRANSITION_BY_ADMINISTRATORS: {
    point: 4,
    silent: "who makes a transition",
    inForce: "Administrators alone may make it.",
    topics: ["by whom"],
  },
  TYPES_ALONE: {
    point: 5,
    silent: "the validation rules",
    inForce: "A value must be of its field's type, and given where the field is required; no other rule holds.",
    topics: [],
  },
  ADMINISTRATORS_ONLY: {
    point: 6,
    silent: "the permissions",
    inForce: "Administrators alone may read or change records, until someone decides.",
    topics: ["permission", "access", "may"],
  },
  NO_ROLES: {
    point: 6,
    silent: "the roles",
    inForce: "There is no role but administrator, and one first administrator.",
    topics: ["role"],
  },
  ACTION_BY_NOBODY: {
    point: 6,
    silent: "an action on an entity of which point 6 speaks",
    inForce: "Nobody may do it.",
    topics: [],
  },
  ROLE_GRANTED: {
    point: 6,
    silent: "the members of a role",
    inForce: "A role is held by those to whom an administrator grants it.",
    topics: ["members"],
  },
  CONVENTIONAL_CALLS: {
    point: 7,
    silent: "the calls",
    inForce: "The conventional calls are served for each entity, and no other; without entities there are none.",
    topics: ["method", "call", "payload", "endpoint"],
  },
  PASSWORD_ALONE: {
    point: 7,
    silent: "the providers",
    inForce: "People sign in with email and password; no provider is offered.",
    topics: ["provider", "social-login"],
  },
  SIGN_UP_CLOSED: {
    point: 7,
    silent: "registration",
    inForce: "Nobody can register; an administrator makes accounts.",
    topics: ["registration", "sign-up", "register"],
  },
  NO_TOKENS: {
    point: 7,
    silent: "tokens for programs",
    inForce: "Nobody makes a token for a program; a program signs in as a person does.",
    topics: ["token", "program"],
  },
  BUILT_IN_ERRORS: {
    point: 8,
    silent: "the errors",
    inForce: "The built-in errors are answered, with their own codes and sentences.",
    topics: [],
  },
  STATUS_422: {
    point: 8,
    silent: "the status of an error",
    inForce: "An error is answered with the status 422.",
    topics: ["status"],
  },
  BUILT_IN_LIMITS: {
    point: 9,
    silent: "the constants",
    inForce:
      "The built-in limits hold where none is shown: 50 records to a page and 200 at most, sessions of 12 hours, 10 attempts to sign in.",
    topics: [],
  },
} as const satisfies Record<string, DefaultRow>;

export interface DefaultRow {
  readonly point: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
  readonly silent: string;
  readonly inForce: string;
  readonly topics: readonly string[];
}

export type DefaultCode = keyof typeof defaults;

export const isDefaultCode = (code: string): code is DefaultCode => Object.hasOwn(defaults, code);

export const defaultCodes = Object.keys(defaults) as readonly DefaultCode[];

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
