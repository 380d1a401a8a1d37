import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, InjectOptions } from "fastify";
import { LRUCache } from "lru-cache";
import { type LevelWithSilent, pino } from "pino";
import { inject } from "vitest";
import { type Compiled, compile } from "../../src/core/compile.ts";
import type { Model } from "../../src/core/model/model.ts";
import { placesIn } from "../../src/core/source-text.ts";
import type { Application } from "../../src/core/wire/application.ts";
import type { HistoryJson } from "../../src/core/wire/history.ts";
import type { ListJson } from "../../src/core/wire/lists.ts";
import type { Problem } from "../../src/core/wire/problems.ts";
import type { RecordJson } from "../../src/core/wire/records.ts";
import { Timers } from "../../src/jobs/timers.ts";
import { connect, findRole } from "../../src/postgres/database.ts";
import { prepareSystem } from "../../src/postgres/schema/prepare-system.ts";
import { createPerson } from "../../src/server/accounts/create-person.ts";
import { type AppOptions, createApp } from "../../src/server/app.ts";
import { createDemonstration } from "../../src/server/auth/demo-sign-in.ts";
import { beginSession } from "../../src/server/auth/sessions.ts";
import { SignInLog } from "../../src/server/auth/sign-in-log.ts";
import type { Authoring } from "../../src/server/authoring/authoring.ts";
import type { Service } from "../../src/server/execution/service.ts";
import { cookieName, ownMachine } from "../../src/server/http/origin.ts";
import { createSampleData } from "../../src/server/sample/sample.ts";
import { playStory } from "../../src/server/sample/story/play-story.ts";
import { readStory } from "../../src/server/sample/story/read-story.ts";
import { type OpenDocument, open } from "../../src/server/serving/open-document.ts";
import { RefusalLog } from "../../src/server/telemetry/refusal-log.ts";
import { copyCluster } from "../cluster.ts";
import { afterEveryFile } from "../ends.ts";
import { freePort } from "../free-port.ts";
import { database, type TestDatabase, template } from "../postgres.ts";
import { environmentSecret, recordOutput, recordSecretsOf, recordTables } from "../secret-recorder.ts";
import { sampleFolder } from "./sample-folder.ts";

/*
 * Two ways to run an application, and one way to send requests to it:
 *
 *   const program = await startProgram({ file: example("lending") });   // the real program: `ninefold run` on an embedded Postgres
 *   const keeper = await program.signInAs("keeper");                    // by demonstration
 *   const loan = (await keeper.post("/api/loans", { thing, due_day })).record();
 *
 *   const desk = await serveText(`…`);                                  // the same server in this process, with its own database
 *   const ada = await desk.person("Ada", ["keeper"]);
 *   expect(await ada.get("/api/loans")).toMatchObject({ status: 200 });
 *
 *   const shown = await serveDemonstration({ file: example("lending") }); // the same with samples, at an address for a browser
 *
 * Everything that a file starts is stopped at the end of the file; a test can stop it sooner.
 */

const root = fileURLToPath(new URL("../..", import.meta.url));
const main = join(root, "dist", "cli", "main.js");
const web = join(root, "dist", "web");

/** The path of an example: `example("lending")`. */
export const example = (name: string): string => join(root, "examples", `${name}.md`);

/** A response. Its accessors throw, with the whole response, if it has another form. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body parsed as JSON; undefined if it is no JSON. */
  readonly body: unknown;
  record(): RecordJson;
  list(): ListJson;
  history(): HistoryJson["items"];
  problem(): Problem;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent unchanged, without a default content type. */
  readonly raw?: string | Buffer;
}

/** A client of an application that keeps its cookies. */
export interface ApiClient {
  send(method: string, path: string, body?: unknown, more?: RequestOptions): Promise<Answer>;
  get(path: string, headers?: RequestOptions["headers"]): Promise<Answer>;
  post(path: string, body?: unknown, headers?: RequestOptions["headers"]): Promise<Answer>;
  patch(path: string, body?: unknown, headers?: RequestOptions["headers"]): Promise<Answer>;
  delete(path: string, headers?: RequestOptions["headers"]): Promise<Answer>;
  /** `name=value`; empty before signing in. */
  cookie(): string;
}

