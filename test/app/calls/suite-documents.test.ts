import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import { type Answer, serveText } from "../program.ts";

/** The documents of public test suites (`npm run bench:suites`): the suites are no part of this repository. */
const folder = "test/documents";
const read = (name: string) => readFileSync(`${folder}/${name}`, "utf8");
const serve = async (name: string) => (await serveText(read(name))).visitor();
const shaped = ({ status, body }: Answer) => [status, body];

const PASSWORD = "correct horse battery";

test.each(readdirSync(folder))("%s has no findings", (file) => {
  const { findings } = compile({ file, text: read(file) });
  expect(findings.map(({ code, message }) => `${code} ${message}`)).toEqual([]);
});

test("tasks that nobody signs in for", async () => {
  const anybody = await serve("todo.md");
  const created = await anybody.post("/tasks", { title: "Walk", order: 2 });
  const { url } = created.body as { url: string };
  expect(shaped(created)).toEqual([201, { title: "Walk", completed: false, order: 2, url: expect.any(String) }]);
  const { pathname } = new URL(url);
  expect(shaped(await anybody.patch(pathname, { completed: true }))).toMatchObject([200, { completed: true }]);
  expect((await anybody.delete("/tasks")).status).toBe(204);
  expect(shaped(await anybody.get("/tasks"))).toEqual([200, []]);
  expect((await anybody.get(pathname)).status).toBe(404);
});

test("bookings, by a token in a cookie or a password", async () => {
  const anybody = await serve("bookings.md");
  const sent = { firstname: "Jo", lastname: "Lund", totalprice: 9, depositpaid: true };
  const booking = { ...sent, bookingdates: { checkin: "2026-01-01", checkout: "2026-01-03" } };
  expect(shaped(await anybody.post("/booking", booking))).toEqual([200, { bookingid: 1, booking }]);
  expect((await anybody.send("PUT", "/booking/1", booking)).status).toBe(403);
  await anybody.post("/people", { name: "Clerk", email: "clerk@example.com", password: PASSWORD });
  const login = await anybody.post("/auth", { username: "clerk@example.com", password: PASSWORD });
  const { token } = login.body as { token: string };
  const basic = Buffer.from(`clerk@example.com:${PASSWORD}`).toString("base64");
  for (const headers of [{ cookie: `token=${token}` }, { authorization: `Basic ${basic}` }]) {
    const changed = await anybody.send("PATCH", "/booking/1", { firstname: "Joan" }, { headers });
    expect(shaped(changed)).toEqual([200, { ...booking, firstname: "Joan" }]);
  }
  expect(shaped(await anybody.get("/booking?lastname=Lund"))).toEqual([200, [{ bookingid: 1 }]]);
});

test("rooms, which only their owner adds", async () => {
  const anybody = await serve("guest-house.md");
  expect(shaped(await anybody.get("/api/room/actuator/health"))).toEqual([200, { status: "UP" }]);
  expect(await anybody.get("/api/room")).toMatchObject({ status: 200, body: { rooms: expect.any(Array) } });
  expect((await anybody.post("/api/room", {})).status).toBe(401);
});

test("items, with forms, offsets and 403 in place of 404", async () => {
  const anybody = await serve("items.md");
  const join = async (name: string) => {
    const email = `${name}@example.com`;
    const joined = await anybody.post("/api/v1/users/signup", { email, password: PASSWORD, full_name: name });
    expect(shaped(joined)).toMatchObject([200, { email, full_name: name, is_superuser: false }]);
    const raw = Buffer.from(new URLSearchParams({ username: email, password: PASSWORD }).toString());
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const login = await anybody.send("POST", "/api/v1/login/access-token", undefined, { headers, raw });
    return { authorization: `Bearer ${(login.body as { access_token: string }).access_token}` };
  };
  const [ada, ben] = [await join("Ada"), await join("Ben")];
  const send = (method: string, path: string, headers: Record<string, string>, body?: object) =>
    anybody.send(method, `/api/v1${path}`, body, { headers });
  const created = (await send("POST", "/items/", ada, { title: "Lamp" })).body as { id: string };
  expect(created).toMatchObject({ title: "Lamp", description: null });
  expect(shaped(await send("GET", "/items/?skip=0&limit=1", ada))).toEqual([200, { data: [created], count: 1 }]);
  const closed = [403, { detail: "Not enough permissions" }];
  for (const id of [created.id, "00000000-0000-4000-8000-000000000000"])
    for (const method of ["GET", "PUT", "DELETE"])
      expect(shaped(await send(method, `/items/${id}`, ben, method === "PUT" ? { title: "Mine" } : undefined))).toEqual(
        closed,
      );
  expect((await send("GET", "/users", ben)).status).toBe(403);
  expect((await send("DELETE", `/items/${created.id}`, ada)).body).toEqual({ message: "Item deleted successfully" });
});

