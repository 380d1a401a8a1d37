import { beforeAll, describe, expect, test } from "vitest";
import type { WhyJson } from "../../../src/core/wire/why.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/* Rules that are checked before a transition, and copied values that stay until their source changes. */

const document = `
## 3. Entities
\`\`\`yaml
Product:
  label: "{name}"
  fields: { name: text, price: integer, stock: integer, secret: text? }
Order:
  label: "{number}"
  fields:
    number:   text
    product:  Product
    quantity: { type: integer, default: 1 }
    note:     text?
    paid:     boolean
    left:     integer?
    agent:    { type: User, set: user }
    checked:  { type: boolean, default: false }
    sealed:   { type: boolean, default: false }
    price:    { type: integer?, kept: { until: product }, computed: product.price }
    first:    { type: integer?, kept: for good, computed: product.price }
    agreed:   { type: integer?, kept: { until: [submit] }, computed: total + 1 }
    total:    { type: integer?, computed: price * quantity }
    copied:   integer?
    always:   { type: integer?, kept: true, computed: product.price }
Sale:
  label: "{name}"
  fields: { name: text, product: Product, order: Order? }
\`\`\`
## 4. States
\`\`\`yaml
Order:
  field: status
  states: [draft, submitted, sent]
  transitions:
    submit: { from: draft, to: submitted, by: staff, set: { copied: price } }
    send:   { from: [draft, submitted], to: sent, by: staff, when: quantity < 50, asks: quantity }
    close:  { from: draft, to: sent, by: closer }
  after:
    send:
      - { update: product, set: { stock: it.stock - quantity } }
Sale:
  after:
    create:
      - { update: "Order.filter(o, o.status == draft && o.note == name)", set: { product: product } }
      - { make: send, of: "Order.filter(o, o == order)", set: { quantity: "1" } }
\`\`\`
## 5. Rules
\`\`\`yaml
Order:
  - { rule: paid, before: send, else: NOT_PAID }
  - with: { here: product.stock }
    rule: here >= quantity
    when: quantity > 1
    before: [submit, send]
    else: OUT_OF_STOCK
  - { rule: checked && agent != user && !sealed, before: close, else: NOT_CHECKED }
  - { rule: product.secret == null, before: submit, discloses: true, else: SECRET }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in }, closer: { members: granted } }
permissions:
  Product: { read: { role: staff, fields: [name, price, stock] }, create: staff, update: staff }
  Order: { read: { role: staff, except: [sealed] }, create: staff, update: staff }
  Sale: { read: staff, create: staff }
\`\`\`
## 8. Errors
\`\`\`yaml
NOT_PAID: { status: 402, message: Pay first. }
OUT_OF_STOCK: { status: 409, message: "There are {product.stock} of {product.name}.", help: Order fewer. }
NOT_CHECKED: Let somebody else check it first.
SECRET: "{product.secret} is secret."
\`\`\`
`;

let desk: TestServer;
let ada: ApiClient;
let pen: string;
let desk2: string;
beforeAll(async () => {
  desk = await serveText(document);
  ada = await desk.person("Ada");
  pen = (await ada.post("/api/products", { name: "Pen", price: 3, stock: 5 })).record().id;
  desk2 = (await ada.post("/api/products", { name: "Desk", price: 90, stock: 5 })).record().id;
});

const order = async (more: object = {}) =>
  (await ada.post("/api/orders", { number: "1", product: pen, ...more })).record();