type Transport = (
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string | Buffer | undefined,
) => Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }>;

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const toAnswer = (request: string, { status, headers, text }: Awaited<ReturnType<Transport>>): Answer => {
  const body = parseJson(text);
  const reading =
    <T>(what: string, holds: boolean) =>
    (): T => {
      if (!holds) throw new Error(`${request} answered ${status}, not ${what}: ${text}`);
      return body as T;
    };
  const has = (key: string) => typeof body === "object" && body !== null && key in body;
  const good = status >= 200 && status < 300;
  return {
    status,
    headers,
    text,
    body,
    record: reading("a record", good && has("id")),
    list: reading("a list", good && has("items") && has("next")),
    history: () => reading<HistoryJson>("a history", good && has("items") && !has("next"))().items,
    problem: reading("a problem", !good && has("code")),
  };
};

const isPosition = (cookie: string): boolean => /^(?:__Host-)?position/u.test(cookie);

const createClient = (transport: Transport, cookie = ""): ApiClient => {
  let sessionCookie = cookie;
  /** The cookie of positions, with standbys. */
  let position = "";
  const send: ApiClient["send"] = async (method, path, body, { headers = {}, raw } = {}) => {
    const json = raw === undefined && body !== undefined;
    const answer = await transport(
      method,
      path,
      {
        ...(sessionCookie === "" && position === ""
          ? {}
          : { cookie: [sessionCookie, position].filter(Boolean).join("; ") }),
        ...(json ? { "content-type": "application/json" } : {}),
        ...headers,
      },
      raw ?? (json ? JSON.stringify(body) : undefined),
    );
    for (const cookie of answer.headers.getSetCookie().map((one) => one.split(";")[0] ?? ""))
      if (isPosition(cookie)) position = cookie;
    const session = answer.headers
      .getSetCookie()
      .find((one) => !isPosition(one))
      ?.split(";")[0];
    if (session !== undefined) sessionCookie = session.endsWith("=") ? "" : session;
    const read = toAnswer(`${method} ${path}`, answer);
    recordSecretsOf(path, { body, raw, cookie: sessionCookie, authorization: headers.authorization }, read);
    return read;
  };
  return {
    send,
    get: (path, headers = {}) => send("GET", path, undefined, { headers }),
    post: (path, body, headers = {}) => send("POST", path, body, { headers }),
    patch: (path, body, headers = {}) => send("PATCH", path, body, { headers }),
    delete: (path, headers = {}) => send("DELETE", path, undefined, { headers }),
    cookie: () => sessionCookie,
  };
};

const overHttp =
  (url: string): Transport =>
  async (method, path, headers, body) => {
    const response = await fetch(url + path, {
      method,
      headers,
      redirect: "manual",
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : new Uint8Array(body) }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

/** A client with an existing cookie. */
export const apiClientAt = (url: string, cookie: string): ApiClient => createClient(overHttp(url), cookie);

const signedIn = async (visitor: ApiClient, body: unknown): Promise<ApiClient> => {
  const answer = await visitor.post("/_/session", body);
  if (answer.status !== 204) throw new Error(`signing in answered ${answer.status}: ${answer.text}`);
  return visitor;
};

/** A sample person by a role or by name; `null` for one without roles. */
const byDemonstration = async (visitor: ApiClient, role: string | null): Promise<ApiClient> => {
  const { signIn } = (await visitor.get("/_/application")).body as Application;
  const shown = signIn.demonstration?.find(({ name, roles }) =>
    role === null ? roles.length === 0 : name === role || roles.includes(role),
  );
  if (shown === undefined) throw new Error(`nobody to sign in as ${role}: ${JSON.stringify(signIn)}`);
  return signedIn(visitor, { demonstration: shown.token });
};

const cleanups: (() => Promise<unknown>)[] = [];
afterEveryFile(async () => {
  for (let stop = cleanups.pop(); stop !== undefined; stop = cleanups.pop()) await stop();
});

export { freePort };

// The real program

/** A folder that is removed at the end of the file. Postgres's own account can pass through it to its data. */
export const scratch = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "ninefold-test-"));
  await chmod(folder, 0o711);
  // A killed Postgres leaves processes that can write files for a moment.
  cleanups.unshift(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return folder;
};

