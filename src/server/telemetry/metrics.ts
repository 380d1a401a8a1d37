import cluster from "node:cluster";
import { createServer } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Load } from "../../postgres/database.ts";

/** Metrics for Prometheus, named by its conventions. */
export interface Metrics {
  answered(method: string, route: string, status: number, seconds: number): void;
  refused(code: string): void;
  statement(seconds: number): void;
  /** Counts a read that a standby could have answered, by the number of the standby; null for the primary. */
  read(standby: number | null): void;
  /** Registers the source of the database load. */
  watch(load: () => Load): void;
  text(): Promise<string>;
}

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const statementBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 15];

/** Metrics of several applications of one process. Each has the label `application`. */
export interface HostMetrics extends Pick<Metrics, "text"> {
  of(application: string): Metrics;
}

export const createMetrics = async (): Promise<Metrics> => {
  const { of, text } = await register([]);
  return { ...of({}), text };
};

export const createHostMetrics = async (): Promise<HostMetrics> => {
  const { of, text } = await register(["application"]);
  return { of: (application) => ({ ...of({ application }), text }), text };
};

/** Sums the metrics of all worker processes of this one. */
export const createWorkersMetrics = async (): Promise<Pick<Metrics, "text">> => {
  const { AggregatorRegistry } = await import("prom-client");
  const summed = new AggregatorRegistry();
  return { text: () => summed.clusterMetrics() };
};

type Labels<Name extends string> = Readonly<Record<Name, string>>;

/** `common`: labels that each metric of an application has. */
const register = async <Name extends string>(
  common: readonly Name[],
): Promise<{ readonly of: (labels: Labels<Name>) => Omit<Metrics, "text">; readonly text: Metrics["text"] }> => {
  // Loaded only if metrics are enabled, to keep other starts fast.
  const { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } = await import(
    "prom-client"
  );
  const counted = new Registry();
  const registers = [counted];
  collectDefaultMetrics({ register: counted });
  // A worker sends its metrics to the process that started it.
  if (cluster.isWorker) {
    AggregatorRegistry.setRegistries(counted);
    new AggregatorRegistry();
  }
  const requests = new Histogram({
    name: "ninefold_http_request_duration_seconds",
    help: "Duration of requests by method, route and status.",
    labelNames: [...common, "method", "route", "status"],
    buckets: requestBuckets,
    registers,
  });
  const refusals = new Counter({
    name: "ninefold_refusals_total",
    help: "Refused requests, by the code of the error catalogue.",
    labelNames: [...common, "code"],
    registers,
  });
  const statements = new Histogram({
    name: "ninefold_statement_duration_seconds",
    help: "Duration of database statements, including the wait for a connection.",
    labelNames: common,
    buckets: statementBuckets,
    registers,
  });
  const reads = new Counter({
    name: "ninefold_reads_total",
    help: "Reads that a standby could have answered, by the server that answered: a number in the order of --replica, or primary.",
    labelNames: [...common, "server"],
    registers,
  });
  const loads: { readonly labels: Labels<Name>; readonly load: () => Load }[] = [];
  new Gauge({
    name: "ninefold_store_connections",
    help: "Connections to the database, busy or idle.",
    labelNames: [...common, "state"],
    registers,
    collect() {
      for (const { labels, load } of loads) {
        const { connections, idle } = load();
        this.set({ ...labels, state: "busy" }, connections - idle);
        this.set({ ...labels, state: "idle" }, idle);
      }
    },
  });
  new Gauge({
    name: "ninefold_store_waiting",
    help: "Statements that wait for a connection.",
    labelNames: common,
    registers,
    collect() {
      for (const { labels, load } of loads) this.set(labels, load().waiting);
    },
  });
  return {
    of: (labels) => ({
      answered: (method, route, status, seconds) =>
        requests.observe({ ...labels, method, route, status: String(status) }, seconds),
      refused: (code) => refusals.inc({ ...labels, code }),
      statement: (seconds) => statements.observe(labels, seconds),
      read: (standby) => reads.inc({ ...labels, server: standby === null ? "primary" : String(standby) }),
      watch: (load) => void loads.push({ labels, load }),
    }),
    text: () => counted.metrics(),
  };
};

/** Counts the responses of an application, except those that it passes on from another application. */
export const countAnswers = (app: FastifyInstance, metrics: Metrics): void => {
  app.addHook("onResponse", (request, reply, done) => {
    if (request.isRepeated) return done();
    // Unknown addresses share one label; one each would be unbounded.
    const route = request.routeOptions.url ?? "(page)";
    metrics.answered(request.method, route, reply.statusCode, reply.elapsedTime / 1_000);
    done();
  });
};

/** The address of the metrics, separate from the application's so that it need not be public. */
export interface Listening {
  readonly host: string;
  readonly port: number;
}

/** Serves `GET /metrics`. Throws the system's error if the port is unavailable. */
export const serveMetrics = async (
  metrics: Pick<Metrics, "text">,
  { host, port }: Listening,
): Promise<() => Promise<void>> => {
  const server = createServer((request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      (text) => response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, resolve);
  });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
};
