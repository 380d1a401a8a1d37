import { expect, test } from "vitest";
import type { WhyJson } from "../../../src/core/wire/why.ts";
import { serveText } from "../program.ts";

/* A refusal about somebody's own record says that it is theirs, and who decides, as far as they read it themselves. */

const text = `# Leave

## 3. Entities and their fields
\`\`\`yaml
User: { fields: { manager: User? } }
Request: { label: "{note}", fields: { employee: { type: User, set: user }, note: text } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Request:
  field: status
  states: [asked, granted]
  transitions:
    grant: { from: asked, to: granted, by: [manager, payroll], when: "employee != user" }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  staff: signed in
  payroll: granted
  User: { oneself: "this == user" }
  Request: { employee: "employee == user", manager: "employee.manager == user" }
permissions:
  User:
    read: [{ role: staff, fields: [name] }, oneself, payroll]
    update: { role: payroll, fields: [manager] }
  Request: { read: staff, create: staff }
\`\`\`
`;

test("the own record is named as the reason, with the person who decides if the reader knows them", async () => {
  const desk = await serveText(text);
  const [mei, tomas, ada, office] = await Promise.all(
    ["Mei", "Tomas", "Ada", "Office"].map((name) => desk.person(name, name === "Office" ? ["payroll"] : [])),
  );
  if (!mei || !tomas || !ada || !office) throw new Error("no people");
  const account = (await office.get(`/api/users/${mei.id}`)).record();
  expect(
    await office.patch(`/api/users/${mei.id}`, { manager: tomas.id }, { "if-match": `"${account.version}"` }),
  ).toMatchObject({ status: 200 });
  const { id } = (await mei.post("/api/requests", { note: "Holiday" })).record();
  const why = async (person: typeof mei) =>
    ((await person.get(`/api/why?do=Request.grant&record=${id}`)).body as WhyJson).because;
  expect(await why(mei)).toBe("You are the employee. Only the manager (Tomas) or Payroll can grant this request.");
  // Others cannot read whose manager somebody is.
  expect(await why(ada)).toBe("Only the manager or Payroll can grant this request.");
});

test("nobody is named as the only one who decides while the reader cannot read who else does", async () => {
  const desk = await serveText(`# Desk

## 3. Entities and their fields
\`\`\`yaml
Request: { label: "{note}", fields: { boss: User, helpers: { type: User, many: true }, note: text } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Request:
  field: status
  states: [asked, granted]
  transitions: { grant: { from: asked, to: granted, by: decider } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  staff: signed in
  Request: { decider: "boss == user || user in helpers", boss: "boss == user" }
permissions:
  User: { read: staff }
  Request: { read: [{ role: staff, fields: [note, boss, status] }, boss], create: staff }
\`\`\`
`);
  const [mei, tomas, ada] = await Promise.all(["Mei", "Tomas", "Ada"].map((name) => desk.person(name)));
  if (!mei || !tomas || !ada) throw new Error("no people");
  const { id } = (await mei.post("/api/requests", { note: "Holiday", boss: tomas.id, helpers: [mei.id] })).record();
  const answer = await ada.get(`/api/why?do=Request.grant&record=${id}`);
  expect((answer.body as WhyJson).because).toBe("Only the decider can grant this request.");
});
