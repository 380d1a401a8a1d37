import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { found, foundOne } from "./documents.ts";

/** Rules of a booking; every field is set on creation. */
const withRule = (rule: string) => ({
  3: `Booking:
  fields:
    seats:  { type: integer, min: 1, max: 8 }
    begins: date
    ends:   date
    phone:  text?
    owner:  { type: User, once: true }`,
  4: `Booking:
  field: status
  final: [confirmed, dropped]
  states: [wished, confirmed, dropped]
  transitions:
    confirm: { from: wished, to: confirmed, by: host, asks: [phone] }
    drop:    { from: wished, to: dropped, by: host, set: { phone: "null" } }`,
  5: `Booking:\n  - { rule: ${rule}, else: WRONG }`,
  6: `roles: { host: granted }
permissions:
  User: { read: [{ role: host, fields: [name] }] }
  Booking:
    read:   [host]
    create: [host]
    update: [{ role: host, fields: [seats, begins, ends, phone] }]`,
  8: "WRONG: That cannot be.",
});

describe("rules that can refuse a record", () => {
  test.each([
    '"ends >= begins"',
    '"seats < 8"',
    '"phone != null", when: "seats > 4"',
    '"ends > begins", during: [create, confirm]',
    '"status != dropped || seats < 3"',
    // “Never, when …”
    '"false", when: "seats > 6"',
    // During that transition it reads existing values rather than changed ones.
    '"begins < ends", during: confirm',
    '"owner != user", during: update',
  ])("%s", (rule) => expect(found(withRule(rule))).toEqual([]));
});

describe("rules with “old”", () => {
  test.each([
    '"seats >= old.seats"',
    '"seats == old.seats || old.status == wished"',
    '"phone == old.phone", during: [update, drop]',
  ])("%s", (rule) => expect(found(withRule(rule))).toEqual([]));
  test.each([
    ['"seats >= old.seats", during: [create, update]', "BAD_VALUE 5.Booking.WRONG «create»"],
    ['"seats >= old.seats", always: true', "BAD_VALUE 5.Booking.WRONG «always»"],
    [
      '"seats >= old.seats || seats < old.seats"',
      "ALWAYS_TRUE 5.Booking.WRONG «seats >= old.seats || seats < old.seats»",
    ],
  ])("%s", (rule, finding) => expect(found(withRule(rule))).toEqual([finding]));
  test("reads stored values only", () => {
    const { 3: entities, ...others } = withRule('"nights == old.nights || late == old.late"');
    const more = `${entities}
    nights: { type: integer?, computed: "days_between(begins, ends)" }
    late:   { type: boolean, computed: "begins < today" }`;
    expect(found({ ...others, 3: more })).toEqual(["BAD_EXPRESSION 5.Booking.WRONG «old.late»"]);
  });
  test("shows the value from before only in a message of its own", () => {
    const errors = { 8: 'WRONG: "It was {old.seats}."' };
    expect(found({ ...withRule('"seats >= old.seats"'), ...errors })).toEqual([]);
    expect(found({ ...withRule('"seats < 8"'), ...errors })).toEqual(["UNKNOWN_NAME  «old»"]);
  });
});

describe("rules before a transition", () => {
  test("are part of its guard", () => {
    expect(found(withRule('"seats < 5", before: [confirm, drop]'))).toEqual([]);
    expect(found(withRule('"seats < 5", when: "phone != null", before: confirm'))).toEqual([]);
  });
  test.each([
    ['"seats < 5", before: create', "UNKNOWN_NAME  «create»"],
    ['"seats < 5", before: confirm, during: drop', "BAD_VALUE 5.Booking.WRONG «during»"],
    ['"seats < 5", before: confirm, always: true', "BAD_VALUE 5.Booking.WRONG «always»"],
    ['"seats < old.seats", before: confirm', "UNKNOWN_NAME  «old»"],
  ])("%s", (rule, finding) => expect(found(withRule(rule))).toContain(finding));
});

