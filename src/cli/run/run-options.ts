import { isIP } from "node:net";
import { parseArgs } from "node:util";
import type { Site } from "../../server/http/origin.ts";
import { type ApplyChanges, changePolicies } from "../../server/proposals/start-version.ts";
import type { Listening } from "../../server/telemetry/metrics.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { usage } from "../usage.ts";

export interface RunOptions {
  readonly path: string;
  readonly host: string;
  readonly port: number;
  readonly site: Site;
  readonly data: string | undefined;
  readonly database: string | undefined;
  /** Connection string of the role that creates tables, if requests use one with fewer privileges. */
  readonly owner: string | undefined;
  readonly pooled: boolean;
  /** Connection strings of standbys. */
  readonly replicas: readonly string[];
  readonly figures: Listening | undefined;
  /** In milliseconds. */
  readonly drain: number;
  /** Ports and origins for previews behind a proxy. */
  readonly previews: readonly { readonly port: number; readonly origin: string }[];
  /** `name`: by default a guess from the address. */
  readonly administrator:
    | { readonly email: string; readonly name: string | undefined; readonly passwordFile: string }
    | undefined;
  readonly sample: boolean | undefined;
  readonly demonstration: boolean;
  readonly readyFile: string | undefined;
  /** Number of processes that serve requests; with 1, this one does. */
  readonly workers: number;
  readonly applyChanges: ApplyChanges;
}

const wrongUse = (message: string): CommandFailed => new CommandFailed(exits.usage, message, usage.run);

const OWN_MACHINE = "127.0.0.1";

/** True if an address is reachable from this machine only. */
export const isOwnMachine = (host: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/u.test(host);

/** A port number; throws a usage error. */
export const parsePort = (text: string): number => {
  if (!/^\d{1,5}$/u.test(text) || Number(text) > 65_535) throw wrongUse(`“${text}” is not a port number.`);
  return Number(text);
};

/** An address to listen on; throws a usage error. */
export const parseHost = (text: string): string => {
  const host = text.replace(/^\[(.*)\]$/u, "$1");
  if (isIP(host) === 0 && !/^[\w-]+(?:\.[\w-]+)*$/u.test(host))
    throw wrongUse(`“${text}” is not an address to listen on.`);
  return host;
};

/** The origin of browsers; throws a usage error. */
export const parseOrigin = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol) || url.origin !== text.replace(/\/$/u, ""))
    throw wrongUse(`“${text}” is not an origin. Write for example https://desk.example.com.`);
  return url.origin;
};

/** The address or network of a proxy; throws a usage error. */
export const parseProxy = (text: string): string => {
  const [address = "", bits, ...more] = text.split("/");
  const kind = isIP(address);
  const bitsFit = bits === undefined || (/^\d{1,3}$/u.test(bits) && Number(bits) <= (kind === 4 ? 32 : 128));
  if (kind === 0 || !bitsFit || more.length > 0)
    throw wrongUse(`“${text}” is not a proxy. Write its address or network, for example 10.0.0.7 or 10.0.0.0/24.`);
  return text;
};

/** The address of the metrics; throws a usage error. */
export const parseFigures = (text: string): Listening => {
  const [, host, port = ""] = /^(?:(.*):)?(\d+)$/u.exec(text) ?? [];
  if (port === "") throw wrongUse(`“${text}” is not a port for metrics. Write for example 9464 or 0.0.0.0:9464.`);
  return { host: host === undefined ? OWN_MACHINE : parseHost(host), port: parsePort(port) };
};

const parseSeconds = (text: string): number => {
  if (!/^\d{1,3}$/u.test(text)) throw wrongUse(`“${text}” is not a number of seconds.`);
  return Number(text) * 1_000;
};

/** The addresses of standbys; throws a usage error. */
export const parseReplicas = (options: readonly string[], database: string | undefined): readonly string[] => {
  if (database !== undefined)
    return options.length > 0 ? options : (process.env.DATABASE_REPLICA_URLS ?? "").split(/\s+/u).filter(Boolean);
  if (options.length > 0)
    throw wrongUse("--replica needs --database (or DATABASE_URL) with the address of the primary.");
  return [];
};

