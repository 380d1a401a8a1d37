import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { Application } from "../../../src/core/wire/application.ts";
import { findRunning } from "../../../src/postgres/embedded/index.ts";
import { copyCluster } from "../../cluster.ts";
import { database } from "../../postgres.ts";
import { waitUntil } from "../../wait.ts";
import {
  type ApiClient,
  command,
  example,
  failed,
  freePort,
  ninefold,
  type Program,
  processesWith,
  scratch,
  startProgram,
} from "../program.ts";
import { createRoom, shelf } from "./shelf.ts";

const { at, write } = createRoom();

const whoIs = async (who: ApiClient) => ((await who.get("/_/application")).body as Application).person;

describe("a demonstration", () => {
  let program: Program;
  beforeAll(async () => {
    program = await startProgram({ file: example("lending"), firstStart: true });
  });
  afterAll(() => program.stop());

  test("is created by a first run, which shows its address and a sign-in for each role", () => {
    const text = program.output();
    expect(text).toContain(`Lending desk runs at ${program.url}\n`);
    for (const role of ["Administrator", "Keeper", "Member"])
      expect(text).toMatch(new RegExp(`  sign in as ${role} \\([^)]+\\): ${program.url}/sign-in#demo=[\\w-]{43}\n`));
    expect(text).toContain("This is a demonstration: anyone who uses this machine can sign in without a password.");
    expect(text).toMatch(/^Added sample data: 6 people, \d+ records\./mu);
    expect(text).not.toMatch(/\?\s*$/mu);
  });

  test("writes one line of JSON to the ready file when it is ready", async () => {
    const ready = join(dirname(program.data), "ready");
    expect(JSON.parse(await readFile(ready, "utf8"))).toEqual({ url: program.url, pid: program.pid });
    expect(existsSync(`${ready}.new`)).toBe(false);
  });

  test("listens only on this machine’s own address", async () => {
    const reached = (host: string) =>
      new Promise<boolean>((resolve) => {
        const socket = connect({ host, port: program.port, timeout: 1_000 });
        const answer = (is: boolean) => () => {
          socket.destroy();
          resolve(is);
        };
        socket.once("connect", answer(true)).once("error", answer(false)).once("timeout", answer(false));
      });
    expect(await reached("127.0.0.1")).toBe(true);
    // A server on all addresses is reachable at these.
    for (const host of ["127.0.0.2", "::1"]) expect([host, await reached(host)]).toEqual([host, false]);
  });

  test("locks its data: a second start is refused, and says where the first one runs", async () => {
    const { exit, messages } = failed(
      await ninefold(["run", example("lending"), "--data", program.data, "--port", `${await freePort()}`]),
    );
    expect(exit).toBe(4);
    expect(messages.join("\n")).toContain(program.url);
    expect((await program.visitor().get("/readyz")).status).toBe(200);
  });

  test("marks its folder for good, so later starts need no option", async () => {
    const keeper = await program.signInAs("keeper");
    const things = (await keeper.get("/api/things?count=true")).list().count;
    await program.stop();
    program = await startProgram({ file: program.file, data: program.data, args: ["--no-sample"] });
    expect(program.output()).toContain(`Starting the database in ${program.data}`);
    expect(program.output()).not.toContain("Made ");
    const again = await program.signInAs("keeper");
    expect((await again.get("/api/things?count=true")).list().count).toBe(things);
  });
});

describe("sign-in of a demonstration", () => {
  test("is refused for a database that is given by address", async () => {
    const store = await database();
    const args = [
      "run",
      example("lending"),
      "--database",
      store.url,
      "--demonstration",
      "--port",
      `${await freePort()}`,
    ];
    const { exit, messages } = failed(await ninefold(args));
    expect([exit, ...messages]).toEqual([
      7,
      "A database that you name with --database or DATABASE_URL can’t be a demonstration.",
      "Demonstration sign-in needs no password, so only a data folder that was created as a demonstration has it.",
    ]);
    expect((await store.query("select nspname from pg_namespace where nspname in ('app', 'ninefold')")).rows).toEqual(
      [],
    );
    await store.end();
  });

  test("is absent there, with or without sample data", async () => {
    const store = await database();
    const program = await startProgram({ file: example("lending"), database: store.url, args: ["--sample"] });
    const { signIn } = (await program.visitor().get("/_/application")).body as Application;
    expect(signIn).not.toHaveProperty("demonstration");
    expect(program.output()).toContain("sample data");
    await program.stop();
    expect((await store.query(`select count(*)::int > 0 as some from app.loan`)).rows).toEqual([{ some: true }]);
    await store.end();
  });
});