describe("a rule before a transition", () => {
  test("is checked on the record as it is, and gives its own error", async () => {
    const { id, may } = await order({ quantity: 2 });
    expect(may?.refused).toMatchObject({
      send: { code: "NOT_PAID", clause: "5.Order.NOT_PAID", because: "Pay first." },
    });
    const refused = await ada.post(`/api/orders/${id}/send`, { quantity: 1 });
    expect([refused.status, refused.body]).toMatchObject([
      402,
      { code: "NOT_PAID", clause: "5.Order.NOT_PAID", detail: "Pay first." },
    ]);
  });

  test("shows values of the record before it, as far as the person can read them", async () => {
    const { id, may } = await order({ quantity: 9, paid: true });
    expect(may?.refused).toMatchObject({ submit: { code: "OUT_OF_STOCK" } });
    const refused = await ada.post(`/api/orders/${id}/send`, { quantity: 1 });
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { code: "OUT_OF_STOCK", detail: "There are 5 of Pen.", help: "Order fewer." },
    ]);
    const { body: why } = await ada.get(`/api/why?do=Order.send&record=${id}`);
    expect(why).toMatchObject({ answer: "no", because: "There are 5 of Pen." });
    expect((why as WhyJson).musts).toContainEqual(
      expect.objectContaining({ clause: "5.Order.OUT_OF_STOCK", holds: false }),
    );
    const secretive = { name: "Box", price: 1, stock: 1, secret: "formula" };
    const hidden = (await ada.post("/api/products", secretive)).record().id;
    const { id: other } = await order({ product: hidden });
    expect((await ada.post(`/api/orders/${other}/submit`)).problem()).toMatchObject({
      code: "SECRET",
      detail: "… is secret.",
    });
  });

  test("is explained by its parts, as far as the person can read them", async () => {
    const ben = await desk.person("Ben", ["closer"]);
    const whyOf = async (who: ApiClient, id: string) =>
      (await who.get(`/api/why?do=Order.close&record=${id}`)).body as WhyJson;
    const outcomes = ({ musts }: WhyJson) =>
      musts.filter(({ clause }) => clause === "5.Order.NOT_CHECKED").map(({ holds }) => holds);
    const { id } = await order({});
    // Nobody can close an order that is not checked, so nobody is named.
    expect(await whyOf(ada, id)).toMatchObject({ answer: "no", could: null });
    const unchecked = await whyOf(ben, id);
    expect(unchecked).toMatchObject({ answer: "no", because: "Let somebody else check it first." });
    expect(outcomes(unchecked)).toEqual([false, true, null]);
    await ada.patch(`/api/orders/${id}`, { checked: true });
    expect(await whyOf(ada, id)).toMatchObject({ answer: "no", could: expect.stringMatching(/closer/u) });
    expect(await whyOf(ben, id)).toMatchObject({ answer: "yes", could: null });
    // A part that is hidden is not said to be the reason.
    await ada.patch(`/api/orders/${id}`, { sealed: true });
    const sealed = await whyOf(ben, id);
    expect(sealed.answer).toBe("no");
    expect(sealed.because).not.toMatch(/check/u);
    expect(outcomes(sealed)).toEqual([true, true, null]);
  });

  test("comes before the effects, which can make it false; the guard without an error is the last", async () => {
    const { id } = await order({ quantity: 4, paid: true });
    const { id: many } = await order({ quantity: 4, paid: true });
    expect((await ada.post(`/api/orders/${id}/send`, { quantity: 4 })).status).toBe(200);
    expect((await ada.get(`/api/products/${pen}`)).record()).toMatchObject({ stock: 1 });
    expect((await ada.post(`/api/orders/${many}/send`, { quantity: 4 })).problem()).toMatchObject({
      detail: "There are 1 of Pen.",
    });
    await ada.patch(`/api/products/${pen}`, { stock: 900 });
    await ada.patch(`/api/orders/${many}`, { quantity: 60 });
    expect((await ada.post(`/api/orders/${many}/send`, { quantity: 4 })).problem()).toMatchObject({
      code: "GUARD",
      clause: "4.Order.send",
    });
  });

  test("holds for a transition that an effect makes, and undoes everything", async () => {
    const { id } = await order({});
    const sale = await ada.post("/api/sales", { name: "S", product: pen, order: id });
    expect([sale.status, sale.body]).toMatchObject([402, { code: "NOT_PAID" }]);
    await ada.patch(`/api/orders/${id}`, { paid: true });
    expect((await ada.post("/api/sales", { name: "S", product: pen, order: id })).status).toBe(201);
    expect((await ada.get(`/api/orders/${id}`)).record()).toMatchObject({ status: "sent" });
  });

  test("is explained like a guard, and described with its status", async () => {
    const { id } = await order({});
    expect((await ada.get(`/api/why?do=Order.send&record=${id}`)).body).toMatchObject({ answer: "no" });
    const api = (await ada.get("/api/openapi.json")).body as { paths: Record<string, { post: unknown }> };
    const path = Object.entries(api.paths).find(([name]) => name.endsWith("/send"))?.[1];
    expect(JSON.stringify(path)).toContain('"NOT_PAID","x-clause":"5.Order.NOT_PAID"');
  });
});

describe("a value that is kept until something changes", () => {
  test("stays when its source changes, and follows a change of the reference", async () => {
    const { id } = await order({ quantity: 2 });
    await ada.patch(`/api/products/${pen}`, { price: 4 });
    expect((await ada.patch(`/api/orders/${id}`, { note: "n", quantity: 3 })).record()).toMatchObject({
      price: 3,
      first: 3,
      always: 4,
      total: 9,
      agreed: 7,
    });
    // Choosing the same product again is no change.
    expect((await ada.patch(`/api/orders/${id}`, { product: pen, quantity: 4 })).record()).toMatchObject({ price: 3 });
    expect((await ada.patch(`/api/orders/${id}`, { product: desk2 })).record()).toMatchObject({
      price: 90,
      first: 3,
      total: 360,
      agreed: 7,
    });
    const [line] = (await ada.get(`/api/orders/${id}/history`)).history();
    expect(line?.changes.map(({ field }) => field).sort()).toEqual(["always", "price", "product", "total"]);
    await ada.patch(`/api/products/${pen}`, { price: 3 });
  });

  test("is computed again by the transitions that it names", async () => {
    const { id } = await order({ quantity: 2 });
    await ada.patch(`/api/orders/${id}`, { quantity: 5 });
    await ada.patch(`/api/products/${pen}`, { price: 8 });
    expect((await ada.post(`/api/orders/${id}/submit`)).record()).toMatchObject({
      price: 3,
      agreed: 16,
      copied: 3,
      status: "submitted",
    });
    await ada.patch(`/api/products/${pen}`, { price: 3 });
  });

  test("follows a change that an effect makes", async () => {
    const { id } = await order({ note: "sale", quantity: 2 });
    await ada.post("/api/sales", { name: "sale", product: desk2 });
    expect((await ada.get(`/api/orders/${id}`)).record()).toMatchObject({ price: 90, first: 3, total: 180 });
  });
});