const parseWorkers = (text: string): number => {
  if (!/^[1-9]\d?$/u.test(text)) throw wrongUse(`“${text}” is not a number of processes.`);
  return Number(text);
};

const parsePolicy = (option: string | undefined): ApplyChanges => {
  const text = option ?? process.env.NINEFOLD_APPLY_CHANGES ?? "";
  const policy = text === "" ? "additions" : changePolicies.find((changePolicy) => changePolicy === text);
  if (policy !== undefined) return policy;
  const name = option === undefined ? "NINEFOLD_APPLY_CHANGES" : "--apply-changes";
  throw wrongUse(`${name} is “${text}”. Write ${changePolicies.slice(0, -1).join(", ")} or ${changePolicies.at(-1)}.`);
};

const parsePreview = (text: string) => {
  const [, port, origin] = /^(\d+)=(.+)$/u.exec(text) ?? [];
  if (port === undefined || origin === undefined)
    throw wrongUse(`“${text}” is not an address of a preview. Write for example 9010=https://try.example.com.`);
  return { port: parsePort(port), origin: parseOrigin(origin) };
};

/** Parses the command line and the environment; throws a usage error. */
export const parseRunOptions = (args: readonly string[]): RunOptions => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      port: { type: "string", default: "9009" },
      host: { type: "string", default: OWN_MACHINE },
      origin: { type: "string" },
      proxy: { type: "string", multiple: true, default: [] },
      preview: { type: "string", multiple: true, default: [] },
      data: { type: "string" },
      database: { type: "string" },
      owner: { type: "string" },
      pooler: { type: "boolean", default: false },
      replica: { type: "string", multiple: true, default: [] },
      metrics: { type: "string" },
      drain: { type: "string", default: "0" },
      "admin-email": { type: "string" },
      "admin-name": { type: "string" },
      "admin-password-file": { type: "string" },
      sample: { type: "boolean" },
      "no-sample": { type: "boolean" },
      demonstration: { type: "boolean", default: false },
      "ready-file": { type: "string" },
      workers: { type: "string", default: "1" },
      "apply-changes": { type: "string" },
    },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw wrongUse("Name one file or folder.");
  const port = parsePort(values.port);
  const email = values["admin-email"];
  const passwordFile = values["admin-password-file"];
  if ((email === undefined) !== (passwordFile === undefined))
    throw wrongUse("Use --admin-email and --admin-password-file together.");
  if (values["admin-name"] !== undefined && email === undefined) throw wrongUse("--admin-name needs --admin-email.");
  if (values.sample === true && values["no-sample"] === true)
    throw wrongUse("Use either --sample or --no-sample, not both.");
  const database = values.database ?? process.env.DATABASE_URL;
  if (database !== undefined && values.data !== undefined)
    throw wrongUse("Use either --data or --database (or DATABASE_URL), not both.");
  const owner = values.owner ?? process.env.DATABASE_OWNER_URL;
  if (values.owner !== undefined && database === undefined)
    throw wrongUse("--owner needs --database (or DATABASE_URL).");
  if (values.pooler && owner === undefined)
    throw wrongUse("--pooler needs --owner (or DATABASE_OWNER_URL) with the address of the database itself.");
  if (Number(values.workers) > 1 && (values.demonstration || values.preview.length > 0))
    throw wrongUse("With --workers, use neither --demonstration nor --preview.");
  const replicas = parseReplicas(values.replica, database);
  return {
    path,
    host: parseHost(values.host),
    port,
    site: {
      origin: values.origin === undefined ? null : parseOrigin(values.origin),
      proxies: values.proxy.map(parseProxy),
    },
    data: values.data,
    database,
    owner: database === undefined ? undefined : owner,
    pooled: values.pooler,
    replicas,
    figures: values.metrics === undefined ? undefined : parseFigures(values.metrics),
    drain: parseSeconds(values.drain),
    previews: values.preview.map(parsePreview),
    administrator:
      email === undefined || passwordFile === undefined
        ? undefined
        : { email, name: values["admin-name"], passwordFile },
    sample: values.sample === true ? true : values["no-sample"] === true ? false : undefined,
    demonstration: values.demonstration,
    readyFile: values["ready-file"],
    workers: parseWorkers(values.workers),
    applyChanges: parsePolicy(values["apply-changes"]),
  };
};
