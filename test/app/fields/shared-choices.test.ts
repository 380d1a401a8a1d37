import { expect, test } from "vitest";
import { database } from "../../postgres.ts";
import { serveText } from "../program.ts";

const written = (values: string, shared = "{ type: choice?, values: Ticket.urgency }") => `
## 3. Entities
\`\`\`yaml
Ticket:
  label: "{name}"
  fields: { name: text, urgency: { type: choice, values: ${values} } }
Report:
  fields: { ticket: Ticket, urgency: ${shared}, all: { type: choice, many: true, values: Ticket.urgency } }
\`\`\`
## 4. States
\`\`\`yaml
Ticket:
  states: [open]
  transitions:
    raise: { from: open, to: same, by: member, asks: { level: { type: choice, values: Ticket.urgency } }, set: { urgency: level } }
  after:
    raise: { create: Report, set: { ticket: this, urgency: old.urgency, all: "[urgency, level]" } }
\`\`\`
## 5. Rules
\`\`\`yaml
Report:
  - { rule: urgency == null || urgency != high || ticket.urgency == urgency, during: create, else: OTHER }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Ticket: { read: member, create: member }, Report: { read: member, create: member } }
\`\`\`
## 8. Errors
\`\`\`yaml
OTHER: "The ticket is {ticket.urgency}."
\`\`\`
`;

test("a choice has the values of another one, and follows its names", async () => {
  const store = await database();
  const first = await serveText(written("[low, high]"), { database: store });
  const kim = await first.person("Kim");
  const ticket = (await kim.post("/api/tickets", { name: "T1", urgency: "low" })).record().id;
  expect((await kim.post("/api/reports", { ticket, urgency: "middle" })).body).toMatchObject({
    errors: [
      {
        at: "/urgency",
        code: "NOT_A_CHOICE",
        clause: "3.Report.urgency",
        message: "Urgency must be Low or High.",
      },
    ],
  });
  expect((await kim.post("/api/reports", { ticket, urgency: "high" })).body).toMatchObject({
    detail: "The ticket is Low.",
  });
  expect((await kim.post(`/api/tickets/${ticket}/raise`, { level: "odd" })).status).toBe(422);
  expect((await kim.post(`/api/tickets/${ticket}/raise`, { level: "high" })).record()).toMatchObject({
    urgency: "high",
  });
  expect((await kim.get("/api/reports")).body).toMatchObject({ items: [{ urgency: "low", all: ["high", "high"] }] });
  const { components } = (await kim.get("/api/openapi.json")).body as {
    components: { schemas: { [name: string]: { properties: { [field: string]: unknown } } } };
  };
  expect(JSON.stringify(components.schemas["Report.create"]?.properties.urgency)).toContain('"enum":["low","high"]');
  await first.stop();

  const second = await serveText(written("[{ minor: { was: low } }, high, urgent]").replace("!= high", "!= urgent"), {
    database: store,
  });
  const lee = await second.person("Lee");
  expect((await lee.get("/api/reports")).body).toMatchObject({ items: [{ urgency: "minor" }] });
  expect((await lee.post("/api/reports", { ticket, urgency: "high", all: ["urgent", "minor"] })).status).toBe(201);
  await second.stop();
});

test("a refused choice names the possible ones, of many the first five", async () => {
  const many = `
## 3. Entities
\`\`\`yaml
Tool: { fields: { kind: { type: choice?, values: [axe, drill, file, hammer, level, plane, router, saw] } } }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Tool: { read: member, create: member } }
\`\`\`
## 8. Errors
\`\`\`yaml
Tool.NOT_A_CHOICE: "Choose {choices}, not {value}."
\`\`\`
`;
  const own = await serveText(many);
  const kim = await own.person("Kim");
  expect((await kim.post("/api/tools", { kind: "spoon" })).problem().errors?.[0]?.message).toBe(
    "Choose Axe, Drill, File, Hammer, Level or one of 3 more, not spoon.",
  );
  await own.stop();
  const plain = await serveText(many.split("## 8.")[0] ?? "");
  const lea = await plain.person("Lea");
  const german = await lea.post("/api/tools", { kind: "spoon" }, { "accept-language": "de" });
  expect(german.problem().errors?.[0]?.message).toBe(
    "„Kind“ muss Axe, Drill, File, Hammer, Level oder einer von 3 weiteren sein.",
  );
});
