import { access, constants, readFile, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { basename, dirname, resolve } from "node:path";
import { type Compiled, compile } from "../core/compile.ts";
import { defaultDocumentName } from "../core/document/sources.ts";
import { roleTitle } from "../core/explain/roles.ts";
import { callsThatWait } from "../core/model/environment.ts";
import type { Model } from "../core/model/model.ts";
import { ADMINISTRATOR } from "../core/model/permissions.ts";
import type { Source } from "../core/source-text.ts";
import { startJobs } from "../jobs/jobs.ts";
import { createMailer, type Mailer } from "../jobs/mails.ts";
import { Timers } from "../jobs/timers.ts";
import { connect } from "../postgres/database.ts";
import { defaultFolder, describeFolder, type Embedded, isRoot, startEmbedded } from "../postgres/embedded/index.ts";
import { createPreviews } from "../preview/previews.ts";
import { removeAbandoned } from "../preview/start-preview.ts";
import { createPerson, hasAdministrator } from "../server/accounts/create-person.ts";
import { firstAdministratorToken } from "../server/accounts/first-administrator.ts";
import { mailNotifications } from "../server/mail/notification-mails.ts";
import { mailAddressChanges } from "../server/mail/security-notices.ts";
import { mailProposals } from "../server/proposals/proposal-mails.ts";
import { chooseVersion, hasVersion, NothingToRun } from "../server/proposals/start-version.ts";
import { toProblem } from "../server/refusal.ts";
import { makeSample } from "../server/sample/sample.ts";
import { playStory } from "../server/sample/story/play-story.ts";
import { StoryFault } from "../server/sample/story/read-story.ts";
import {
  type Connections,
  formatAddress,
  type OpenDocument,
  openVersion,
  type Serving,
  serve,
} from "../server/serve.ts";
import { makeLog } from "../server/telemetry/log.ts";
import { makeMetrics } from "../server/telemetry/metrics.ts";
import { createConnections, openingFailed } from "./data/connections.ts";
import { readSources } from "./document-file.ts";
import { createDesk, type TextAtStart } from "./document-on-disk.ts";
import { CommandFailed, exits } from "./exit-codes.ts";
import { reportChange } from "./file-change-text.ts";
import { findingsText, notExecutedText } from "./findings-text.ts";
import { isOwnMachine, parseRunOptions, type RunOptions } from "./run-options.ts";
import { findStory } from "./story-file.ts";

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Runs a document until it receives a signal. */
export const run = async (args: readonly string[]): Promise<number> => {
  const options = parseRunOptions(args);
  const compiled = compile(await readSources(options.path));
  await checkDocument(compiled, options);
  const clock = createClock(process.env.NINEFOLD_CLOCK);
  const password =
    options.administrator === undefined ? undefined : await passwordIn(options.administrator.passwordFile);
  if (options.readyFile !== undefined) await canBeReady(options.readyFile);
  await portIsFree(options.host, options.port);

  const stopped = new Stopping();
  try {
    const store = await openStore(options, compiled.model?.name ?? defaultDocumentName(compiled.sources));
    stopped.after(() => store.embedded?.stop());
    const metrics = options.figures === undefined ? undefined : await makeMetrics();
    if (compiled.model === undefined) await checkVersion(compiled, store.connections);
    const opened = await openVersion(
      (owner) => chooseVersion(owner, compiled, options.applyChanges),
      store.connections,
      { metrics },
    ).catch((error: unknown) => {
      throw error instanceof NothingToRun ? fixFirst(compiled.source) : openingFailed(error);
    });
    stopped.after(() => opened.close());
    const { model } = opened.service;
    report(opened);
    const log = makeLog();
    if (opened.change !== null) reportChange(opened.change, options, store.option, log, say);
    await removeAbandoned(store.connections).catch((error: unknown) =>
      log.warn({ err: error }, "what earlier previews left behind could not be removed"),
    );
    if (store.sample) await sampleOnce(opened, options.path, clock());
    if (options.administrator !== undefined && password !== undefined)
      await administrator(opened, options.administrator.email, password, clock());

    const mailer = findMailer(process.env);
    const previews = createPreviews({
      connections: store.connections,
      database: opened.service.database,
      host: options.host,
      site: options.site,
      original: options.site.origin ?? (options.port === 0 ? null : formatAddress(options.host, options.port)),
      addresses: options.previews,
      log,
    });
    stopped.after(() => previews.stop());
    const serving = await serve({
      clock,
      compiled: opened.compiled,
      opened,
      desk: {
        ...(await createDesk(options.path, store.connections.owner, textAtStart(opened, compiled))),
        folder: store.connections.folder,
      },
      host: options.host,
      port: options.port,
      demonstration: store.demonstration,
      site: options.site,
      environment: process.env,
      mails: mailer !== undefined,
      metrics,
      figures: options.figures,
      drain: options.drain,
      previews,
    }).catch((error: unknown) => {
      throw listenFailed(error, options.port);
    });
    stopped.after(() => serving.stop());
    const jobs = startJobs({
      work: () => serving.service(),
      clock,
      outside: { environment: process.env, fetch },
      mailer,
      notices: async (now) => {
        await mailAddressChanges(serving.service(), now);
        await mailProposals(serving.service(), options.site.origin, now);
        await mailNotifications(serving.service(), options.site.origin, now);
      },
      refused: serving.refused,
      log,
    });
    stopped.after(() => jobs.stop());
    await store.embedded?.announce(serving.url);
    await greet(opened, serving, model, store, clock());
    if (!isOwnMachine(options.host) && options.site.origin?.startsWith("https:") !== true)
      say("  The connection isn’t encrypted. Put a proxy that speaks HTTPS in front, and name it with --origin.");
    if (options.site.origin !== null && options.site.proxies.length === 0)
      say(
        "  Without --proxy, all requests come from one address, so one person who guesses passwords slows down every sign-in. Name the proxy's address.",
      );
    if (isRoot() && (!isOwnMachine(options.host) || options.site.origin !== null))
      say(
        "  It runs as root and other machines can reach it. Run it as a user of its own, for example with User= of systemd.",
      );
    await ready(serving.url, options.readyFile);
    await stopped.waitForSignal();
    return exits.done;
  } catch (error) {
    throw error instanceof CommandFailed ? error : openingFailed(error);
  } finally {
    await stopped.undo();
  }
};

/** `NINEFOLD_CLOCK` sets the time at the start, for tests and trials. The clock runs from there. */
const createClock = (set: string | undefined): (() => Date) => {
  if (set === undefined || set === "") return () => new Date();
  const begins = Date.parse(set);
  if (Number.isNaN(begins))
    throw new CommandFailed(
      exits.usage,
      `NINEFOLD_CLOCK is “${set}”, which isn’t a date and time.`,
      "Write for example 2026-03-01T08:00:00Z.",
    );
  const ahead = begins - Date.now();
  say(`NINEFOLD_CLOCK sets the time to ${new Date(begins).toISOString()}.`);
  return () => new Date(Date.now() + ahead);
};

const findMailer = (environment: typeof process.env): Mailer | undefined => {
  try {
    return createMailer(environment);
  } catch (error) {
    throw new CommandFailed(exits.usage, error instanceof Error ? error.message : String(error));
  }
};

/** Stops everything that was started, in reverse order, once. */
class Stopping {
  readonly #undo: (() => unknown)[] = [];
  readonly #signal: Promise<void>;
  constructor() {
    this.#signal = new Promise((resolve) => {
      for (const signal of ["SIGINT", "SIGTERM"] as const)
        process.on(signal, () => {
          resolve();
        });
    });
  }
  after(undo: () => unknown): void {
    this.#undo.push(undo);
  }
  waitForSignal(): Promise<void> {
    return this.#signal;
  }
  async undo(): Promise<void> {
    for (let undo = this.#undo.pop(); undo !== undefined; undo = this.#undo.pop()) await undo();
  }
}