test("a shop whose stock comes back with a cart that is cancelled", async () => {
  const anybody = await serve("shop.md");
  const person = { nome: "Jo", email: "jo@example.com", password: PASSWORD, administrador: "true" };
  expect((await anybody.post("/usuarios", person)).status).toBe(201);
  const login = await anybody.post("/login", { email: person.email, password: PASSWORD });
  const headers = { authorization: (login.body as { authorization: string }).authorization };
  const send = (method: string, path: string, body?: object) => anybody.send(method, path, body, { headers });
  const sent = { nome: "Lamp", preco: 5, descricao: "A lamp", quantidade: 7 };
  const { _id } = (await send("PUT", "/produtos/none", sent)).body as { _id: string };
  const stock = async () =>
    ((await send("GET", `/produtos?_id=${_id}`)).body as { produtos: { quantidade: number }[] }).produtos[0]
      ?.quantidade;
  const carts = { produtos: [{ idProduto: _id, quantidade: 3 }] };
  for (const [way, left] of [
    ["cancelar-compra", 7],
    ["concluir-compra", 4],
  ] as const) {
    const before = await stock();
    expect((await send("POST", "/carrinhos", carts)).status).toBe(201);
    expect(await stock()).toBe((before ?? 0) - 3);
    expect((await send("DELETE", `/carrinhos/${way}`)).status).toBe(200);
    expect(await stock()).toBe(left);
  }
  expect(shaped(await send("POST", "/carrinhos", { other: 1 }))).toEqual([
    400,
    { produtos: "produtos é obrigatório", other: "other não é permitido" },
  ]);
  expect(shaped(await send("POST", "/carrinhos", { produtos: [{}] }))).toEqual([
    400,
    { "produtos.0.idProduto": "idProduto é obrigatório", "produtos.0.quantidade": "quantidade é obrigatório" },
  ]);
  expect(shaped(await send("GET", "/carrinhos?precoTotal=0&quantidadeTotal=0"))).toEqual([
    400,
    {
      precoTotal: "precoTotal deve ser um número positivo",
      quantidadeTotal: "quantidadeTotal deve ser um número positivo",
    },
  ]);
});

test("a directory for programs without passwords", async () => {
  const anybody = await serve("directory.md");
  const joined = await anybody.post("/public/v2/programs", { name: "Sync", email: "sync@example.com" });
  expect(shaped(joined)).toEqual([201, { token: expect.any(String) }]);
  const headers = { authorization: `Bearer ${(joined.body as { token: string }).token}` };
  const person = { name: "Jo", email: "jo@example.com", gender: "female", status: "active" };
  const send = (method: string, path: string, body?: object) =>
    anybody.send(method, `/public/v2/users${path}`, body, { headers });
  expect(shaped(await send("POST", "", person))).toEqual([201, { id: 1, ...person }]);
  expect(shaped(await send("POST", "", { ...person, name: "" }))).toEqual([
    422,
    expect.arrayContaining([{ field: "name", message: "can't be blank" }]),
  ]);
  expect(shaped(await send("PUT", "/1", { ...person, name: "Joan" }))).toMatchObject([200, { name: "Joan" }]);
  expect((await anybody.post("/public/v2/users", person)).body).toEqual({ message: "Authentication failed" });
  expect((await send("DELETE", "/1")).status).toBe(204);
});
