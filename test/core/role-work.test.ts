import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { chooseLanguage, choosePhrases } from "../../src/core/derive/client/localize.ts";
import { describeWork } from "../../src/core/derive/client/role-work.ts";
import type { Model } from "../../src/core/model/model.ts";
import { compiled, example } from "../app/program.ts";

/** Describes the work of each role that somebody can hold apart from others, in a language of the interface. */
const workIn = (model: Model, language: string): Readonly<Record<string, string>> => {
  const roles = [
    ...model.roles.values(),
    ...[...model.entities.values()].flatMap((entity) => [...entity.roles.values()]),
  ];
  const [phrases, chosen] = [choosePhrases(model, language), chooseLanguage(model, [language])];
  return Object.fromEntries(
    roles
      .filter(({ name }) => name !== "administrator")
      .map(({ name, title }) => [
        name,
        describeWork(model, { names: new Set([name]), titles: [title] }, phrases, chosen).join(" / "),
      ]),
  );
};
const modelOf = (text: string): Model => compiled(text).model as Model;

test("in the words of point 1, if they stand alone, else from transitions", () => {
  const work = (name: string, language = "en") => workIn(modelOf(readFileSync(example(name), "utf8")), language);
  expect(work("lending")).toEqual({
    member: "Members borrow the team’s equipment",
    // “Keepers hand it over” would not say what they hand over.
    keeper: "Hand over, decline and take back loans",
  });
  expect(work("leave-desk")).toMatchObject({
    staff: "Staff request leave",
    manager: "Managers see the requests that wait for them and who of their people is away",
    payroll: "Payroll maintains allowances, managers and public holidays …",
  });
  expect(work("help-desk")).toMatchObject({
    staff: "Staff report problems",
    agent: "Agents take tickets or get them assigned, ask questions …",
    supervisor: "Supervisors assign tickets and maintain the categories",
  });
  expect(work("help-desk", "de")).toMatchObject({
    staff: "Die Belegschaft meldet Probleme",
    agent: "Bearbeiter übernehmen Meldungen, fragen nach und schreiben die Lösung auf",
    supervisor: "Die Leitung weist Meldungen zu und pflegt die Bereiche",
  });
  expect(work("booking")).toMatchObject({
    researcher: "Researchers book shared instruments",
    warden: "Wardens take a broken instrument out of order and put it back into service",
    steward: "Stewards add instruments, name their wardens, and record who is trained",
  });
  expect(work("purchasing")).toMatchObject({
    staff: "Staff request what they need",
    // Point 1 says first that they are the heads of the departments.
    approver: "Approvers approve sums up to their limit",
    buyer: "Buyers choose the supplier and order",
    receiver: "Receivers record deliveries, in as many parcels as they come",
    finance: "Finance maintains departments and budgets, approves larger sums …",
  });
  // A reader of another language gets the words of the document, which has none in theirs.
  for (const language of ["de", "fr"]) expect(work("purchasing", language)).toEqual(work("purchasing"));
});

const english = `
# Tool room

## 3. Entities
\`\`\`yaml
Tool: { label: "{name}", fields: { name: text, place: text } }
Repair: { label: "{what}", fields: { what: text, tool: Tool, guest: User } }
\`\`\`

## 4. States
\`\`\`yaml
Repair:
  field: status
  initial: asked
  states: [asked, agreed, done, refused]
  transitions:
    agree:  { from: asked, to: agreed, by: foreman, main: true }
    refuse: { from: asked, to: refused, by: foreman }
    finish: { title: It works again, from: agreed, to: done, by: mechanic }
\`\`\`

## 6. Roles
\`\`\`yaml
roles: { staff: signed in, foreman: granted, mechanic: granted, auditor: granted }
permissions:
  User:   { read: { role: staff, fields: [name] } }
  Tool:   { read: [staff, auditor] }
  Repair: { read: [staff, auditor], create: staff }
\`\`\`
`;

const german = `
# Bauhof

## 1. Wozu
Mitarbeiter melden Schäden, der Bauleiter verteilt sie, und Prüfer nehmen die Arbeit ab, bevor bezahlt wird.

- **Prüfer** sind Angestellte der Stadt. Sie nehmen fertige Arbeiten ab und lehnen mangelhafte ab.

\`\`\`yaml
locale: de
\`\`\`

## 3. Entities
\`\`\`yaml
Schaden: { label: "{was}", title: { one: Schaden, many: Schäden }, fields: { was: text, melder: { type: User, set: user } } }
\`\`\`

## 4. States
\`\`\`yaml
Schaden:
  field: status
  initial: gemeldet
  states: [gemeldet, verteilt, abgenommen]
  transitions:
    verteilen:    { from: gemeldet, to: verteilt, by: bauleiter }
    zurueckgeben: { title: Zurückgeben, from: verteilt, to: gemeldet, by: bauleiter }
    abnehmen:     { from: verteilt, to: abgenommen, by: pruefer }
\`\`\`

## 6. Roles
\`\`\`yaml
roles: { mitarbeiter: signed in, bauleiter: granted, pruefer: { title: Prüfer, members: granted } }
permissions:
  User:    { read: { role: mitarbeiter, fields: [name] } }
  Schaden: { read: mitarbeiter, create: mitarbeiter }
\`\`\`
`;
const french = `
# Notes de frais

## 1. But
Les employés déposent des notes de frais, les responsables les approuvent, et les comptables remboursent.

\`\`\`yaml
locale: fr
\`\`\`

## 3. Entities
\`\`\`yaml
Note: { label: "{objet}", title: { one: note, many: notes }, fields: { objet: text, auteur: { type: User, set: user } } }
\`\`\`

## 4. States
\`\`\`yaml
Note:
  field: etat
  initial: deposee
  states: [deposee, approuvee, refusee, payee]
  transitions:
    approuver: { from: deposee, to: approuvee, by: responsable, main: true }
    refuser:   { from: deposee, to: refusee, by: responsable }
    payer:     { title: Rembourser, from: approuvee, to: payee, by: comptable }
\`\`\`

## 6. Roles
\`\`\`yaml
roles: { employe: { title: employé, members: signed in }, responsable: granted, comptable: granted }
permissions:
  User: { read: { role: employe, fields: [name] } }
  Note: { read: employe, create: employe }
\`\`\`
`;
test("of documents without samples, in each language", () => {
  expect(workIn(modelOf(english), "en")).toEqual({
    staff: "Add repairs",
    foreman: "Agree and refuse repairs",
    // Its transition is no verb.
    mechanic: "Work on repairs",
    auditor: "See tools and repairs",
  });
  expect(workIn(modelOf(german), "de")).toEqual({
    mitarbeiter: "Mitarbeiter melden Schäden",
    bauleiter: "Schäden verteilen und zurückgeben",
    pruefer: "Prüfer nehmen fertige Arbeiten ab und lehnen mangelhafte ab",
  });
  expect(workIn(modelOf(french), "fr")).toEqual({
    employe: "Les employés déposent des notes de frais",
    responsable: "Approuver et refuser des notes",
    comptable: "Les comptables remboursent",
  });
});

test("of roles with an irregular plural", () => {
  const text = `
# Rooms

## 1. What the product does and for whom
- **Craftsmen** take damages from the queue.

## 6. Roles and permissions
\`\`\`yaml
roles: { craftsman: granted }
\`\`\`
`;
  expect(workIn(modelOf(text), "en")).toEqual({ craftsman: "Craftsmen take damages from the queue" });
});