export interface Ended {
  /** The exit code; null after a signal. */
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Command {
  readonly pid: number;
  /** The output so far, of both streams. */
  output(): string;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

/** The environment of the program, without the developer's own settings. */
const environment = (more: Readonly<Record<string, string>>): Record<string, string> => ({
  PATH: process.env.PATH ?? "",
  HOME: tmpdir(),
  APP_NOBODY_ASKS_FOR: environmentSecret,
  ...more,
});

/** Working directory and environment of a command, and if its input stays open. */
export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: "open" | "closed";
}

/** Runs `ninefold` with arguments, without a terminal and by default with empty input. */
export const command = (args: readonly string[], more: CommandOptions = {}): Command => {
  const child: ChildProcess = spawn(process.execPath, [main, ...args], {
    cwd: more.cwd ?? tmpdir(),
    stdio: [more.input === "open" ? "pipe" : "ignore", "pipe", "pipe"],
    env: environment(more.env ?? {}),
  });
  let stdout = "";
  let stderr = "";
  let both = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    both += text;
    recordOutput?.(text);
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    both += text;
    recordOutput?.(text);
  });
  const ended = once(child, "close").then(([exit]): Ended => ({ exit, stdout, stderr }));
  cleanups.push(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    const killing = setTimeout(() => child.kill("SIGKILL"), 5_000);
    await ended;
    clearTimeout(killing);
  });
  return { pid: child.pid ?? 0, output: () => both, signal: (signal) => child.kill(signal), ended };
};

/** Runs a command to its end. */
export const ninefold = (args: readonly string[], more: CommandOptions = {}): Promise<Ended> =>
  command(args, more).ended;

