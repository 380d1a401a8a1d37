import { beforeAll, describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import type { Application } from "../../../src/core/wire/application.ts";
import type { WhyJson } from "../../../src/core/wire/why.ts";
import { type ApiClient, serveText } from "../program.ts";

const document = `
# Store

## 1. What it does
\`\`\`yaml
locale: en-GB
translations:
  de:
    Store: Lager
    Order: Bestellung
    Orders: Bestellungen
    order: Bestellung
    orders: Bestellungen
    Remark: Bemerkung
    remark: Bemerkung
    Remarks: Bemerkungen
    remarks: Bemerkungen
    Thing: Sache
    Applicant: Von
    State: Stand
    Open: Offen
    Handed out: Ausgegeben
    Hand out: Ausgeben
    Colleagues: Belegschaft
    Stock keeper: Lagerist
    Person who ordered: Besteller
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Order:
  fields:
    thing: text
    applicant: { type: User, set: user }
Remark:
  fields:
    order: Order
    thing: text
\`\`\`

## 4. States and transitions
\`\`\`yaml
Order:
  field: state
  states: [open, handed_out]
  final: [handed_out]
  transitions:
    hand_out: { from: open, to: handed_out, by: [stock_keeper, customer, administrator] }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  staff: { members: signed in, title: Colleagues }
  stock_keeper: granted
  Order: { customer: { when: applicant == user, title: Person who ordered } }
permissions:
  Order:
    read: staff
    create: staff
    update: customer
    delete: [stock_keeper, administrator]
  Remark:
    read: { like: order }
    create: stock_keeper
    update: { like: { order: update } }
    delete: none
\`\`\`
`;

test("every role has a title, and its translation is used", () => {
  const { findings } = compile({ file: "store.md", text: document });
  expect(
    findings.filter(({ severity }) => severity === "error" || severity === "warning").map(({ message }) => message),
  ).toEqual([]);
  const without = compile({ file: "store.md", text: document.replace("    Person who ordered: Besteller\n", "") });
  expect(without.findings.find(({ code }) => code === "NOT_TRANSLATED")?.message).toContain("“Person who ordered”");
});

describe("roles are shown by their titles in the reader’s language", () => {
  let somebody: ApiClient;
  let order: string;
  const german = { "accept-language": "de" };
  beforeAll(async () => {
    const store = await serveText(document);
    order = (await (await store.person("Ada")).post("/api/orders", { thing: "Ladder" })).record().id;
    somebody = await store.person("Sam");
  });

  test("in the application, including roles on records", async () => {
    const read = async (headers: Record<string, string>) =>
      (await somebody.get("/_/application", headers)).body as Application;
    const titlesIn = ({ roles, entities }: Application) => [
      roles,
      entities.Order?.states?.transitions[0]?.by.map(({ title }) => title),
    ];
    expect(titlesIn(await read({}))).toEqual([
      { staff: "Colleagues", stock_keeper: "Stock keeper" },
      ["Stock keeper", "Person who ordered", undefined],
    ]);
    expect(titlesIn(await read(german))).toEqual([
      { staff: "Belegschaft", stock_keeper: "Lagerist" },
      ["Lagerist", "Besteller", undefined],
    ]);
  });

  test("in refusals", async () => {
    const refused = async (headers: Record<string, string>) => {
      const changed = await somebody.patch(`/api/orders/${order}`, { thing: "Saw" }, headers);
      const deleted = await somebody.delete(`/api/orders/${order}`, headers);
      const handed = await somebody.post(`/api/orders/${order}/hand_out`, {}, headers);
      return [changed, deleted, handed].map((answer) => answer.problem().detail);
    };
    for (const [i, said] of (await refused({})).entries())
      expect(said).toContain(["the person who ordered", "a stock keeper", "a stock keeper, the person who ordered"][i]);
    for (const [i, said] of (await refused(german)).entries())
      expect(said).toContain(["„Besteller“", "„Lagerist“", "„Lagerist“, „Besteller“"][i]);
  });

  test("in explanations", async () => {
    const why = async (what: string, headers: Record<string, string>) => {
      const { because, could, ways } = (await somebody.get(`/api/why?do=${what}`, headers)).body as WhyJson;
      return { because, could, ways: ways.map(({ title }) => title) };
    };
    expect(await why("Order.delete", {})).toMatchObject({ could: "a stock keeper or an administrator" });
    expect(await why("Order.delete", german)).toMatchObject({ could: "„Lagerist“ oder die Administration" });
    expect(await why(`Order.update&record=${order}`, {})).toMatchObject({ ways: ["Person who ordered"] });
    // A `like` permission belongs to a role of the other entity.
    expect(await why("Remark.update", german)).toMatchObject({ ways: ["Besteller"] });
  });
});