describe("a run without a demonstration", () => {
  const PASSWORD = "a good long password";
  let program: Program;
  let data: string;
  beforeAll(async () => {
    program = await startProgram({
      file: example("lending"),
      args: ["--no-sample"],
      env: { NINEFOLD_LOG: "trace" },
    });
    data = program.data;
  });
  afterAll(() => program.stop());
  const again = async (...args: readonly string[]) => {
    await program.stop();
    program = await startProgram({ file: example("lending"), data, args });
  };

  test("has no people, and a link for the first administrator, which works once", async () => {
    const token = /create the first administrator .*\/sign-in#first=([\w-]{43})\n/.exec(program.output())?.[1];
    const visitor = program.visitor();
    const person = { name: "Ada", email: "ada@example.com", password: PASSWORD };
    expect((await visitor.get("/_/application")).body).toMatchObject({ signIn: { providers: [] } });
    expect((await visitor.post("/_/first-administrator", { token, ...person })).status).toBe(204);
    expect(await whoIs(visitor)).toMatchObject({ name: "Ada", administrator: true });
    const second = await program
      .visitor()
      .post("/_/first-administrator", { token, ...person, email: "eve@example.com" });
    expect(second.problem()).toMatchObject({ status: 403, code: "LINK_USED" });
    expect(await whoIs(await program.signIn("ada@example.com", PASSWORD))).toMatchObject({ administrator: true });
  });

  test("writes no passwords and cookies to its output, at any log level", () => {
    expect(program.output()).not.toContain(PASSWORD);
    expect(program.output()).not.toMatch(/session-\d+=/);
  });

  test("finds its data again, and shows no link if there is an administrator", async () => {
    await again("--no-sample");
    expect(program.output()).not.toContain("first administrator");
    expect(await whoIs(await program.signIn("ada@example.com", PASSWORD))).toMatchObject({ name: "Ada" });
  });

  test("never turns its data into a demonstration", async () => {
    await program.stop();
    const args = ["run", example("lending"), "--data", data, "--demonstration", "--port", `${await freePort()}`];
    const { exit, messages } = failed(await ninefold(args));
    expect([exit, messages[0]]).toEqual([7, `The data folder ${data} is not a demonstration.`]);
    await again("--sample");
    const { signIn } = (await program.visitor().get("/_/application")).body as Application;
    expect(signIn).not.toHaveProperty("demonstration");
  });

  test("creates the administrator that is given, once, and says so if there is one already", async () => {
    const file = await write("password", `${PASSWORD} 2\r\n`);
    await again("--admin-email", "Bea@example.com", "--admin-name", "Bea Brandt", "--admin-password-file", file);
    expect(await whoIs(await program.signIn("bea@example.com", `${PASSWORD} 2`))).toMatchObject({
      name: "Bea Brandt",
      roles: ["administrator"],
    });
    const other = await write("password", "another long password");
    await again("--admin-email", "bea@example.com", "--admin-password-file", other);
    expect(program.output()).toContain("bea@example.com already has an account. It was not changed.");
    await program.signIn("bea@example.com", `${PASSWORD} 2`);
    const refused = await program
      .visitor()
      .post("/_/session", { email: "bea@example.com", password: "another long password" });
    expect(refused.status).toBe(401);
  });
});

test("a run that can’t create its administrator ends with 2 and says why, and the next one creates them", async () => {
  const data = join(await scratch(), "data");
  await copyCluster(inject("newCluster"), data);
  const start = async (email: string, password: string) => {
    const file = await write("refused-password", password);
    const words = ["--port", `${await freePort()}`, "--admin-email", email, "--admin-password-file", file];
    const { exit, messages } = failed(await ninefold(["run", example("lending"), "--data", data, ...words]));
    return [exit, messages[0]];
  };
  expect(await start("ada@example.com", "too short\n")).toEqual([
    2,
    "Can’t create the administrator: A password must have 10 to 200 characters.",
  ]);
  expect(await start("nobody", "a good long password\n")).toEqual([
    2,
    "Can’t create the administrator: Email must be an email address.",
  ]);
  expect(processesWith(data)).toEqual([]);
  const program = await startProgram({ file: example("lending"), data });
  expect(program.output()).toContain("create the first administrator");
  await program.stop();
});

