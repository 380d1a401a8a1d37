import { expect, test } from "vitest";
import type { Application } from "../../../src/core/wire/application.ts";
import { deliver } from "../../../src/jobs/outbox.ts";
import { serveText } from "../program.ts";

const text = `
## 3. Entities
\`\`\`yaml
Claim: { fields: { amount: integer } }
\`\`\`
## 4. States
\`\`\`yaml
Claim:
  field: status
  states: [open, paid]
  transitions:
    pay: { from: open, to: paid, by: staff }
  after:
    pay: [{ call: payroll }]
\`\`\`
## 6. Permissions
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions: { Claim: { read: [staff], create: [staff] } }
\`\`\`
## 7. Calls
\`\`\`yaml
outgoing:
  payroll: { post: APP_PAYROLL_URL, sends: { amount }, retries: 1 }
\`\`\`
`;

const followsOf = (application: unknown) =>
  (application as Application).entities.Claim?.states?.transitions.find(({ name }) => name === "pay")?.follows;

test("a call without an address waits, says so in advance, and is sent once it has an address", async () => {
  const served = await serveText(text);
  const { database, model } = served.opened.service;
  const ada = await served.person("Ada");
  expect(followsOf((await ada.get("/_/application")).body)).toEqual([{ kind: "call", what: "Payroll", waits: true }]);
  const { id } = (await ada.post("/api/claims", { amount: 7 })).record();
  expect((await ada.post(`/api/claims/${id}/pay`)).status).toBe(200);

  const sent: string[] = [];
  const warned: object[] = [];
  const outside = (environment: Record<string, string>, status: number) => ({
    environment,
    fetch: (_: unknown, init?: RequestInit) => {
      sent.push(String(init?.body));
      return Promise.resolve(new Response(null, { status }));
    },
  });
  const run = (environment: Record<string, string>, status: number, hours: number) =>
    deliver(database, model.outgoing, outside(environment, status), new Date(Date.now() + hours * 3_600_000), {
      warn: (what) => void warned.push(what),
    });
  const stored = async () => (await served.database.query("select state, tries from ninefold.outbox")).rows;
  for (let hour = 1; hour < 6; hour++) await run({}, 204, hour);
  expect(await stored()).toEqual([{ state: "waiting", tries: 0 }]);

  await run({ APP_PAYROLL_URL: "http://payroll.example.com" }, 204, 7);
  expect(sent).toEqual(['{"amount":7}']);
  expect(await stored()).toEqual([{ state: "done", tries: 1 }]);
  expect(warned).toEqual([]);

  // A call given up is logged.
  await ada.post(`/api/claims/${(await ada.post("/api/claims", { amount: 8 })).record().id}/pay`);
  for (const hour of [8, 12]) await run({ APP_PAYROLL_URL: "http://payroll.example.com" }, 500, hour);
  expect(warned).toEqual([expect.objectContaining({ call: "payroll", tries: 2, because: "answered 500" })]);
});

test("a call with an address is sent as usual", async () => {
  const served = await serveText(text, { app: { environment: { APP_PAYROLL_URL: "http://payroll.example.com" } } });
  const ada = await served.person("Ada");
  expect(followsOf((await ada.get("/_/application")).body)).toEqual([{ kind: "call", what: "Payroll" }]);
});
