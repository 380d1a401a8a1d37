import { beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, serveText } from "../program.ts";

const document = `
## 3. Entities
\`\`\`yaml
Kind:
  records: { tool: { name: Tool }, part: { name: Part } }
  fields: { name: text }
Place:
  label: "{name}"
  fields: { name: text, open: boolean, hidden: boolean }
Item:
  label: "{name}"
  fields:
    name: { type: text, unique: true }
    stock: { type: integer, default: 0 }
    usual: integer?
    secret: { type: integer, default: 9 }
    last: text?
    place: Place?
Round:
  label: "{name}"
  fields: { name: text }
\`\`\`
## 4. States
\`\`\`yaml
Item:
  field: status
  states: [open, closed]
  transitions:
    receive:
      from: open
      to: same
      by: [keeper, member]
      asks:
        added: { type: integer, min: 1, default: usual }
        twice: { type: integer, default: added * 2 }
        at: { type: Place?, among: "Place.filter(p, p.open)" }
        kind: Kind?
        remark: { type: text?, default: "'By ' + user.name" }
      set: { stock: stock + added, last: remark }
    guess: { from: open, to: same, by: member, asks: { amount: { type: integer, default: secret } }, set: { stock: amount } }
    shelve: { from: open, to: same, by: keeper, asks: { shelf: { type: Place, among: "[place]", default: place } }, set: { last: shelf.name } }
    note: { from: open, to: same, by: keeper, asks: { words: text? }, set: { last: words } }
    renew: { from: open, to: same, by: none, asks: { more: { type: integer, default: 3 } }, once: stock == 77, set: { stock: stock + more } }
    close: { from: open, to: closed, by: keeper, needs: 2, recorded in: closed_by, asks: { why: { type: text, default: "'Empty'" } } }
  after:
    receive: { make: note, when: added == 13, set: { words: "'thirteen'" } }
Round:
  after:
    create: [{ make: note, of: "Item.filter(i, i.name == 'Screw')" }, { make: renew, of: "Item.filter(i, i.name == 'Nail')" }]
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { keeper: { members: granted }, member: { members: signed in } }
permissions:
  User: { read: { role: member, fields: [name] } }
  Kind: { read: member }
  Place: { read: [keeper, { role: member, when: "!hidden" }], create: keeper, update: keeper }
  Item: { read: [keeper, { role: member, except: [secret] }], create: keeper, update: keeper }
  Round: { read: keeper, create: keeper }
\`\`\`
`;

let ada: ApiClient;
let bob: ApiClient;
let open: string;
let shut: string;
let hidden: string;
beforeAll(async () => {
  const served = await serveText(document);
  ada = await served.person("Ada", ["keeper"]);
  bob = await served.person("Bob");
  const place = async (values: object) => (await ada.post("/api/places", values)).record().id;
  open = await place({ name: "Open", open: true });
  shut = await place({ name: "Shut" });
  hidden = await place({ name: "Hidden", open: true, hidden: true });
});

const newItem = async (values: object): Promise<string> => (await ada.post("/api/items", values)).record().id;
const receive = (who: ApiClient, id: string, body: unknown) => who.post(`/api/items/${id}/receive`, body);

