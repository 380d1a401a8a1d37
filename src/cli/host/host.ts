import { join } from "node:path";
import { compile } from "../../core/compile.ts";
import { hasAdministrator } from "../../server/accounts/create-person.ts";
import { createFirstAdministratorToken } from "../../server/accounts/first-administrator.ts";
import { formatAddress } from "../../server/serve.ts";
import { createLog } from "../../server/telemetry/log.ts";
import { createHostMetrics, type HostMetrics, serveMetrics } from "../../server/telemetry/metrics.ts";
import { openingFailed } from "../data/connections.ts";
import { openObjectStore } from "../data/file-store.ts";
import { readSources } from "../document-file.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { type ApplicationParts, type RunningApplication, startApplication } from "../run/application.ts";
import { checkPort, toListenFailure } from "../run/check-port.ts";
import { createClock, findMailer } from "../run/environment.ts";
import { printMetrics } from "../run/greeting.ts";
import { checkReadyFile, writeReadyLine } from "../run/ready-line.ts";
import { parseRunOptions, type RunOptions } from "../run/run-options.ts";
import { Shutdown, StopList } from "../run/shutdown.ts";
import { writeLine } from "../run/write-line.ts";
import { Front } from "./front.ts";
import { type HostDatabases, openHostDatabases } from "./host-databases.ts";
import { type HostOptions, parseHostOptions } from "./host-options.ts";
import { type HostedDocument, listDocuments } from "./list-documents.ts";

/** Applications that start at the same time: more would only wait for the same processor. */
const AT_ONCE = 2;

/** Interval of the jobs of each application in milliseconds. */
const JOB_INTERVAL = 5_000;

/** Serves every document of a folder in one process, until it receives a signal. */
export const host = async (args: readonly string[]): Promise<number> => {
  const options = parseHostOptions(args);
  const documents = await listDocuments(options.path);
  const shared = {
    objects: await openObjectStore(process.env),
    clock: createClock(process.env.NINEFOLD_CLOCK),
    mailer: findMailer(process.env),
    jobInterval: JOB_INTERVAL,
  };
  if (options.readyFile !== undefined) await checkReadyFile(options.readyFile);
  await checkPort(options.host, options.port);

  const shutdown = new Shutdown();
  const running: Running[] = [];
  try {
    // 1. Start the database and the server, then the applications. People see each as soon as it runs.
    const databases = await openHostDatabases(options, documents.length);
    shutdown.add(() => databases.embedded?.stop());
    shutdown.add(() => shared.objects?.close());
    const front = new Front(
      documents.map(({ name }) => name),
      options.origin,
    );
    await front.listen(options.host, options.port).catch((error: unknown) => {
      throw toListenFailure(error, options.port);
    });
    shutdown.add(() => Promise.all(running.map(({ stop }) => stop())));
    shutdown.add(() => front.stop());
    await databases.embedded?.announce(front.originOf(documents[0]?.name ?? ""));
    const metrics = await startMetrics(options, shutdown);
    await forEach(documents, AT_ONCE, async (document) => {
      const started = await startDocument(document, { options, databases, front, shared, metrics });
      if (started !== undefined) running.push(started);
    });

    // 2. Tell people and programs where they run.
    for (const { name } of documents) {
      const application = running.find((each) => each.name === name);
      if (application !== undefined) await greet(application, shared.clock());
    }
    if (options.figures !== undefined)
      printMetrics(`${formatAddress(options.figures.host, options.figures.port)}/metrics`);
    const failed = documents.length - running.length;
    writeLine(
      `\n${running.length} of ${documents.length} applications run${failed === 0 ? "" : `, and ${failed === 1 ? "1 has" : `${failed} have`} the problems above`}.`,
    );
    await writeReadyLine(front.originOf(documents[0]?.name ?? ""), options.readyFile);
    await shutdown.waitForSignal();
    return exits.done;
  } catch (error) {
    throw error instanceof CommandFailed ? error : openingFailed(error);
  } finally {
    await shutdown.run();
  }
};

/** Serves the metrics of all applications, if the options ask for them. */
const startMetrics = async ({ figures }: HostOptions, stops: StopList): Promise<HostMetrics | undefined> => {
  if (figures === undefined) return undefined;
  const metrics = await createHostMetrics();
  const stop = await serveMetrics(metrics, figures).catch((error: unknown) => {
    throw toListenFailure(error, figures.port);
  });
  stops.add(stop);
  return metrics;
};

interface Running extends RunningApplication {
  readonly name: string;
  readonly demonstration: boolean;
  stop(): Promise<void>;
}

interface Place {
  readonly options: HostOptions;
  readonly databases: HostDatabases;
  readonly front: Front;
  readonly metrics: HostMetrics | undefined;
  readonly shared: Pick<ApplicationParts, "objects" | "clock" | "mailer" | "jobInterval">;
}

/** Starts one application. If it cannot start, says why and leaves the others alone. */
const startDocument = async (document: HostedDocument, place: Place): Promise<Running | undefined> => {
  const { name, path } = document;
  const { databases, front, shared, metrics } = place;
  const stops = new StopList();
  try {
    const compiled = compile(await readSources(path));
    const store = await databases.open(name);
    const application = await startApplication(
      {
        ...shared,
        compiled,
        store,
        options: toRunOptions(document, place),
        mount: front.mount(name),
        metrics: metrics?.of(name),
      },
      stops,
    );
    return { ...application, name, demonstration: store.demonstration, stop: () => stops.run() };
  } catch (error) {
    await stops.run();
    const { message, hint } = toFailure(error);
    createLog().error(`${name} does not run: ${[message, hint].filter(Boolean).join(" ")}`);
    return undefined;
  }
};

const toFailure = (error: unknown): { readonly message: string; readonly hint?: string | undefined } => {
  try {
    return openingFailed(error);
  } catch {
    return { message: error instanceof Error ? error.message : String(error) };
  }
};

/** The options of `run` that an application of this process has. */
const toRunOptions = ({ name, path }: HostedDocument, { options, databases, front }: Place): RunOptions => ({
  ...parseRunOptions([path]),
  host: options.host,
  port: front.port,
  site: { origin: front.originOf(name), proxies: options.proxies },
  data: databases.embedded === undefined ? undefined : join(databases.embedded.folder, name),
  database: options.database,
});

/** Prints the address of an application, and how to get in. */
const greet = async ({ name, opened, serving, demonstration }: Running, now: Date): Promise<void> => {
  writeLine(`  ${name}: ${serving.url}`);
  if (demonstration || (await hasAdministrator(opened.service))) return;
  const token = await createFirstAdministratorToken(opened.service.database, now);
  writeLine(`    create the first administrator (link valid for one day): ${serving.url}/sign-in#first=${token}`);
};

/** Runs an asynchronous function for each item, several at a time. */
const forEach = async <T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> => {
  const waiting = [...items];
  const next = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
};