/**
 * Prints the findings of the file. A file with errors ends the program if there is no earlier version to run.
 * `checkVersion` asks an external database for that later.
 */
const checkDocument = async ({ findings, model, source, sources }: Compiled, options: RunOptions): Promise<void> => {
  const wrong = findings.filter((finding) => finding.severity === "error" || finding.severity === "warning");
  if (wrong.length > 0) process.stderr.write(`${findingsText(sources, wrong, process.stderr.isTTY === true)}\n\n`);
  const isKept = options.database !== undefined || (await describeFolder(await findFolder(options))) !== undefined;
  if (model === undefined && (!isKept || options.applyChanges === "always")) throw fixFirst(source);
  const idle = notExecutedText(findings);
  if (model !== undefined && idle !== "") process.stderr.write(`${idle}\n`);
};

const fixFirst = ({ file }: Source): CommandFailed =>
  new CommandFailed(exits.badDocument, `Fix the errors in ${file}, then run it.`);

/** Ends the program, before anything is created, if the database has no version to run. */
const checkVersion = async ({ source }: Compiled, { owner: connection }: Connections): Promise<void> => {
  const owner = connect({ connection, max: 1 });
  try {
    if (!(await hasVersion(owner))) throw fixFirst(source);
  } catch (error) {
    throw openingFailed(error);
  } finally {
    await owner.end();
  }
};

