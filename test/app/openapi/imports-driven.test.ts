import { beforeAll, expect, test } from "vitest";
import type { TokenMadeJson } from "../../../src/core/wire/accounts/account.ts";
import type { ImportJson } from "../../../src/core/wire/imports.ts";
import { waitUntil } from "../../wait.ts";
import { zipFile } from "../../zip-file.ts";
import { type Answer, type ApiClient, compiled, serveText, type TestServer } from "../program.ts";
import { describeApplication, isMet, isProblem, type MayRefuse, operationsOf } from "./described.ts";

/*
 * The calls for imports are the same in every application, so one document drives them: to every answer that its
 * description names, and to no other.
 */
const text = `# Desk

## 3. Entities and their fields

\`\`\`yaml
Thing: { fields: { number: { type: text, unique: true }, day: date? } }
\`\`\`

## 6. Roles and permissions

\`\`\`yaml
roles: { staff: signed in, keeper: granted }
permissions: { Thing: { read: [staff], create: [keeper], update: [keeper], delete: [keeper] } }
\`\`\`

## 7. The calls it makes

\`\`\`yaml
token: { by: staff, longest: 30 days }
\`\`\`
`;

const NOWHERE = "01a1f40a-58ca-7a05-9984-7eae99dc592e";

let desk: TestServer;
let keeper: ApiClient;
let nobody: ApiClient;
let reading: string;
beforeAll(async () => {
  desk = await serveText(text);
  keeper = await desk.person("Kim", ["keeper"]);
  nobody = await desk.person("Nobody");
  const created = await keeper.post("/_/account/tokens", { name: "Reader", days: 30, roles: ["keeper"], reads: true });
  reading = (created.body as TokenMadeJson).token;
});

const { model } = compiled(text);
const { document, complaintsOf } = describeApplication(model);
const operations = operationsOf(document).filter(({ tags }) => tags.includes("import"));

interface Options {
  readonly headers?: Readonly<Record<string, string>>;
  readonly raw?: string | Buffer;
}

/** Makes requests of one operation, and collects what its description says of their answers. */
const drive = (operationId: string) => {
  const operation = operations.find((one) => one.operationId === operationId);
  if (operation === undefined) throw new Error(`${operationId} is not described`);
  const open = new Set<MayRefuse>(
    Object.values(operation.responses).flatMap((response) => response["x-refusals"] ?? []),
  );
  const wrong: string[] = [];
  const send = async (by: ApiClient, address: string, options: Options = {}): Promise<Answer> => {
    const answer = await by.send(operation.method, `/api/things/import${address}`, undefined, options);
    wrong.push(...complaintsOf(operation, answer).map((complaint) => `${address}: ${answer.text} ${complaint}`));
    if (answer.status >= 400 && isProblem(answer))
      for (const one of open) if (isMet(one, answer.problem())) open.delete(one);
    return answer;
  };
  const refuse = async (address: string, options: Options = {}) => {
    const bearer = (token: string) => ({
      ...options,
      headers: { ...options.headers, authorization: `Bearer ${token}` },
    });
    await send(desk.visitor(), address, options);
    await send(nobody, address, options);
    await send(keeper, address, { ...options, headers: { ...options.headers, origin: "https://elsewhere.example" } });
    await send(desk.visitor(), address, bearer(reading));
    const guess = async (change: string): Promise<number> => {
      await desk.database.query(change);
      return (await send(desk.visitor(), address, bearer("nf_guess"))).status;
    };
    await waitUntil(async () => (await guess("delete from ninefold.attempt")) === 401, "the token is unknown");
    const many = "update ninefold.attempt set count = 1000";
    await waitUntil(async () => (await guess(many)) === 429, "there were too many attempts");
  };
  const expectAll = () =>
    expect({ wrong, open: [...open].map(({ code, ...of }) => `${code} ${of["x-clause"] ?? ""}`) }).toEqual({
      wrong: [],
      open: [],
    });
  return { send, refuse, expectAll };
};