describe("the default of a value that only a transition needs", () => {
  test("reads the record, the person and the other values, if the request leaves it out", async () => {
    const id = await newItem({ name: "Bolt", usual: 5 });
    expect((await receive(bob, id, {})).body).toMatchObject({ stock: 5, last: "By Bob" });
    expect((await receive(bob, id, { added: 2, remark: null })).body).toMatchObject({ stock: 7, last: null });
    const [last, first] = (await ada.get(`/api/items/${id}/history`)).history();
    expect(first?.changes).toContainEqual({ field: "twice", before: null, after: 10 });
    expect(last?.changes).toContainEqual({ field: "twice", before: null, after: 4 });
  });
  test("does not stand in for a value that is sent as null, or that the default lacks", async () => {
    const id = await newItem({ name: "Nut" });
    const required = {
      code: "INVALID",
      errors: [{ at: "/added", code: "REQUIRED", clause: "4.Item.receive" }, { at: "/twice" }],
    };
    expect((await receive(ada, id, {})).body).toMatchObject(required);
    expect((await receive(ada, await newItem({ name: "Rod", usual: 3 }), { added: null })).body).toMatchObject(
      required,
    );
    expect((await receive(ada, id, { added: 4 })).body).toMatchObject({ stock: 4 });
  });
  test("is within the bounds of the value", async () => {
    const id = await newItem({ name: "Peg", usual: 0 });
    expect((await receive(ada, id, {})).body).toMatchObject({
      errors: [{ at: "/added", code: "TOO_SMALL", clause: "4.Item.receive.added" }],
    });
  });
  test("counts hidden values as missing", async () => {
    const id = await newItem({ name: "Pin" });
    expect((await bob.post(`/api/items/${id}/guess`, {})).body).toMatchObject({ errors: [{ at: "/amount" }] });
    expect((await ada.post(`/api/items/${id}/guess`, {})).body).toMatchObject({ stock: 9 });
  });
  test("is used by effects and by transitions that happen by themselves", async () => {
    await newItem({ name: "Nail", stock: 1 });
    const id = await newItem({ name: "Screw", usual: 13 });
    expect((await receive(ada, id, {})).body).toMatchObject({ last: "thirteen" });
    expect((await ada.post("/api/rounds", { name: "Monday" })).status).toBe(201);
    // The words of the act before count for nothing.
    expect((await ada.get(`/api/items/${id}`)).record()).toMatchObject({ last: null });
    const items = (await ada.get("/api/items?name=Nail")).body;
    expect(items).toMatchObject({ items: [{ stock: 4 }] });
    expect((await ada.patch(`/api/items/${id}`, { stock: 77 })).record()).toMatchObject({ stock: 80 });
  });
  test("is used when several people act", async () => {
    const id = await newItem({ name: "Cup" });
    expect((await ada.post(`/api/items/${id}/close`, {})).status).toBe(200);
    const [line] = (await ada.get(`/api/items/${id}/history`)).history();
    expect(line?.changes).toContainEqual({ field: "why", before: null, after: "Empty" });
  });
  test("is optional in OpenAPI", async () => {
    const { components } = (await ada.get("/api/openapi.json")).body as {
      components: { schemas: { [name: string]: { required?: string[] } } };
    };
    const bodies = Object.entries(components.schemas).filter(([name]) => name.endsWith("receive"));
    expect(bodies.map(([, { required }]) => required)).toEqual([undefined]);
  });
});

describe("the records among which a value of a transition is chosen", () => {
  test("are offered by forms, and others are refused", async () => {
    const id = await newItem({ name: "Clip", usual: 1, place: open });
    expect((await receive(ada, id, { at: open })).status).toBe(200);
    expect((await receive(ada, id, { at: shut })).body).toMatchObject({
      errors: [{ at: "/at", code: "NOT_AMONG", clause: "4.Item.receive.at" }],
    });
    const offered = (who: ApiClient, field: string) => who.get(`/api/places?among=${field}/${id}`);
    expect(JSON.stringify((await offered(ada, "Item.at")).body)).toContain(hidden);
    const forBob = JSON.stringify((await offered(bob, "Item.at")).body);
    expect([forBob.includes(open), forBob.includes(shut), forBob.includes(hidden)]).toEqual([true, false, false]);
  });
  test("are not checked by other writes", async () => {
    const id = await newItem({ name: "Tack", usual: 1, place: open });
    expect((await ada.post(`/api/items/${id}/shelve`, {})).status).toBe(200);
    expect((await ada.patch(`/api/items/${id}`, { place: shut })).status).toBe(200);
    expect((await ada.post(`/api/items/${id}/shelve`, { shelf: open })).body).toMatchObject({
      errors: [{ at: "/shelf", code: "NOT_AMONG" }],
    });
  });
  test("hide from a person those that the person can't read, as if they did not exist", async () => {
    const id = await newItem({ name: "Tin", usual: 1 });
    const none = "00000000-0000-4000-8000-000000000000";
    const [one, other] = [await receive(bob, id, { at: hidden }), await receive(bob, id, { at: none })];
    expect([one.status, one.body]).toMatchObject([other.status, { errors: [{ code: "NO_SUCH_REFERENCE" }] }]);
    expect(
      JSON.stringify(one.body)
        .replaceAll(hidden, none)
        .replace(/"request":"[^"]*"/u, ""),
    ).toBe(JSON.stringify(other.body).replace(/"request":"[^"]*"/u, ""));
  });
});