/** The message of a failed command: the lines of its sentence. Throws if it contains traces of a fault. */
export const failed = ({ exit, stdout, stderr }: Ended) => {
  const traces = / {4}at |node:|because of a defect|undefined|\[object/u;
  if (exit === 0 || traces.test(stderr)) throw new Error(`no clear failure (${exit}): ${stdout}${stderr}`);
  return { exit, stdout, messages: stderr.trimEnd().split("\n") };
};

/** Processes whose command line contains a text such as a data folder, one line each. */
export const processesWith = (text: string): readonly string[] =>
  execFileSync("ps", ["-eww", "-o", "pid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(text));

/** An application at an address, in a process of its own or in this one. */
export interface RunningApplication {
  readonly url: string;
  /** A client that has not signed in. */
  visitor(): ApiClient;
  /** Signs in by demonstration as a sample person, by a role or by name; `null` for one without roles. */
  signInAs(role: string | null): Promise<ApiClient>;
}

export interface Program extends Command, RunningApplication {
  readonly port: number;
  /** The data folder; absent for a program with a database URL. */
  readonly data: string;
  /** The document's file. */
  readonly file: string;
  signIn(email: string, password: string): Promise<ApiClient>;
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

export interface ProgramOptions {
  /** A document's path or text. */
  readonly file?: string;
  readonly text?: string;
  /** The data folder; a new one by default. Pass that of an earlier program to start again on its data. */
  readonly data?: string;
  /** A database URL instead of a data folder. */
  readonly database?: string;
  readonly port?: number;
  /** Further arguments: `["--no-sample"]`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** True for tests of the first start, which need an unprepared data folder. */
  readonly firstStart?: boolean;
}

const storyBeside = (file: string): Promise<string> =>
  readFile(file.replace(/\.md$/u, ".story.yaml"), "utf8").catch(() => "");

/**
 * Runs `ninefold run` from the built `dist` on a free port; resolves when it answers. A new data folder becomes a
 * demonstration with sample data unless `args` say otherwise. Several tests of one document copy a data
 * folder that is created once.
 */
export const startProgram = async (options: ProgramOptions): Promise<Program> => {
  const folder = await scratch();
  const file = options.file ?? join(folder, "specification.md");
  if (options.text !== undefined) await writeFile(file, options.text);
  const data = options.data ?? join(folder, "data");
  const isNew = options.data === undefined && options.database === undefined && options.firstStart !== true;
  const isUsual = isNew && options.args === undefined && options.env === undefined;
  const isCopied =
    isUsual &&
    (await sampleFolder(`${await readFile(file, "utf8")}${await storyBeside(file)}`, data, async (sampleData) => {
      await copyCluster(inject("newCluster"), sampleData);
      const { exit, stderr } = await (await startProgram({ file, data: sampleData })).stop();
      if (exit !== 0) throw new Error(`the program that made the samples ended with ${exit}: ${stderr}`);
    }));
  if (isNew && !isCopied) await copyCluster(inject("newCluster"), data);
  const port = options.port ?? (await freePort());
  const ready = join(folder, "ready");
  const store = options.database === undefined ? ["--data", data] : ["--database", options.database];
  const args = ["run", file, "--port", `${port}`, ...store, "--ready-file", ready, ...(options.args ?? [])];
  const running = command(args, { cwd: folder, env: options.env ?? {} });

  let result: Ended | undefined;
  void running.ended.then((ended) => {
    result = ended;
  });
  let line: string | undefined;
  for (const end = Date.now() + 150_000; line === undefined; ) {
    if (result !== undefined) throw new Error(`the program ended with ${result.exit}: ${running.output()}`);
    if (Date.now() > end) throw new Error(`the program was not ready in time: ${running.output()}`);
    line = await readFile(ready, "utf8").catch(() => undefined);
    if (line === undefined) await sleep(20);
  }
  const { url } = JSON.parse(line) as { readonly url: string };
  const visitor = () => createClient(overHttp(url));
  return {
    ...running,
    url,
    port,
    data,
    file,
    visitor,
    signInAs: (role) => byDemonstration(visitor(), role),
    signIn: (email, password) => signedIn(visitor(), { email, password }),
    stop: (signal = "SIGTERM") => {
      running.signal(signal);
      return running.ended;
    },
  };
};

// In this process

/** The documents compiled last in this process. Many files serve the same examples. */
const documents = new LRUCache<string, Compiled & { readonly model: Model }>({ max: 20 });

/** Compiles a valid document; throws its findings otherwise. */
export const compiled = (text: string, file = "specification.md"): Compiled & { readonly model: Model } => {
  const known = documents.get(`${file}\n${text}`);
  if (known !== undefined) return known;
  const result = compile({ file, text });
  const { model } = result;
  if (model !== undefined) {
    const valid = { ...result, model };
    documents.set(`${file}\n${text}`, valid);
    return valid;
  }
  const at = placesIn(result.source);
  throw new Error(
    result.findings.map((one) => `${at(one.span).line}:${at(one.span).column} ${one.code} ${one.message}`).join("\n"),
  );
};

export interface TestServer {
  readonly opened: OpenDocument;
  readonly app: FastifyInstance;
  readonly refusals: RefusalLog;
  readonly signIns: SignInLog;
  readonly database: TestDatabase;
  /** Sets the application's clock ahead of the real time, in milliseconds. */
  ahead(milliseconds: number): void;
  visitor(): ApiClient;
  /** Creates a person with these roles and signs them in without a password. */
  person(name: string, roles?: readonly string[]): Promise<ApiClient & { readonly id: string; readonly email: string }>;
  /** Creates a person with a password without signing in. */
  account(name: string, password: string, roles?: readonly string[]): Promise<{ id: string; email: string }>;
  signInAs(role: string | null): Promise<ApiClient>;
  /** A client with the token of an existing session. */
  signedIn(token: string): ApiClient;
  /** Listens on a free port, for tests that need a real connection. */
  listen(): Promise<string>;
  stop(): Promise<void>;
}

export interface ServeTextOptions {
  readonly sample?: boolean;
  readonly demonstration?: boolean;
  /** The text of a story, in place of generated samples. */
  readonly story?: string;
  /** A database that outlives this application; by default a new one that is dropped with it. */
  readonly database?: TestDatabase;
  readonly log?: LevelWithSilent;
  /** Options of the application to override. */
  readonly app?: Partial<AppOptions>;
  /** The authoring service; none by default. */
  readonly authoring?: (opened: OpenDocument, specification: Compiled, owner: string) => Authoring;
  /** Replaces the service of the document, to plant a fault in tests of tests. */
  readonly service?: (service: Service) => Service;
}

const openIn = (specification: Compiled & { readonly model: Model }, { url, appUrl, replicas }: TestDatabase) =>
  open(specification.model, specification, { owner: url, app: appUrl, replicas });

/** A new database with the platform's tables alone, copied from one in which they are created once. */
export const preparedDatabase = async (): Promise<TestDatabase> =>
  database(
    await template("the platform's tables", async (empty) => {
      const owner = connect({ connection: empty.url, max: 1 });
      await prepareSystem(owner, findRole(empty.appUrl)).finally(() => owner.end());
    }),
  );

/** A new database with the samples of a document, or with its story, copied from one that is filled once. */
export const sampledDatabase = async (text: string, story = ""): Promise<TestDatabase> =>
  database(
    await template(`${text}${story}`, async (empty) => {
      const filling = await openIn(compiled(text), empty);
      const { service } = filling;
      const timers = new Timers(() => undefined);
      const told = story === "" ? undefined : readStory({ file: "sample.story.yaml", text: story });
      if (told === undefined) await createSampleData(service, new Date());
      else await playStory(service, told, new Date(), (until) => timers.run(service, until));
      await filling.close();
    }),
  );

const PORT = 9009;

/** Serves a document in this process without a connection: the fast way to test its calls. */
export const serveText = async (text: string, options: ServeTextOptions = {}): Promise<TestServer> => {
  const specification = compiled(text);
  let ahead = 0;
  const clock = options.app?.clock ?? (() => new Date(Date.now() + ahead));
  const hasSample = options.sample === true || options.demonstration === true;
  // Creating samples takes seconds, so tests of one document copy them, unless a test sets the clock or the database.
  const copied = hasSample && options.database === undefined && options.app?.clock === undefined;
  const store = options.database ?? (copied ? await sampledDatabase(text, options.story) : await preparedDatabase());
  const opened = await openIn(specification, store);
  const { service } = opened;
  if (hasSample && !copied) await createSampleData(service, clock());
  const refusals = new RefusalLog(service.database, pino({ level: "error" }));
  const signIns = new SignInLog(service.database, pino({ level: "error" }));
  const app = await createApp({
    signIns,
    compiled: specification,
    hash: opened.applied.hash,
    service: options.service?.(service) ?? service,
    demonstration: options.demonstration === true ? await createDemonstration(service) : null,
    webRoot: web,
    port: PORT,
    log:
      recordOutput === undefined
        ? pino({ level: options.log ?? "error" })
        : pino({ level: "info" }, { write: recordOutput }),
    clock,
    authoring: options.authoring?.(opened, specification, store.url) ?? null,
    refusals,
    ...options.app,
  });
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= (async () => {
      // A connection that waits for changes becomes idle only when its answer is sent.
      const idle = setInterval(() => app.server.closeIdleConnections(), 100);
      // A browser may keep a connection on which it never sent a request. For Node, it is not idle.
      const unused = setTimeout(() => app.server.closeAllConnections(), 2_000);
      await app.close().finally(() => {
        clearInterval(idle);
        clearTimeout(unused);
      });
      await refusals.stop();
      // The database or a table can be gone.
      await recordTables(store.query).catch(() => undefined);
      await opened.close();
      if (options.database === undefined) await store.end();
    })();
    return stopping;
  };
  cleanups.push(stop);

  const injected: Transport = async (method, path, headers, body) => {
    const response = await app.inject({
      method: method as NonNullable<InjectOptions["method"]>,
      url: path,
      headers,
      ...(body === undefined ? {} : { payload: body }),
    });
    const given = new Headers();
    for (const [name, value] of Object.entries(response.headers))
      for (const one of Array.isArray(value) ? value : [value]) given.append(name, String(one));
    return { status: response.statusCode, headers: given, text: response.body };
  };
  const createAccount = async (name: string, roles: readonly string[], password?: string) => {
    const email = `${name.toLowerCase().replaceAll(/[^a-z]+/gu, ".")}@example.com`;
    const person = { name, email, roles, ...(password === undefined ? {} : { password }) };
    const id = await createPerson(service, person, clock(), { isChecked: false });
    if (typeof id !== "string") throw new Error(`${name} cannot be made: ${JSON.stringify(id)}`);
    return { id, email };
  };
  const visitor = () => createClient(injected);
  const { site = ownMachine } = options.app ?? {};
  // Without a configured origin, the cookie's name has no port, because a test can make the program listen on another
  // one.
  const cookie = site.origin === null ? "session" : cookieName(site, PORT);
  return {
    opened,
    app,
    refusals,
    signIns,
    database: store,
    ahead: (milliseconds) => {
      ahead = milliseconds;
    },
    visitor,
    person: async (name, roles = []) => {
      const { id, email } = await createAccount(name, roles);
      const token = await beginSession(service.database, id, specification.model.limits.sessionHours, clock());
      return { ...createClient(injected, `${cookie}=${token}`), id, email };
    },
    account: (name, password, roles = []) => createAccount(name, roles, password),
    signInAs: (role) => byDemonstration(visitor(), role),
    signedIn: (token) => createClient(injected, `${cookie}=${token}`),
    listen: () => app.listen({ host: "127.0.0.1", port: 0 }),
    stop,
  };
};

/**
 * Serves a document with samples in this process, at an address. A browser meets the same pages and calls as in the program,
 * for less than half of the processor time. It publishes no versions.
 */
export const serveDemonstration = async ({
  file,
  text,
}: Pick<ProgramOptions, "file" | "text">): Promise<RunningApplication> => {
  const document = text ?? (await readFile(file ?? "", "utf8"));
  const story = file === undefined ? "" : await storyBeside(file);
  const served = await serveText(document, { demonstration: true, story });
  const url = await served.listen();
  const visitor = () => createClient(overHttp(url));
  return { url, visitor, signInAs: (role) => byDemonstration(visitor(), role) };
};
