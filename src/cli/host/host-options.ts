import { parseArgs } from "node:util";
import type { Listening } from "../../server/telemetry/metrics.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { parseFigures, parseHost, parsePort, parseProxy, parseReplicas } from "../run/run-options.ts";
import { usage } from "../usage.ts";

/** The addresses of applications: the name of each takes the place of the star in `https://*.example.com`. */
export interface OriginPattern {
  readonly scheme: "http" | "https";
  /** The part after the star and its dot, without a port. */
  readonly domain: string;
  /** Null for the port of the server. */
  readonly port: number | null;
}

export interface HostOptions {
  /** The folder of the documents. */
  readonly path: string;
  readonly host: string;
  readonly port: number;
  /** Null without `--origin`: names below `localhost`, for this machine. */
  readonly origin: OriginPattern | null;
  readonly proxies: readonly string[];
  readonly data: string | undefined;
  readonly database: string | undefined;
  readonly owner: string | undefined;
  /** Connection strings of standbys. The name of each application takes the place of the database. */
  readonly replicas: readonly string[];
  readonly figures: Listening | undefined;
  readonly readyFile: string | undefined;
}

const wrongUse = (message: string): CommandFailed => new CommandFailed(exits.usage, message, usage.host);

/** Parses `https://*.example.com`; throws a usage error. */
export const parseOriginPattern = (text: string): OriginPattern => {
  const [, scheme, domain, port] = /^(https?):\/\/\*\.([a-z0-9.-]+)(?::(\d{1,5}))?\/?$/u.exec(text) ?? [];
  if (scheme === undefined || domain === undefined)
    throw wrongUse(`“${text}” does not say where the applications are. Write for example https://*.example.com.`);
  return { scheme: scheme as OriginPattern["scheme"], domain, port: port === undefined ? null : parsePort(port) };
};

/** Parses the command line and the environment; throws a usage error. */
export const parseHostOptions = (args: readonly string[]): HostOptions => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      port: { type: "string", default: "9009" },
      host: { type: "string", default: "127.0.0.1" },
      origin: { type: "string" },
      proxy: { type: "string", multiple: true, default: [] },
      data: { type: "string" },
      database: { type: "string" },
      owner: { type: "string" },
      replica: { type: "string", multiple: true, default: [] },
      metrics: { type: "string" },
      "ready-file": { type: "string" },
    },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw wrongUse("Name one folder.");
  const database = values.database ?? process.env.DATABASE_URL;
  if (database !== undefined && values.data !== undefined)
    throw wrongUse("Use either --data or --database (or DATABASE_URL), not both.");
  return {
    path,
    host: parseHost(values.host),
    port: parsePort(values.port),
    origin: values.origin === undefined ? null : parseOriginPattern(values.origin),
    proxies: values.proxy.map(parseProxy),
    data: values.data,
    database,
    owner: database === undefined ? undefined : (values.owner ?? process.env.DATABASE_OWNER_URL),
    replicas: parseReplicas(values.replica, database),
    figures: values.metrics === undefined ? undefined : parseFigures(values.metrics),
    readyFile: values["ready-file"],
  };
};