describe("ALWAYS_TRUE", () => {
  test.each([
    ['"ends >= begins || ends < begins"', "«ends >= begins || ends < begins»"],
    ['"seats <= 8"', "«seats <= 8»"],
    ['"seats > 0", when: "ends > begins"', "«seats > 0»"],
    ['"phone != null", when: "phone != null && seats > 1"', "«phone != null»"],
    ['"ends > begins", when: "seats >= 1"', "«seats >= 1»"],
  ])("%s", (rule, place) => expect(found(withRule(rule))).toEqual([`ALWAYS_TRUE 5.Booking.WRONG ${place}`]));

  test("accepts rules that differ slightly", () => {
    expect(found(withRule('"ends > begins || ends < begins"'))).toEqual([]);
    expect(found(withRule('"seats <= 7"'))).toEqual([]);
    expect(found(withRule('"phone != null", when: "seats > 1"'))).toEqual([]);
  });

  test("finds a rule that is always true at each action", () => {
    const document = withRule('"status == confirmed || ends > begins", during: confirm');
    expect(found(document)).toEqual(["ALWAYS_TRUE 5.Booking.WRONG «status == confirmed || ends > begins»"]);
    expect(foundOne(document)).toMatchObject({
      message: "This rule is always true during confirm, so it never refuses anything there.",
      hint: "Correct or remove the rule.",
    });
  });

  test("knows that a transition’s requested fields have a value", () => {
    const document = withRule('"phone != null", during: [create, confirm]');
    expect(foundOne(document)).toMatchObject({
      message: "This rule is always true during confirm, so it never refuses anything there.",
      hint: "Remove confirm from “during:”.",
    });
    expect(found(withRule('"phone != null", during: create'))).toEqual([]);
  });
});

describe("NEVER_TRUE", () => {
  test.each([
    ['"seats > 8"', "«seats > 8»"],
    ['"begins < ends && ends < begins"', "«begins < ends && ends < begins»"],
    ['"ends > begins", when: "seats > 8"', "«seats > 8»"],
  ])("%s", (rule, place) => expect(found(withRule(rule))).toEqual([`NEVER_TRUE 5.Booking.WRONG ${place}`]));

  test("checks the record as the transition leaves it", () => {
    const document = withRule('"status == wished", during: [create, confirm]');
    expect(found(document)[0]).toBe("NEVER_TRUE 5.Booking.WRONG «status == wished»");
    expect(found(withRule('"status == wished", during: confirm'))).toEqual([
      "NEVER_TRUE 5.Booking.WRONG «status == wished»",
    ]);
    expect(foundOne(withRule('"status == wished", during: confirm')).message).toBe(
      "This rule refuses every confirm, because it checks the record as it is after that step.",
    );
  });

  test("knows the values that a transition sets", () => {
    expect(found(withRule('"phone != null", during: drop'))).toEqual(["NEVER_TRUE 5.Booking.WRONG «phone != null»"]);
    expect(found(withRule('"seats > 3", during: drop'))).toEqual([]);
  });
});

describe("NEVER_TOUCHED", () => {
  test("finds a rule on updates whose fields no update can change", () => {
    const document = withRule('"status != dropped", during: update');
    expect(found(document)).toEqual(["NEVER_TOUCHED 5.Booking.WRONG «status != dropped»"]);
    expect(foundOne(document).message).toBe(
      "No update of a booking can change status, but this rule is checked only on updates.",
    );
  });

  test("accepts a rule that depends on the update, the user or the day", () => {
    expect(found(withRule('"status != dropped || seats > 2", during: update'))).toEqual([]);
    expect(found(withRule('"status != dropped || owner == user", during: update'))).toEqual([]);
    expect(
      found(withRule('"status != dropped", during: [create, update]')).filter((item) => item.startsWith("NEVER")),
    ).toEqual([]);
  });
});

test("a value is there where a transition asks for it, and where a write without it is refused", () => {
  const { findings } = compile({
    file: "grants.md",
    text: `
## 3. Entities
\`\`\`yaml
Price: { fields: { code: { type: text, unique: true }, amount: integer } }
Grant:
  fields:
    wanted: integer
    given:  integer?
    note:   integer?
    code:   text
    price:  { type: integer, kept: { until: code }, computed: "Price.one(p, p.code == code).amount" }
    fees:   { type: integer, kept: true, computed: "Price.one(p, p.code == code).amount + note" }
\`\`\`
## 4. States
\`\`\`yaml
Grant: { states: [asked, given_out], final: given_out, transitions: { give: { from: asked, to: given_out, by: clerk, asks: [given, note?] } } }
\`\`\`
## 5. Rules
\`\`\`yaml
Grant:
  - { rule: given <= wanted, during: give, else: TOO_MUCH }
  - { rule: note <= wanted, during: give, else: TOO_MUCH, name: notes }
  - { rule: given <= wanted, during: [give, create], else: TOO_MUCH, name: always }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { clerk: granted }
permissions: { Price: { read: clerk, create: clerk }, Grant: { read: clerk, create: clerk, update: clerk } }
\`\`\`
## 8. Errors
\`\`\`yaml
TOO_MUCH: That is too much.
\`\`\`
`,
  });
  const relevant = findings.filter(({ code }) => code === "OPTIONAL_UNGUARDED" || code === "MAY_BE_MISSING");
  expect(relevant.map(({ code, message }) => `${code} ${/(?:of|If) (\w+)/u.exec(message)?.[1]}`)).toEqual([
    "MAY_BE_MISSING fees",
    "OPTIONAL_UNGUARDED note",
    "OPTIONAL_UNGUARDED given",
  ]);
});