const csv = { headers: { "content-type": "text/csv" } };

const settle = async ({ id }: ImportJson): Promise<ImportJson> => {
  let job: ImportJson | undefined;
  await waitUntil(async () => {
    job = (await keeper.get(`/api/things/import/${id}`)).body as ImportJson;
    return !["checking", "running", "undoing"].includes(job.state);
  }, "the import ends");
  return job as unknown as ImportJson;
};

test("sending a file", async () => {
  const { send, refuse, expectAll } = drive("import.create");
  const good = { ...csv, raw: "Number,Day\nA-1,2026-01-01\n" };
  expect((await send(keeper, "?name=x.csv&then=run&match=number&mode=all", good)).status).toBe(201);
  expect((await send(keeper, "", good)).status).toBe(201);
  await refuse("?name=x.csv", good);
  await send(keeper, "?then=burn", good);
  await send(keeper, "?name=x.csv", { ...csv, raw: "" });
  await send(keeper, "?name=x.csv", { ...csv, raw: '"' });
  const large = { "content-type": "application/octet-stream", "content-length": String(2 ** 40) };
  await send(keeper, "?name=x.csv", { headers: large, raw: "x" });
  await send(keeper, "?name=x.zip", { headers: large, raw: "x" });
  await send(keeper, "?name=x.zip", { raw: zipFile([]) });
  expectAll();
});

test("reading imports, their results and their refused rows", async () => {
  const sent = await keeper.send("POST", "/api/things/import?name=x.csv&then=run", undefined, {
    ...csv,
    raw: "Number,Day,More\nA-2,2026-01-01,\nA-2,,x\n,31.31.2026,\n\nTotal,,\n",
  });
  const { id, refused, remarks } = await settle(sent.body as ImportJson);
  expect([refused, remarks.length]).toEqual([2, 1]);
  for (const [operationId, address] of [
    ["import.list", ""],
    ["import.read", `/${id}`],
    ["import.refused", `/${id}/refused.csv`],
  ] as const) {
    const { send, refuse, expectAll } = drive(operationId);
    expect((await send(keeper, address)).status).toBe(200);
    await send(keeper, address.replace(id, NOWHERE));
    await refuse(address);
    expectAll();
  }
});

test("checking, writing, undoing and cancelling", async () => {
  const { send, refuse, expectAll } = drive("import.act");
  const begin = async (number: string): Promise<ImportJson> => {
    const raw = `Number,Day\n${number},01/02/2026\n`;
    return (await keeper.send("POST", "/api/things/import?name=x.csv", undefined, { ...csv, raw })).body as ImportJson;
  };
  const json = (body: unknown): Options => ({
    headers: { "content-type": "application/json" },
    raw: JSON.stringify(body),
  });
  const job = await begin("B-1");
  const settings = { columns: [{ field: "number" }, { field: "day", days: "dmy" }] };
  // Two orders fit the date.
  expect((await send(keeper, `/${job.id}/check`)).status).toBe(400);
  expect((await send(keeper, `/${job.id}/check`, json(settings))).status).toBe(202);
  await settle(job);
  expect((await send(keeper, `/${job.id}/cancel`)).status).toBe(409);
  expect((await send(keeper, `/${job.id}/run`, json({ mode: "all" }))).status).toBe(202);
  await settle(job);
  const [thing] = (await keeper.get("/api/things?number=B-1")).list().items;
  await keeper.send("PATCH", `/api/things/${thing?.id}`, { day: "2026-03-03" });
  expect((await send(keeper, `/${job.id}/undo`)).status).toBe(409);
  await send(keeper, `/${NOWHERE}/run`);
  await send(keeper, `/${job.id}/check`, { headers: { "content-type": "application/json" }, raw: "[" });
  await send(keeper, `/${job.id}/check`, { headers: { "content-type": "text/plain" }, raw: "x" });
  await send(keeper, `/${job.id}/check`, json("x".repeat(1_100_000)));
  await refuse(`/${job.id}/check`, json({}));
  expectAll();
});