test("a run with an administrator on fresh data creates one, without sample data and demonstration", async () => {
  const file = await write("first-password", "a good long password");
  const program = await startProgram({
    file: example("lending"),
    args: ["--admin-email", "ada@example.com", "--admin-password-file", file],
  });
  expect(program.output()).not.toMatch(/sample|demonstration|first=/u);
  const ada = await program.signIn("ada@example.com", "a good long password");
  expect(await whoIs(ada)).toMatchObject({ roles: ["administrator"], administrator: true });
  const running = await findRunning(program.data);
  const client = new pg.Client({ ...running?.owner });
  await client.connect();
  const { rows } = await client.query(`select "name", "email", "roles" from app."user"`).finally(() => client.end());
  expect(rows).toEqual([{ name: "Ada", email: "ada@example.com", roles: ["administrator"] }]);
  await program.stop();
});

describe("stopping", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "by %s ends with 0, leaves no process, and keeps the data",
    async (signal) => {
      const program = await startProgram({ text: shelf });
      const reader = await program.signInAs(null);
      (await reader.post("/api/books", { title: "Dune" })).record();
      const { exit, stderr } = await program.stop(signal);
      expect([exit, stderr]).toEqual([0, ""]);
      expect(processesWith(program.data)).toEqual([]);
      expect(await findRunning(program.data)).toBe(undefined);
      const second = await startProgram({ file: program.file, data: program.data });
      const books = (await (await second.signInAs(null)).get("/api/books?title=Dune")).list();
      expect(books.items).toHaveLength(1);
      expect((await second.stop()).exit).toBe(0);
    },
  );

  test("works during the start", async () => {
    const folder = await scratch();
    const data = join(folder, "data");
    const starting = command(["run", example("lending"), "--data", data, "--port", `${await freePort()}`]);
    await waitUntil(() => starting.output().includes("Creating a database"), starting.output);
    starting.signal("SIGTERM");
    expect((await starting.ended).exit).toBe(0);
    expect(processesWith(data)).toEqual([]);
  });

  test("twice has the effect of once", async () => {
    const program = await startProgram({ text: shelf });
    program.signal("SIGINT");
    program.signal("SIGTERM");
    expect((await program.stop("SIGINT")).exit).toBe(0);
    expect(processesWith(program.data)).toEqual([]);
  });

  test("does not wait for idle connections or unfinished requests", async () => {
    const program = await startProgram({ text: shelf });
    const { port, hostname } = new URL(program.url);
    const sockets = await Promise.all(
      [
        "",
        "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n",
        `POST /_/session HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
      ].map(
        (sent) =>
          new Promise<ReturnType<typeof connect>>((resolve) => {
            const socket = connect(Number(port), hostname, () => {
              socket.write(sent, () => resolve(socket));
            });
            socket.on("error", () => undefined);
          }),
      ),
    );
    await sleep(100);
    const from = performance.now();
    const { exit } = await program.stop();
    expect(exit).toBe(0);
    // The program gives up such a request after half a minute.
    expect(performance.now() - from).toBeLessThan(25_000);
    for (const socket of sockets) socket.destroy();
  });

  test("finishes requests in progress", async () => {
    const program = await startProgram({ text: shelf });
    // Each takes its time, two at a time: the last of them are waiting when it is told to stop. By asking to go on it is
    // known of each that it was heard; what is still on its way when a server stops may be lost.
    const requests = await Promise.all(Array.from({ length: 16 }, (_, i) => heard(program, `nobody${i}@example.com`)));
    const answers = requests.map((finish) => finish());
    await answers[0];
    const ended = program.stop();
    expect(await Promise.all(answers)).toEqual(requests.map(() => 401));
    expect((await ended).exit).toBe(0);
  });
});

/**
 * Starts a sign-in; once the server has received its header, returns a function that sends the rest and waits for the
 * status.
 */
const heard = (program: Program, email: string): Promise<() => Promise<number>> =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify({ email, password: "a good long password" });
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      origin: program.url,
      expect: "100-continue",
    };
    const asking = request(`${program.url}/_/session`, { method: "POST", headers });
    const answered = new Promise<number>((answer, fail) => {
      asking.on("response", (response) => answer(response.resume().statusCode ?? 0));
      asking.on("error", fail);
    });
    answered.catch(reject);
    asking.on("continue", () =>
      resolve(() => {
        asking.end(body);
        return answered;
      }),
    );
    asking.flushHeaders();
  });

test("the program never prompts, even if its standard input is open; without a ready file, the last line of the output is its JSON, for programs", async () => {
  const checked = await ninefold(["check", example("founding")], { input: "open" });
  expect(checked.exit).toBe(0);
  const folder = await scratch();
  const port = await freePort();
  const args = ["run", example("founding"), "--data", join(folder, "data"), "--port", `${port}`];
  const running = command(args, { input: "open" });
  await waitUntil(() => running.output().includes('"pid"'), running.output);
  expect(JSON.parse(running.output().trimEnd().split("\n").at(-1) ?? "")).toEqual({
    url: `http://127.0.0.1:${port}`,
    pid: running.pid,
  });
  running.signal("SIGTERM");
  expect((await running.ended).exit).toBe(0);
});

