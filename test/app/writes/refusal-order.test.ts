import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, type ApiClient, serveText, type TestServer } from "../program.ts";

/* The refusal of a write does not depend on its consequences. */

const document = (after: string) => `
## 3. Entities
\`\`\`yaml
Account:
  label: "{name}"
  fields: { name: text, limit: { type: integer, default: 100 } }
Booking:
  label: "{text}"
  fields:
    text: { type: text, unique: true }
    account: Account?
    amount: integer
    from: { type: integer, default: 1 }
    to: { type: integer, default: 2 }
    total: { type: integer, default: 0 }
Posting:
  label: "{amount}"
  fields: { booking: Booking, account: Account, amount: integer }
Log:
  label: "{text}"
  fields: { text: text }
\`\`\`
## 4. States
\`\`\`yaml
Booking:
  field: status
  states: [draft, booked]
  transitions:
    book: { from: draft, to: booked, by: staff, asks: [amount] }
${after}
\`\`\`
## 5. Rules
\`\`\`yaml
Booking:
  - { rule: "Booking.filter(b, b.account == account).map(b, b.amount).sum() <= 1000", else: TOO_MUCH }
  - { rule: "account != null", during: book, else: NO_ACCOUNT }
  - { rule: "amount < 500", else: TOO_LARGE_AT_ONCE }
  - { rule: "from < to", else: REVERSED }
  - { rule: "size(text) > 1", when: "amount > 10", else: SAY_MORE }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions:
  Account: { read: staff, create: staff, update: staff }
  Booking: { read: staff, create: staff, update: staff }
  Posting: { read: staff }
  Log: { read: staff }
\`\`\`
## 7. Calls
\`\`\`yaml
conventional: all
calls:
  POST /bookings/{id}/turn:
    do:
      - { update: Booking, takes: { from } }
      - { update: Booking, takes: { to } }
  POST /bookings/{id}/settle:
    do:
      - { update: Booking, takes: { amount } }
      - { update: Booking, takes: { total } }
\`\`\`
## 8. Errors
\`\`\`yaml
TOO_MUCH: { status: 409, message: "That is too much for the account." }
NO_ACCOUNT: { status: 409, message: "A booking needs an account.", at: account }
TOO_LARGE_AT_ONCE: { status: 422, message: "Less than 500 at once.", at: amount }
REVERSED: { status: 422, message: "{from} is not before {to}.", at: to }
SAY_MORE: { status: 422, message: "Say more.", at: text }
\`\`\`
`;

const effects = `  after:
    create:
      - { create: Log, set: { text } }
    update:
      - { create: Log, set: { text } }
    book:
      - { create: Posting, set: { booking: this, account, amount } }
      - { create: Log, set: { text } }`;

/** The status of a refusal, and each code with its pointer. */
const messageOf = ({ status, body }: Answer) => {
  const { code, errors } = body as { readonly code?: string; readonly errors?: readonly Record<string, unknown>[] };
  return {
    status,
    code,
    errors: (errors ?? []).map((one) => `${String(one.pointer ?? one.at ?? "")} ${String(one.code)}`),
  };
};

let plain: TestServer;
let followed: TestServer;
let writers: readonly ApiClient[];
beforeAll(async () => {
  plain = await serveText(document(""));
  followed = await serveText(document(effects));
  writers = [await plain.person("Ada"), await followed.person("Ada")];
});

/** A sequence of calls without and with effects; the last response of each. */
const both = async (calls: (somebody: ApiClient) => Promise<Answer>) => {
  const [without, having] = await Promise.all(writers.map(calls));
  if (without === undefined || having === undefined) throw new Error("nobody asked");
  return { without, having };
};

describe("a write with effects is refused in the same order as without", () => {
  test("at creation, by all rules in the order of the document", async () => {
    const { without, having } = await both(async (one) => {
      const account = (await one.post("/api/accounts", { name: "A" })).record().id;
      return one.post("/api/bookings", { text: "x", account, amount: 2000, from: 5, to: 3 });
    });
    expect(messageOf(without).status).toBe(409);
    expect(messageOf(without).errors.map((one) => one.split(" ").at(-1))).toEqual([
      "TOO_MUCH",
      "TOO_LARGE_AT_ONCE",
      "REVERSED",
      "SAY_MORE",
    ]);
    expect(messageOf(having)).toEqual(messageOf(without));
    expect((having.body as { detail?: string }).detail).toBe((without.body as { detail?: string }).detail);
  });
  test("at update and transition", async () => {
    const { without, having } = await both(async (one) => {
      const { id } = (await one.post("/api/bookings", { text: "xx", amount: 5 })).record();
      const account = (await one.post("/api/accounts", { name: "B" })).record().id;
      return one.patch(`/api/bookings/${id}`, { account, amount: 2000, from: 9 });
    });
    const codes = (answer: Answer) => messageOf(answer).errors.map((one) => one.split(" ").at(-1));
    expect([messageOf(without).status, ...codes(without)]).toEqual([409, "TOO_MUCH", "TOO_LARGE_AT_ONCE", "REVERSED"]);
    expect(messageOf(having)).toEqual(messageOf(without));
    const moved = await both(async (one) => {
      const { id } = (await one.post("/api/bookings", { text: "yy", amount: 5 })).record();
      return one.post(`/api/bookings/${id}/book`, { amount: 700 });
    });
    expect([messageOf(moved.without).status, ...codes(moved.without)]).toEqual([
      409,
      "NO_ACCOUNT",
      "TOO_LARGE_AT_ONCE",
    ]);
    expect(messageOf(moved.having)).toEqual(messageOf(moved.without));
  });
});

describe("an effect that cannot be written", () => {
  test("does not hide the rule that explains it", async () => {
    const [, one] = writers;
    if (one === undefined) throw new Error("nobody asked");
    const { id } = (await one.post("/api/bookings", { text: "No account", amount: 5 })).record();
    const answer = await one.post(`/api/bookings/${id}/book`, { amount: 5 });
    expect(messageOf(answer)).toMatchObject({ status: 409, code: "NO_ACCOUNT" });
    expect(answer.body).toMatchObject({ detail: "A booking needs an account." });
    const why = await one.get(`/api/why?do=Booking.book&record=${id}`);
    expect([why.status, why.body]).toMatchObject([200, { answer: "no", because: "A booking needs an account." }]);
  });
});

describe("the steps of one call", () => {
  test("are checked after the last one, even if a table constraint could check the rule", async () => {
    for (const one of writers) {
      const { id } = (await one.post("/api/bookings", { text: `Turn ${Math.random()}`, amount: 5 })).record();
      const turned = await one.post(`/api/bookings/${id}/turn`, { from: 7, to: 9 });
      expect([turned.status, turned.body]).toMatchObject([200, { from: 7, to: 9 }]);
      const refused = await one.post(`/api/bookings/${id}/turn`, { from: 4, to: 3 });
      expect(messageOf(refused)).toMatchObject({ status: 422, code: "REVERSED" });
      expect((await one.get(`/api/bookings/${id}`)).record()).toMatchObject({ from: 7, to: 9 });
      // Violations of a single write are refused as usual.
      expect(messageOf(await one.patch(`/api/bookings/${id}`, { from: 20 }))).toMatchObject({
        status: 422,
        code: "REVERSED",
      });
    }
  });
});
