import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeHandedWork } from "../../src/core/derive/client/handed-work.ts";
import { chooseLanguage, choosePhrases } from "../../src/core/derive/client/localize.ts";
import type { Model } from "../../src/core/model/model.ts";
import type { HeldRole } from "../../src/core/model/permissions.ts";
import { compiled, example } from "../app/program.ts";

/** The lines about the work that somebody hands over who holds all roles on records, except on records of these entities. */
const workIn = (
  model: Model,
  language: string,
  { granted = [], without = [] }: { readonly granted?: readonly string[]; readonly without?: readonly string[] } = {},
) => {
  const unheld = new Set<HeldRole>(without.flatMap((name) => [...(model.entities.get(name)?.roles.values() ?? [])]));
  const [phrases, chosen] = [choosePhrases(model, language), chooseLanguage(model, [language])];
  return describeHandedWork(model, { granted: new Set(granted), unheld }, phrases, chosen);
};
const modelOf = (text: string): Model => compiled(text).model as Model;
const exampleOf = (name: string): Model => modelOf(readFileSync(example(name), "utf8"));

test("a person reads which acts on which records a deputy takes over, and what the deputy sees beyond", () => {
  const leave = exampleOf("leave-desk");
  const acts = [
    "Grant, decline and cancel requests",
    "See more about users (Email, Manager, Allowance, Carried over and more)",
  ];
  expect(workIn(leave, "en")?.acts).toEqual(acts);
  // The titles of this document are English alone.
  expect(workIn(leave, "de")?.acts).toEqual(acts);
  // “Pass on to finance” is no verb, so it is named as it is.
  expect(workIn(exampleOf("purchasing"), "en")).toEqual({
    acts: [
      "Approve, send back and decline requests",
      "Pass on to finance (requests)",
      "See more about departments (Budget, Committed and Remaining budget)",
      "See invoices",
    ],
    roles: [],
  });
});

test("only the work that the person has: of the manager of nobody, nothing", () => {
  const leave = exampleOf("leave-desk");
  expect(workIn(leave, "en", { without: ["User"] })?.acts).toEqual(["Grant, decline and cancel requests"]);
  expect(workIn(leave, "en", { without: ["User", "Request"] })).toBeNull();
});

test("writes before reading, and a granted role by its name if it says nothing else", () => {
  const model = modelOf(`
# Club

## 3. Entities
\`\`\`yaml
Room: { label: "{name}", fields: { name: text } }
Guest: { label: "{name}", fields: { name: text, note: text } }
Menu: { label: "{name}", fields: { name: text } }
Bill: { label: "{name}", fields: { name: text } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: signed in, host: granted, porter: granted }
deputies: { for: [host, porter], up to: 30 days }
permissions:
  Room:  { read: [member, host] }
  Guest: { read: [{ role: member, fields: [name] }, host] }
  Menu:  { read: host, create: host, update: host, delete: host }
  Bill:  { read: host, create: [member, host], update: host }
\`\`\`
`);
  expect(workIn(model, "en", { granted: ["host"] })).toEqual({
    acts: ["Add, edit and delete menus", "Edit bills", "See more about guests (Note)"],
    roles: ["host"],
  });
  expect(workIn(model, "en", { granted: ["porter"] })).toEqual({ acts: ["Act as Porter"], roles: ["porter"] });
  expect(workIn(model, "en")).toBeNull();
});

test("of very much work, six lines and that there is more", () => {
  const names = ["Ask", "Ball", "Card", "Deal", "Fund", "Gift", "Hall"];
  const model = modelOf(`
# Club

## 3. Entities
\`\`\`yaml
${names.map((name) => `${name}: { label: "{name}", fields: { name: text } }`).join("\n")}
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { host: granted }
deputies: { for: host, up to: 30 days }
permissions:
${names.map((name) => `  ${name}: { read: host, update: host }`).join("\n")}
\`\`\`
`);
  const work = workIn(model, "en", { granted: ["host"] });
  expect([work?.acts.length, work?.more]).toEqual([6, true]);
});

test("in German and French", () => {
  const write = (locale: string, one: string, many: string, [agree, refuse]: readonly [string, string]) =>
    modelOf(`
# X

## 1. X
\`\`\`yaml
locale: ${locale}
\`\`\`

## 3. Entities
\`\`\`yaml
Ask: { label: "{what}", title: { one: ${one}, many: ${many} }, fields: { what: text } }
Log: { label: "{what}", title: { one: ${one}2, many: ${many}2 }, fields: { what: text, mail: { type: text, title: E-Mail }, age: { type: integer, title: Alter } } }
Bill: { label: "{what}", title: { one: ${one}3, many: ${many}3 }, fields: { what: text } }
Room: { label: "{what}", title: { one: ${one}4, many: ${many}4 }, fields: { what: text } }
\`\`\`

## 4. States
\`\`\`yaml
Ask:
  field: status
  initial: a
  states: [a, b, c]
  transitions:
    agree:  { title: ${agree}, from: a, to: b, by: boss }
    refuse: { title: ${refuse}, from: a, to: c, by: boss }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: signed in, boss: granted }
deputies: { for: boss, up to: 30 days }
permissions:
  Ask:  { read: boss }
  Log:  { read: [{ role: member, fields: [what] }, boss] }
  Bill: { update: boss, delete: boss, read: boss }
  Room: { read: boss }
\`\`\`
`);
  const boss = { granted: ["boss"] };
  const german = write("de", "Antrag", "Anträge", ["Genehmigen", "Ablehnen"]);
  expect(workIn(german, "de", boss)).toEqual({
    acts: [
      "Anträge genehmigen und ablehnen",
      "Anträge3 ändern und löschen",
      "Mehr über Anträge2 sehen (E-Mail und Alter)",
      "Anträge4 ansehen",
    ],
    roles: ["boss"],
  });
  const french = write("fr", "demande", "demandes", ["Approuver", "Refuser"]);
  expect(workIn(french, "fr", boss)?.acts).toEqual([
    "Approuver et refuser des demandes",
    "Modifier et supprimer des demandes3",
    "Voir plus d’informations sur les demandes2 (E-Mail et Alter)",
    "Consulter des demandes4",
  ]);
});