test("port 0 takes a free port, and the output names it", async () => {
  const program = await startProgram({ file: example("founding"), port: 0 });
  expect(Number(new URL(program.url).port)).toBeGreaterThan(0);
  const administrator = await program.signInAs("administrator");
  expect(administrator.cookie()).toMatch(new RegExp(`^session-${new URL(program.url).port}=`));
  await program.stop();
});

test("a document that stored data does not fit is refused with the reason, and the data stays", async () => {
  const program = await startProgram({ text: shelf });
  await program.stop();
  const changed = await write("changed.md", shelf.replace("Book:\n", "User: { fields: { desk: text } }\nBook:\n"));
  const args = ["run", changed, "--data", program.data, "--port", `${await freePort()}`];
  const { exit, messages } = failed(await ninefold([...args, "--apply-changes", "always"]));
  expect(exit).toBe(6);
  expect(messages).toEqual([
    "1 change to the specification can’t be applied to the stored data. Nothing was changed.",
    expect.stringMatching(/^ {2}3\.User\.desk can’t be added as a required field: \d+ records have no value for it\./u),
    "Change the stored records or the specification, or run the specification on new data with --data.",
  ]);
  expect(processesWith(program.data)).toEqual([]);
  const again = await startProgram({ file: program.file, data: program.data });
  expect((await again.visitor().get("/readyz")).status).toBe(200);
  await again.stop();
});

test("additions of a change are reported at the start and available at once", async () => {
  const program = await startProgram({ text: shelf });
  await program.stop();
  const more = shelf
    .replace("title: text", "title: text\n    pages: integer?")
    .replace("Book:\n", "Note: { fields: { text: text, book: Book? } }\nBook:\n")
    .replace("permissions:\n", "permissions:\n  Note: { read: [reader], create: [reader] }\n");
  const second = await startProgram({ file: await write("more.md", more), data: program.data });
  for (const text of ["3.Book.pages: add column pages", "3.Note: create table note"])
    expect(second.output()).toContain(text);
  const reader = await second.signInAs(null);
  const book = (await reader.post("/api/books", { title: "Dune", pages: 412 })).record();
  expect((await reader.post("/api/notes", { text: "Long", book: book.id })).record()).toMatchObject({
    book: { id: book.id, label: "Dune" },
  });
  await second.stop();
});

