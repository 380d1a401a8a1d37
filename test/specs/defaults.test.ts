import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { type DefaultCode, defaultCodes, defaults } from "../../src/core/model/defaults.ts";

/** The blocks of a document by point; a point without one has only its heading. */
const documentOf = (blocks: { readonly [point: number]: string }): string =>
  [1, 2, 3, 4, 5, 6, 7, 8, 9]
    .map(
      (point) => `## ${point}. Point\n\n${blocks[point] === undefined ? "" : `\`\`\`yaml\n${blocks[point]}\n\`\`\`\n`}`,
    )
    .join("\n");

const inForce = (text: string): readonly DefaultCode[] => {
  const { model, findings } = compile({ file: "silent.md", text });
  expect(findings.filter((finding) => finding.severity === "error")).toEqual([]);
  return model?.defaults ?? [];
};

const thing = "Thing: { label: '{name}', fields: { name: text } }";
const states =
  "Thing: { initial: new, final: [done], states: [{ new: { tone: neutral } }, { done: { tone: good } }], transitions: { finish: { from: new, to: done, by: keeper } } }";
const roles =
  "roles: { keeper: { members: granted } }\npermissions: { Thing: { read: [keeper], create: [keeper], update: [keeper], delete: [keeper] } }";

/** For each default, a document that is silent and one that decides it. A sentence of point 1 is prose. */
const cases: { readonly [Code in DefaultCode]: { readonly silent: string; readonly said: string | null } } = {
  NOTHING_INVENTED: { silent: `Nothing of it is shown.\n\n${documentOf({})}`, said: documentOf({}) },
  PURPOSE_UNKNOWN: {
    silent: documentOf({}),
    said: documentOf({}).replace("## 1. Point\n", "## 1. Point\n\nA desk lends things.\n"),
  },
  AUDIENCE_INVITED: {
    silent: documentOf({}),
    said: documentOf({}).replace("## 1. Point\n", "## 1. Point\n\nA desk lends things to members.\n"),
  },
  LOCALE_ENGLISH: { silent: documentOf({ 1: "name: Desk" }), said: documentOf({ 1: "locale: de-DE" }) },
  TIMEZONE_UTC: { silent: documentOf({ 1: "name: Desk" }), said: documentOf({ 1: "timezone: Europe/Berlin" }) },
  ACCENT_PETROL: { silent: documentOf({ 1: "name: Desk" }), said: documentOf({ 1: "accent: '#c2185b'" }) },
  SCREENS_OF_ENTITIES: {
    silent: documentOf({ 3: thing }),
    said: documentOf({ 2: "/things: { list: Thing }", 3: thing }),
  },
  ROUTES_OF_ENTITIES: {
    silent: documentOf({ 3: thing }),
    said: documentOf({ 2: "/things: { list: Thing }", 3: thing }),
  },
  ROUTE_BY_ID: { silent: documentOf({ 3: thing }), said: documentOf({ 2: "/things: { list: Thing }", 3: thing }) },
  RECORD_AND_FORMS_OF_LISTS: {
    silent: documentOf({ 2: "/things: { list: Thing }", 3: thing }),
    said: documentOf({
      2: "/things: { list: Thing }\n/things/{id}: { record: Thing }\n/things/new: { form: Thing }",
      3: thing,
    }),
  },
  FIRST_COLUMNS: {
    silent: documentOf({ 2: "/things: { list: Thing }", 3: thing }),
    said: documentOf({ 2: "/things: { list: Thing, columns: [name] }", 3: thing }),
  },
  NEWEST_FIRST: {
    silent: documentOf({ 2: "/things: { list: Thing }", 3: thing }),
    said: documentOf({ 2: "/things: { list: Thing, sort: [name] }", 3: thing }),
  },
  NO_ENTITIES: { silent: documentOf({}), said: documentOf({ 3: thing }) },
  NO_FIELDS: { silent: documentOf({}), said: documentOf({ 3: thing }) },
  LABEL_FIRST_TEXT: { silent: documentOf({ 3: "Thing: { fields: { name: text } }" }), said: documentOf({ 3: thing }) },
  FIELD_WITHOUT_COLUMN: {
    silent: documentOf({ 3: "Thing: { label: '{name}', fields: { name: text, due: not shown } }" }),
    said: documentOf({ 3: thing }),
  },
  NO_STATES: { silent: documentOf({ 3: thing }), said: documentOf({ 3: thing, 4: "none" }) },
  NO_TRANSITIONS: { silent: documentOf({ 3: thing }), said: documentOf({ 3: thing, 4: "none" }) },
  FIRST_STATE_BEGINS: {
    silent: documentOf({ 3: thing, 4: states.replace("initial: new, ", ""), 6: roles }),
    said: documentOf({ 3: thing, 4: states, 6: roles }),
  },
  COLOURS_BY_ORDER: {
    silent: documentOf({ 3: thing, 4: states.replace("{ new: { tone: neutral } }", "new"), 6: roles }),
    said: documentOf({ 3: thing, 4: states, 6: roles }),
  },
  // People decide about their own mails.
  NOTIFICATIONS_AT_ONCE: {
    silent: documentOf({
      3: "Thing: { label: '{name}', fields: { name: text, owner: User? } }",
      4: states.replace(/\}$/u, ", after: { finish: { notify: owner, text: Finished } } }"),
      6: roles,
    }),
    said: null,
  },
  TRANSITION_BY_ADMINISTRATORS: {
    silent: documentOf({ 3: thing, 4: states.replace(", by: keeper", ""), 6: roles }),
    said: documentOf({ 3: thing, 4: states, 6: roles }),
  },
  TYPES_ALONE: { silent: documentOf({ 3: thing }), said: documentOf({ 3: thing, 5: "none" }) },
  ADMINISTRATORS_ONLY: { silent: documentOf({ 3: thing }), said: documentOf({ 3: thing, 6: roles }) },
  NO_ROLES: { silent: documentOf({ 3: thing }), said: documentOf({ 3: thing, 6: roles }) },
  CHANGES_BY_ADMINISTRATORS: {
    silent: documentOf({ 3: thing, 6: roles }),
    said: documentOf({ 3: thing, 6: `${roles}\nchanges: { approve: administrator }` }),
  },
  ACTION_BY_NOBODY: {
    silent: documentOf({ 3: thing, 6: roles.replace(", delete: [keeper]", "") }),
    said: documentOf({ 3: thing, 6: roles }),
  },
  ROLE_GRANTED: {
    silent: documentOf({ 3: thing, 6: roles.replace("{ members: granted }", "{ title: Keeper }") }),
    said: documentOf({ 3: thing, 6: roles }),
  },
  CONVENTIONAL_CALLS: { silent: documentOf({}), said: documentOf({ 7: "conventional: all" }) },
  PASSWORD_ALONE: { silent: documentOf({}), said: documentOf({ 7: "sign in: { password: true }" }) },
  // Registration is not executed, so it is closed for every document.
  NO_TOKENS: { silent: documentOf({ 7: "conventional: all" }), said: documentOf({ 7: "token: none" }) },
  SIGN_UP_CLOSED: { silent: documentOf({}), said: null },
  BUILT_IN_ERRORS: { silent: documentOf({}), said: documentOf({ 8: "NOT_FOUND: It is not there." }) },
  STATUS_422: {
    silent: documentOf({ 3: thing, 5: "Thing:\n  - { rule: \"name != 'x'\", else: BAD }", 8: "BAD: It is bad." }),
    said: documentOf({
      3: thing,
      5: "Thing:\n  - { rule: \"name != 'x'\", else: BAD }",
      8: "BAD: { status: 409, message: It is bad. }",
    }),
  },
  BUILT_IN_LIMITS: {
    silent: documentOf({ 9: "page_size: 20" }),
    said: documentOf({
      9: "page_size: 20\npage_size_max: 40\nsession_length: 8 hours\nupload_size: 500 kB\nsign_in_attempts: 5\npassword_length: 12\npassword_length_max: 64\ntrash: 7 days\nmail_transitions: 1 day",
    }),
  },
};

describe("a silent document has the cautious default in force and listed", () => {
  test.each(defaultCodes)("%s if the document is silent", (code) => {
    expect(inForce(cases[code].silent)).toContain(code);
  });

  test.each(defaultCodes.filter((code) => cases[code].said !== null))(
    "%s no longer if the document decides",
    (code) => {
      expect(inForce(cases[code].said ?? "")).not.toContain(code);
    },
  );

  test("each default says in sentences what is missing and what applies instead", () => {
    for (const code of defaultCodes) {
      expect(defaults[code].silent).not.toMatch(/^[A-Z]|\.$/u);
      expect(defaults[code].inForce).toMatch(/^[A-Z].*\.$/u);
    }
  });
});

describe("a value that is not shown in a block has the default of its place", () => {
  const open = (blocks: { readonly [point: number]: string }) => {
    const { open, findings } = compile({ file: "silent.md", text: documentOf(blocks) });
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    return open.flatMap((point) => (point.statement === "not shown" ? [point.default] : []));
  };
  const fields = (of: string) => ({ 3: `Thing: { label: "{name}", fields: { name: text, ${of} } }` });

  test.each([
    ["a field", fields("due: not shown"), "FIELD_WITHOUT_COLUMN"],
    ["the type of a field", fields("due: { type: not shown }"), "FIELD_WITHOUT_COLUMN"],
    ["a bound, which nothing follows from", fields("due: { type: integer, max: not shown }"), "NOTHING_INVENTED"],
    ["an entity", { 3: "Thing: not shown" }, "NOTHING_INVENTED"],
    ["the label", { 3: "Thing: { label: not shown, fields: { name: text } }" }, "LABEL_FIRST_TEXT"],
    [
      "who can make a transition",
      { 3: thing, 4: states.replace("keeper", "not shown") },
      "TRANSITION_BY_ADMINISTRATORS",
    ],
    ["an action", { 3: thing, 6: "permissions: { Thing: { read: not shown } }" }, "ACTION_BY_NOBODY"],
    ["the permissions of an entity", { 3: thing, 6: "permissions: { Thing: not shown }" }, "ADMINISTRATORS_ONLY"],
    ["the roles", { 3: thing, 6: "roles: not shown" }, "NO_ROLES"],
    ["the members of a role", { 6: "roles: { keeper: { members: not shown } }" }, "ROLE_GRANTED"],
    ["the columns of a list", { 2: "/things: { list: Thing, columns: not shown }", 3: thing }, "FIRST_COLUMNS"],
    ["a block", { 3: thing, 4: "not shown" }, "NO_STATES"],
  ] as const)("%s", (_, blocks, code) => expect(open(blocks)).toEqual([code]));
});

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])("`none` decides point %s: it is not open", (number) => {
  const { open, findings, model } = compile({ file: "none.md", text: documentOf({ [number]: "none" }) });
  expect(findings.filter(({ severity }) => severity !== "open")).toEqual([]);
  expect(model).toBeDefined();
  expect(open.map(({ point }) => point)).not.toContain(number);
});

test("a sentence that something is not shown brings no default into force", () => {
  const blocks = { 2: "/things: { list: Thing }", 3: thing, 4: states, 6: "roles: { keeper: { members: granted } }" };
  const text = documentOf(blocks);
  const asked = ["Who sees screens is not shown.", "Which entities come is not shown.", "More states are not shown."];
  const sentences = asked.reduce(
    (before, sentence, i) => before.replace(`## ${i + 2}. Point\n`, `$&\n${sentence}\n`),
    text,
  );
  expect(inForce(sentences).filter((code) => code !== "NOTHING_INVENTED")).toEqual(inForce(text));
  const { open } = compile({ file: "asked.md", text: sentences });
  expect(open.filter(({ statement }) => asked.includes(statement)).map((point) => point.default)).toEqual(
    asked.map(() => "NOTHING_INVENTED"),
  );
});