const textAtStart = ({ change }: OpenDocument, { sources }: Compiled): TextAtStart | null =>
  change === null || change.kind === "applied" ? null : { sources, isVersion: change.kind === "earlier" };

const passwordIn = async (path: string): Promise<string> => {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(exits.usage, `Can’t read the password file ${path} (${error.code ?? error.message}).`);
  });
  return text.replace(/\r?\n$/u, "");
};

const canBeReady = (file: string): Promise<void> =>
  access(dirname(file), constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(exits.usage, `Can’t write the ready file ${file} (${error.code ?? error.message}).`);
  });

/** Checked before anything is created, so that a port in use leaves no trace. */
const portIsFree = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => reject(listenFailed(error, port)));
    probe.listen({ host, port }, () => probe.close(() => resolve()));
  });

const listenFailed = (error: unknown, port: number): unknown => {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const taken = error instanceof Error && "port" in error && typeof error.port === "number" ? error.port : port;
  const option = taken === port ? "--port" : "--metrics";
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new CommandFailed(
      exits.portTaken,
      "This machine does not have the address to listen on.",
      "Choose one of its addresses with --host, or 0.0.0.0 for all of them.",
    );
  if (code === "EADDRINUSE")
    return new CommandFailed(
      exits.portTaken,
      `Another program uses port ${taken}.`,
      `Choose another with ${option}, for example ${option} ${taken + 1}.`,
    );
  if (code === "EACCES")
    return new CommandFailed(
      exits.portTaken,
      `You don’t have permission to use port ${port}.`,
      "Choose a port above 1023 with --port.",
    );
  return error;
};

interface Store {
  readonly connections: Connections;
  readonly embedded: Embedded | undefined;
  readonly demonstration: boolean;
  readonly sample: boolean;
  /** The option that names the database to other commands. */
  readonly option: string;
}

/** The data folder of the embedded Postgres. */
const findFolder = ({ data, path }: RunOptions): Promise<string> =>
  data === undefined ? defaultFolder(basename(resolve(path)).replace(/\.md$/u, "")) : Promise.resolve(data);

/** The database to use: an external one, or the bundled Postgres on a data folder. */
const openStore = async (options: RunOptions, documentName: string): Promise<Store> => {
  const refuse = (message: string) =>
    new CommandFailed(
      exits.demonstrationRefused,
      message,
      "Demonstration sign-in needs no password, so only a data folder that was created as a demonstration has it.",
    );
  if (options.database !== undefined) {
    if (options.demonstration)
      throw refuse("A database that you name with --database or DATABASE_URL can’t be a demonstration.");
    return {
      connections: createConnections(options.database, options.owner, options.pooled, options.replicas),
      embedded: undefined,
      demonstration: false,
      sample: options.sample === true,
      option: "--database URL",
    };
  }
  const folder = await findFolder(options);
  const known = await describeFolder(folder);
  if (options.demonstration && known?.demonstration === false)
    throw refuse(`The data folder ${folder} is not a demonstration.`);
  const demonstration =
    known?.demonstration ??
    (options.demonstration || (options.sample !== false && options.administrator === undefined));
  say(known === undefined ? `Creating a database in ${folder} …` : `Starting the database in ${folder} …`);
  if (demonstration && (!isOwnMachine(options.host) || options.site.origin !== null || options.site.proxies.length > 0))
    throw refuse("A demonstration is only for this machine. Remove --host, --origin and --proxy.");
  const log = makeLog();
  const embedded = await startEmbedded({
    folder,
    name: documentName,
    demonstration,
    onExit: ({ message }) => log.error(`${message} Restarting it…`),
    onReturn: () => log.warn("The database answers again."),
  });
  const sample = embedded.fresh ? embedded.demonstration || options.sample === true : options.sample === true;
  return {
    connections: { owner: { ...embedded.owner }, app: { ...embedded.app }, folder: embedded.folder },
    embedded,
    demonstration: embedded.demonstration,
    sample,
    option: `--data ${folder}`,
  };
};

const report = (opened: OpenDocument): void => {
  for (const done of opened.applied.done) if (opened.applied.version > 1) say(`  ${done}`);
};