describe("on one database", () => {
  test("several programs serve one application: they share records and sessions", async () => {
    const store = await database();
    const [one, other] = await Promise.all([
      startProgram({ text: shelf, database: store.url }),
      startProgram({ text: shelf, database: store.url }),
    ]);
    const links = [one, other].map((program) => /first=([\w-]{43})/.exec(program.output())?.[1]);
    const person = { name: "Ada", email: "ada@example.com", password: "a good long password" };
    const created = await Promise.all(
      links.map((token) => one.visitor().post("/_/first-administrator", { token, ...person })),
    );
    expect(created.filter(({ status }) => status === 204)).toHaveLength(1);
    const ada = await one.signIn(person.email, person.password);
    const { id } = (await ada.post("/api/books", { title: "Dune" })).record();
    const cookie = ada.cookie().replace(/^session-\d+=/u, "session=");
    const read = await other.visitor().get(`/api/books/${id}`, { cookie });
    expect(read.record()).toMatchObject({ title: "Dune", version: 1 });
    await ada.delete("/_/session");
    expect((await other.visitor().get(`/api/books/${id}`, { cookie })).status).toBe(401);
    expect((await store.query("select number from ninefold.version")).rows).toEqual([{ number: 1 }]);
    await Promise.all([one.stop(), other.stop()]);
    await store.end();
  });

  test("an internal error shows only a reference, and the log has the details under it", async () => {
    const store = await database();
    const program = await startProgram({ text: shelf, database: store.url });
    await store.query(
      `insert into app."user" (id, version, created_at, updated_at, "name", "email") values (gen_random_uuid(), 1, now(), now(), 'Ada', 'ada@example.com')`,
    );
    await store.query(
      "insert into ninefold.session (token_hash, person, expires_at) select sha256('token'), id, now() + interval '1 hour' from app.\"user\"",
    );
    await store.query("alter table app.book rename to lost");
    const answer = await program.visitor().get("/api/books", { cookie: "session=token" });
    expect(answer.problem()).toEqual({
      type: "about:blank",
      title: "Internal error",
      status: 500,
      code: "FAULT",
      detail: "Something went wrong on our side. Try again in a moment.",
      reference: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const line = program
      .output()
      .split("\n")
      .find((one) => one.includes(answer.problem().reference ?? "none"));
    expect(line).toContain('relation \\"app.book\\" does not exist');
    expect(line).not.toContain("session=token");
    await store.query("alter table app.lost rename to book");
    expect((await program.visitor().get("/api/books", { cookie: "session=token" })).status).toBe(200);
    await program.stop();
    await store.end();
  });
});

describe("sample remove", () => {
  const PASSWORD = "a good long password";
  let program: Program;
  let ada: ApiClient;
  beforeAll(async () => {
    const file = await write("sample-password", PASSWORD);
    program = await startProgram({
      text: shelf,
      args: ["--sample", "--admin-email", "ada@example.com", "--admin-password-file", file],
    });
    ada = await program.signIn("ada@example.com", PASSWORD);
  });
  afterAll(() => program.stop());
  const remove = async (...words: readonly string[]) => {
    const { exit, stdout, stderr } = await ninefold(["sample", "remove", ...words], { cwd: at() });
    return [exit, stdout.trimEnd(), stderr.trimEnd().split("\n")[0]];
  };
  const books = async () => (await ada.get("/api/books?limit=200")).list().items;

  test("removes samples beside the running program, and keeps those that people’s records refer to", async () => {
    const [sample] = (await ada.get("/api/books?sequel=")).list().items;
    const all = await books();
    expect(all.length).toBeGreaterThan(10);
    expect(all.some(({ sequel }) => sequel !== null)).toBe(true);
    const own = (await ada.post("/api/books", { title: "Mine", sequel: sample?.id })).record();
    expect(await remove(program.file, "--data", program.data)).toEqual([
      0,
      `Deleted ${all.length - 1 + 5} sample people and records; 1 was kept, because one of your own records refers to it.`,
      "",
    ]);
    expect((await books()).map(({ id }) => id).sort()).toEqual([own.id, sample?.id].sort());
    expect(await whoIs(ada)).toMatchObject({ administrator: true });
  });

  test("keeps lines of history", async () => {
    const [stored] = (await ada.get("/api/books?sequel=")).list().items;
    const lines = (await ada.get(`/api/books/${stored?.id}/history`)).history();
    expect(lines.map(({ action, person }) => [action, person?.label])).toEqual([["create", "…"]]);
  });

  test("uses the document in the database, not the file, and applies nothing", async () => {
    const before = (await ada.get("/_/open-points")).body;
    const changed = await write("other-shelf.md", shelf.replace("title: text", "title: text\n    pages: integer?"));
    expect((await remove(changed, "--data", program.data))[1]).toContain("Deleted 0 sample people and records");
    await program.stop();
    const running = await startProgram({ file: program.file, data: program.data, args: ["--no-sample"] });
    ada = await running.signIn("ada@example.com", PASSWORD);
    program = running;
    expect((await ada.get("/_/open-points")).body).toEqual(before);
  });

  test("removes the rest without the program too, once nothing refers to it", async () => {
    for (const { id, title } of await books()) if (title === "Mine") await ada.delete(`/api/books/${id}`);
    await program.stop();
    expect(await remove(program.file, "--data", program.data)).toEqual([0, "Deleted 1 sample people and records.", ""]);
    expect(processesWith(program.data)).toEqual([]);
    program = await startProgram({ file: program.file, data: program.data, args: ["--no-sample"] });
    ada = await program.signIn("ada@example.com", PASSWORD);
    expect(await books()).toEqual([]);
  });

  test("creates nothing if there is no data", async () => {
    const folder = await scratch();
    const { exit, messages } = failed(
      await ninefold(["sample", "remove", example("lending"), "--data", join(folder, "typo")], { cwd: folder }),
    );
    expect([exit, messages[0]]).toEqual([5, `There is no data in ${join(folder, "typo")}.`]);
    expect(failed(await ninefold(["sample", "remove", example("lending")], { cwd: folder })).exit).toBe(5);
    expect(readdirSync(folder)).toEqual([]);
    const store = await database();
    const other = failed(await ninefold(["sample", "remove", example("lending"), "--database", store.url]));
    expect([other.exit, other.messages[0]]).toEqual([5, "The database has never run a specification."]);
    expect((await store.query("select nspname from pg_namespace where nspname in ('app', 'ninefold')")).rows).toEqual(
      [],
    );
    await store.end();
  });

  test.each([[[]], [["remove"]], [["add", "a.md"]], [["remove", "a.md", "b.md"]]])(
    "requires the exact confirmation: not %j",
    async (words) => {
      const { exit, messages } = failed(await ninefold(["sample", ...words], { cwd: at() }));
      expect([exit, messages[0]]).toEqual([2, "Write “remove” and name one file or folder."]);
    },
  );

  test("in a demonstration removes the sign-ins, and the next start shows a link for the first administrator", async () => {
    const shown = await startProgram({ file: example("lending") });
    await shown.stop();
    expect((await remove(shown.file, "--data", shown.data))[0]).toBe(0);
    const second = await startProgram({ file: shown.file, data: shown.data });
    const { signIn } = (await second.visitor().get("/_/application")).body as Application;
    expect(signIn.demonstration).toEqual([]);
    const token = /sign-in#first=([\w-]{43})/.exec(second.output())?.[1];
    const person = { token, name: "Ada", email: "ada@example.com", password: PASSWORD };
    expect((await second.visitor().post("/_/first-administrator", person)).status).toBe(204);
    await second.stop();
  });
});

describe("NINEFOLD_CLOCK", () => {
  const diary = `# Diary

## 3. Entities and their fields
\`\`\`yaml
Entry:
  fields: { day: { type: date, default: today }, made: { type: datetime, set: now } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { writer: { members: signed in } }
permissions:
  Entry: { read: [writer], create: [writer], update: none, delete: none }
\`\`\`
`;

  test("sets the time at the start: the program says so, and `now` and `today` follow it", async () => {
    const program = await startProgram({ text: diary, env: { NINEFOLD_CLOCK: "2031-05-01T22:30:00Z" } });
    expect(program.output()).toContain("NINEFOLD_CLOCK sets the time to 2031-05-01T22:30:00.000Z.");
    const writer = await program.signInAs(null);
    const entry = (await writer.post("/api/entries", {})).record();
    expect(entry).toMatchObject({ day: "2031-05-01", made: expect.stringMatching(/^2031-05-01T22:3/u) });
    await program.stop();
  });

  test("applies to the link for the first administrator", async () => {
    const program = await startProgram({
      text: diary,
      env: { NINEFOLD_CLOCK: "2031-05-01T22:30:00Z" },
      args: ["--no-sample"],
    });
    const token = /\/sign-in#first=([\w-]{43})\n/.exec(program.output())?.[1];
    const person = { name: "Ada", email: "ada@example.com", password: "a good long password" };
    expect((await program.visitor().post("/_/first-administrator", { token, ...person })).status).toBe(204);
    await program.stop();
  });

  test("with an invalid datetime ends the start with 2, and says how to write one", async () => {
    const ended = await ninefold(["run", await write("diary.md", diary), "--data", at("clock")], {
      env: { NINEFOLD_CLOCK: "tomorrow" },
    });
    const { exit, messages } = failed(ended);
    expect([exit, messages]).toEqual([
      2,
      ["NINEFOLD_CLOCK is “tomorrow”, which isn’t a date and time.", "Write for example 2026-03-01T08:00:00Z."],
    ]);
    expect(existsSync(at("clock"))).toBe(false);
  });
});

test("a program that stops answers pages that wait for changes, and does not wait for them", async () => {
  const program = await startProgram({ file: example("lending"), args: ["--demonstration"] });
  const person = await program.signInAs("keeper");
  const { at } = (await person.get("/_/changes")).body as { readonly at: string };
  const waiting = person.get(`/_/changes?after=${at}`);
  await sleep(500);
  const from = Date.now();
  const stopped = program.stop();
  expect((await waiting).status).toBe(200);
  expect((await waiting).headers.get("connection")).toBe("close");
  expect((await stopped).exit).toBe(0);
  // Open connections are cut after eight seconds.
  expect(Date.now() - from).toBeLessThan(7_000);
});
