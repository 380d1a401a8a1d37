/** For each default, what a specification leaves open, and what applies instead. */
export const texts = {
  NOTHING_INVENTED: {
    silent: "the document as a whole",
    inForce: "Nothing appears that neither a clause nor a default defines.",
  },
  PURPOSE_UNKNOWN: {
    silent: "what the product does",
    inForce: "The application has the title of the specification and no description.",
  },
  AUDIENCE_INVITED: {
    silent: "the people it is for",
    inForce: "Only people whom an administrator invited can sign in.",
  },
  LOCALE_ENGLISH: { silent: "the language", inForce: "Texts are in English, dates and numbers as in Britain." },
  TIMEZONE_UTC: { silent: "the time zone", inForce: "The time zone is UTC." },
  ACCENT_PETROL: { silent: "the colour", inForce: "The accent colour of buttons and links is petrol." },
  SCREENS_OF_ENTITIES: {
    silent: "the screens",
    inForce:
      "Each entity that a person can read has a list and a record page. Each entity that a person can write also has a form.",
  },
  ROUTES_OF_ENTITIES: {
    silent: "the routes",
    inForce: "The address of a list is the plural of its entity, such as /bookings, and its records are below it.",
  },
  ROUTE_BY_ID: { silent: "the route parameters", inForce: "The only parameter of a route is the id of a record." },
  RECORD_AND_FORMS_OF_LISTS: {
    silent: "the record and the forms of a list",
    inForce: "Each list has a record page and forms to create and edit a record, with every field.",
  },
  FIRST_COLUMNS: { silent: "the columns of a list", inForce: "A list shows the first six fields of its entity." },
  NEWEST_FIRST: { silent: "the order of a list", inForce: "A list shows the newest records first." },
  NO_ENTITIES: {
    silent: "the entities",
    inForce: "There are no entities except the people who sign in, so nothing can be stored.",
  },
  NO_FIELDS: {
    silent: "the fields",
    inForce:
      "There are no fields. People have a name and an email address, and a picture only if a permission allows it.",
  },
  LABEL_FIRST_TEXT: {
    silent: "the label of an entity",
    inForce: "The label of a record is its first text field, or else the name of its entity.",
  },
  FIELD_WITHOUT_COLUMN: { silent: "the type of a field", inForce: "The field is not stored and not shown." },
  NO_STATES: { silent: "the states", inForce: "Records have no state." },
  NO_TRANSITIONS: { silent: "the transitions", inForce: "There are no transitions." },
  FIRST_STATE_BEGINS: { silent: "the initial state", inForce: "A record starts in the first state." },
  COLOURS_BY_ORDER: {
    silent: "the tone of a state",
    inForce: "States get colours by their order, but never red or green.",
  },
  NOTIFICATIONS_AT_ONCE: {
    silent: "when notifications are sent by email",
    inForce:
      "Notifications are emailed at once, if a mail server is set up. Each person can choose one email a day, or none. Emails offer the transitions that their reader can make.",
  },
  TRANSITION_BY_ADMINISTRATORS: { silent: "who can make a transition", inForce: "Only administrators can make it." },
  TYPES_ALONE: {
    silent: "the validation rules",
    inForce: "A value must match the type of its field, and required fields need a value. No other rule applies.",
  },
  ADMINISTRATORS_ONLY: { silent: "the permissions", inForce: "Only administrators can read or change records." },
  NO_ROLES: { silent: "the roles", inForce: "The only role is administrator, and there is one first administrator." },
  CHANGES_BY_ADMINISTRATORS: {
    silent: "who proposes and approves changes to the specification",
    inForce: "An administrator publishes a change alone.",
  },
  ACTION_BY_NOBODY: { silent: "an action on an entity that point 6 mentions", inForce: "No one can do it." },
  ROLE_GRANTED: { silent: "the members of a role", inForce: "An administrator grants the role to people." },
  CONVENTIONAL_CALLS: {
    silent: "the calls",
    inForce: "Each entity has the conventional calls, and there are no others.",
  },
  PASSWORD_ALONE: { silent: "the providers", inForce: "People sign in with email and password, without a provider." },
  SIGN_UP_CLOSED: { silent: "registration", inForce: "No one can register. An administrator creates accounts." },
  NO_TOKENS: {
    silent: "tokens for programs",
    inForce: "No one can create API tokens. A program signs in like a person.",
  },
  BUILT_IN_ERRORS: { silent: "the errors", inForce: "The built-in errors apply, with their own codes and messages." },
  STATUS_422: { silent: "the status of an error", inForce: "The status of an error is 422." },
  BUILT_IN_LIMITS: {
    silent: "the constants",
    inForce:
      "The built-in limits apply: 50 records per page and at most 200, sessions of 12 hours, 10 sign-in attempts.",
  },
} as const satisfies Readonly<Record<string, { readonly silent: string; readonly inForce: string }>>;