/** Adds sample data once and keeps existing data. A story beside the document replaces generated samples. */
const sampleOnce = async (opened: OpenDocument, path: string, now: Date): Promise<void> => {
  const [row] = await opened.service.database.query({
    text: "select exists (select from ninefold.sample) as made",
    values: [],
  });
  if (row?.made === true) return;
  const timers = new Timers(() => undefined);
  const passing = (until: Date) => timers.run(opened.service, until);
  const story = await tellStory(opened, path, now, passing);
  const { people, records } = story ?? (await makeSample(opened.service, now, passing));
  say(
    `Added sample data: ${people === 1 ? "1 person" : `${people} people`}, ${records} records. Remove it with “ninefold sample remove”.`,
  );
};

/** Plays the story of the document. Undefined if it has none, or one that does not fit. */
const tellStory = async (
  { service }: OpenDocument,
  path: string,
  now: Date,
  passing: (until: Date) => Promise<unknown>,
): Promise<{ readonly people: number; readonly records: number } | undefined> => {
  try {
    const found = await findStory(path);
    if (found === undefined) return undefined;
    const result = await playStory(service, found.story, now, passing);
    for (const { line, code } of result.refused) say(`${found.file}:${line}: this act was refused (${code}).`);
    return result;
  } catch (error) {
    if (!(error instanceof StoryFault)) throw error;
    say(`The story of ${path} does not fit it (line ${error.line}): ${error.message} Samples are generated instead.`);
    return undefined;
  }
};

const administrator = async ({ service }: OpenDocument, email: string, password: string, now: Date): Promise<void> => {
  const known = await service.database.query({
    text: `select 1 from app."user" where lower("email") = lower($1)`,
    values: [email],
  });
  if (known.length > 0) {
    say(`${email} already has an account. It was not changed.`);
    return;
  }
  const result = await createPerson(
    service,
    { name: email.replace(/@.*$/u, ""), email, roles: [ADMINISTRATOR], password },
    now,
    { isChecked: false },
  );
  if (typeof result === "string") return;
  const problem = toProblem(service.model, result);
  throw new CommandFailed(
    exits.usage,
    `Can’t create the administrator: ${problem.errors?.map((one) => one.message).join(" ") ?? problem.detail}`,
  );
};

const greet = async (opened: OpenDocument, serving: Serving, model: Model, store: Store, now: Date): Promise<void> => {
  say(`\n${model.name} runs at ${serving.url}\n`);
  if (serving.figures !== null) say(`  metrics for Prometheus: ${serving.figures}`);
  const shown = new Set<string>();
  for (const person of serving.demonstration?.people ?? []) {
    const [heldRole = plainRole(model)] = person.roles;
    const role = heldRole === null ? "a person without a role" : roleTitle(model, heldRole, null);
    if (shown.has(role)) continue;
    shown.add(role);
    say(`  sign in as ${role} (${person.name}): ${serving.url}/sign-in#demo=${person.token}`);
  }
  if (shown.size > 0) say("\nThis is a demonstration: anyone who uses this machine can sign in without a password.");
  const waiting = [...callsThatWait(model, process.env).keys()];
  if (store.demonstration && waiting.length > 0)
    say(`Calls to other programs (${waiting.join(", ")}) are not sent, because their addresses are not set.`);
  if (!(await hasAdministrator(opened.service)))
    say(
      `  create the first administrator (link valid for one day): ${serving.url}/sign-in#first=${await firstAdministratorToken(opened.service.database, now)}`,
    );
  if (model.open.length > 0)
    say(
      model.open.length === 1
        ? "1 open point: the workbench shows it with the default in use."
        : `${model.open.length} open points: the workbench lists them with the defaults in use.`,
    );
  if (store.embedded !== undefined && process.stdout.isTTY === true) say("Press Ctrl-C to stop. Your data is kept.");
};

/** The title of a person without a granted role: that of the document's role for signed-in people. */
const plainRole = (model: Model): string | null =>
  [...model.roles.values()].find((role) => role.members === "signed in")?.name ?? null;

/**
 * Prints one JSON line for programs as soon as the application is listening: to the file, or to standard output if that
 * is not a terminal.
 */
const ready = async (url: string, file: string | undefined): Promise<void> => {
  const line = JSON.stringify({ url, pid: process.pid });
  if (file !== undefined) {
    await writeFile(`${file}.new`, `${line}\n`);
    await rename(`${file}.new`, file);
  } else if (process.stdout.isTTY !== true) say(line);
};
