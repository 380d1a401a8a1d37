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
    inForce: "Nothing appears that neither a clause nor a default defines.",
    topics: [],
  },
  PURPOSE_UNKNOWN: {
    point: 1,
    silent: "what the product does",
    inForce: "The application has the title of the specification and no description.",
    topics: ["does"],
  },
  AUDIENCE_INVITED: {
    point: 1,
    silent: "the people it is for",
    inForce: "Only people with an account from an administrator can sign in.",
    topics: ["who", "whom", "audience", "users"],
  },
  LOCALE_ENGLISH: {
    point: 1,
    silent: "the language",
    inForce: "Texts are in English, dates and numbers as in Britain.",
    topics: ["language", "locale"],
  },
  TIMEZONE_UTC: { point: 1, silent: "the time zone", inForce: "The time zone is UTC.", topics: ["zone"] },
  ACCENT_PETROL: {
    point: 1,
    silent: "the colour",
    inForce: "The accent colour of buttons and links is petrol.",
    topics: ["colour", "color", "accent"],
  },
  SCREENS_OF_ENTITIES: {
    point: 2,
    silent: "the screens",
    inForce:
      "Each entity that a person can read has a list and a record page. Each entity that a person can write also has a form.",
    topics: ["screen"],
  },
  ROUTES_OF_ENTITIES: {
    point: 2,
    silent: "the routes",
    inForce: "The address of a list is the plural of its entity, such as /bookings, and its records are below it.",
    topics: ["route", "path", "address"],
  },
  ROUTE_BY_ID: {
    point: 2,
    silent: "the route parameters",
    inForce: "The only parameter of a route is the id of a record.",
    topics: ["parameter", "route parameter"],
  },
  RECORD_AND_FORMS_OF_LISTS: {
    point: 2,
    silent: "the record and the forms of a list",
    inForce: "Each list has a record page and forms to create and edit a record, with every field.",
    topics: [],
  },
  FIRST_COLUMNS: {
    point: 2,
    silent: "the columns of a list",
    inForce: "A list shows the first six fields of its entity.",
    topics: ["column"],
  },
  NEWEST_FIRST: {
    point: 2,
    silent: "the order of a list",
    inForce: "A list shows the newest records first.",
    topics: ["order", "sort"],
  },
  NO_ENTITIES: {
    point: 3,
    silent: "the entities",
    inForce: "There are no entities except the people who sign in, so nothing can be stored.",
    topics: ["entit", "record", "table"],
  },
  NO_FIELDS: {
    point: 3,
    silent: "the fields",
    inForce:
      "There are no fields. People have a name and an email address, and a picture only if a permission allows it.",
    topics: ["field", "attribute", "column"],
  },
  LABEL_FIRST_TEXT: {
    point: 3,
    silent: "the label of an entity",
    inForce: "The label of a record is its first text field, or else the name of its entity.",
    topics: ["label"],
  },
  FIELD_WITHOUT_COLUMN: {
    point: 3,
    silent: "the type of a field",
    inForce: "The field is not stored and not shown.",
    topics: ["type"],
  },
  NO_STATES: { point: 4, silent: "the states", inForce: "Records have no state.", topics: ["state", "status"] },
  NO_TRANSITIONS: { point: 4, silent: "the transitions", inForce: "There are no transitions.", topics: ["transition"] },
  FIRST_STATE_BEGINS: {
    point: 4,
    silent: "the initial state",
    inForce: "A record starts in the first state.",
    topics: ["initial"],
  },
  COLOURS_BY_ORDER: {
    point: 4,
    silent: "the tone of a state",
    inForce: "States get colours by their order, but never red or green.",
    topics: ["tone", "colour"],
  },
  TRANSITION_BY_ADMINISTRATORS: {
    point: 4,
    silent: "who can make a transition",
    inForce: "Only administrators can make it.",
    topics: ["by whom"],
  },
  TYPES_ALONE: {
    point: 5,
    silent: "the validation rules",
    inForce: "A value must match the type of its field, and required fields need a value. No other rule applies.",
    topics: [],
  },
  ADMINISTRATORS_ONLY: {
    point: 6,
    silent: "the permissions",
    inForce: "Only administrators can read or change records.",
    topics: ["permission", "access", "may"],
  },
  NO_ROLES: {
    point: 6,
    silent: "the roles",
    inForce: "The only role is administrator, and there is one first administrator.",
    topics: ["role"],
  },
  CHANGES_BY_ADMINISTRATORS: {
    point: 6,
    silent: "who proposes and approves changes to the specification",
    inForce: "An administrator publishes a change alone.",
    topics: ["publish", "propose"],
  },
  ACTION_BY_NOBODY: {
    point: 6,
    silent: "an action on an entity that point 6 mentions",
    inForce: "No one can do it.",
    topics: [],
  },
  ROLE_GRANTED: {
    point: 6,
    silent: "the members of a role",
    inForce: "An administrator grants the role to people.",
    topics: ["members"],
  },
  CONVENTIONAL_CALLS: {
    point: 7,
    silent: "the calls",
    inForce: "Each entity has the conventional calls, and there are no others.",
    topics: ["method", "call", "payload", "endpoint"],
  },
  PASSWORD_ALONE: {
    point: 7,
    silent: "the providers",
    inForce: "People sign in with email and password, without a provider.",
    topics: ["provider", "social-login"],
  },
  SIGN_UP_CLOSED: {
    point: 7,
    silent: "registration",
    inForce: "No one can register. An administrator creates accounts.",
    topics: ["registration", "sign-up", "register"],
  },
  NO_TOKENS: {
    point: 7,
    silent: "tokens for programs",
    inForce: "No one can create API tokens. A program signs in like a person.",
    topics: ["token", "program"],
  },
  BUILT_IN_ERRORS: {
    point: 8,
    silent: "the errors",
    inForce: "The built-in errors apply, with their own codes and messages.",
    topics: [],
  },
  STATUS_422: {
    point: 8,
    silent: "the status of an error",
    inForce: "The status of an error is 422.",
    topics: ["status"],
  },
  BUILT_IN_LIMITS: {
    point: 9,
    silent: "the constants",
    inForce:
      "The built-in limits apply: 50 records per page and at most 200, sessions of 12 hours, 10 sign-in attempts.",
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
