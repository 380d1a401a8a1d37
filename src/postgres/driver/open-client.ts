import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** The settings of one server. */
type ServerConfig = pg.ClientConfig;

/** The servers of an address, and if connections must accept writes. */
export interface Servers {
  readonly servers: readonly ServerConfig[];
  readonly writable: boolean;
}

/** Values of `target_session_attrs` that mean a server that accepts writes. */
const WRITABLE = ["read-write", "primary"];

/** An address of several servers that cannot be used. The message says why. */
class WrongAddress extends Error {
  override readonly name = "WrongAddress";
}

/** The parameter as a list, such as `host=/a,/b`; one empty element if it is absent. */
const parseList = (parameters: URLSearchParams, name: string): readonly string[] =>
  (parameters.get(name) ?? "").split(",").map((item) => item.trim());

/**
 * Splits a connection string with several hosts, which `pg` does not know
 * (https://www.postgresql.org/docs/18/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS): `postgresql://user@a:5432,b/desk` or
 * `postgresql://user@/desk?host=/a,/b&port=5432,5433`.
 */
export const parseServers = (connection: string | pg.ClientConfig): Servers => {
  if (typeof connection !== "string") return { servers: [connection], writable: false };
  const [, head = "", user = "", hosts = "", rest = ""] =
    /^(postgres(?:ql)?:\/\/)((?:[^/?]*@)?)([^/?@]*)(.*)$/su.exec(connection) ?? [];
  const [path = "", query = ""] = rest.split("?");
  const parameters = new URLSearchParams(query);
  const target = parameters.get("target_session_attrs");
  parameters.delete("target_session_attrs");
  const named = parseList(parameters, "host");
  const ports = parseList(parameters, "port");
  const authorities = hosts.split(",");
  const count = Math.max(authorities.length, named.length);
  if (count === 1 && target === null) return { servers: [{ connectionString: connection }], writable: false };
  if (target !== null && !WRITABLE.includes(target))
    throw new WrongAddress(`target_session_attrs is ${target}. Only read-write and primary are possible.`);
  const at = (list: readonly string[], i: number): string => (list.length === 1 ? list[0] : list[i]) ?? "";
  const servers = Array.from({ length: count }, (_, i) => {
    const own = new URLSearchParams(parameters);
    if (own.has("host")) own.set("host", at(named, i));
    if (own.has("port")) own.set("port", at(ports, i));
    const parts = own.size === 0 ? "" : `?${own}`;
    return { connectionString: `${head}${user}${at(authorities, i)}${path}${parts}` };
  });
  return { servers, writable: true };
};

/** The server is in recovery, or its sessions are read-only. */
class NotWritable extends Error {
  override readonly name = "NotWritable";
  readonly code = "25006";
  constructor() {
    super("No server of the address accepts writes");
  }
}

const open = async (server: ServerConfig, settings: pg.ClientConfig, writable: boolean): Promise<pg.Client> => {
  const client = new pg.Client({ ...server, ...settings });
  // An unhandled error event would end the process, and Postgres may end a connection in the same packet in which it says
  // that it is ready.
  client.on("error", () => undefined);
  let isReadOnly = false;
  // Postgres reports both with each connection, without a query (https://www.postgresql.org/docs/18/protocol-flow.html).
  client.connection.on("parameterStatus", ({ parameterName, parameterValue }: ParameterStatus) => {
    if (["in_hot_standby", "default_transaction_read_only"].includes(parameterName))
      isReadOnly ||= parameterValue === "on";
  });
  try {
    await client.connect();
    if (writable && isReadOnly) throw new NotWritable();
    return client;
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
};

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/** Milliseconds after which the other servers are tried too if the one that was used last does not answer. */
const HEAD_START = 200;

/**
 * Returns a function that opens a connection. With several servers, it uses the last one that accepted writes, and asks
 * the others at the same time if that one fails or does not answer.
 */
export const createOpener = (
  connection: string | pg.ClientConfig,
  settings: pg.ClientConfig,
): (() => Promise<pg.Client>) => {
  const { servers, writable } = parseServers(connection);
  let last = 0;
  return async () => {
    let isFound = false;
    const attempt = async (at: number): Promise<pg.Client> => {
      const client = await open(servers[at] ?? {}, settings, writable);
      if (isFound) {
        client.end().catch(() => undefined);
        throw new NotWritable();
      }
      isFound = true;
      last = at;
      return client;
    };
    const first = attempt(last);
    if (servers.length === 1) return first;
    const hasFailed = first.then(
      () => false,
      () => true,
    );
    await Promise.race([hasFailed, sleep(HEAD_START, undefined, { ref: false })]);
    if (isFound) return first;
    const others = servers.flatMap((_, at) => (at === last ? [] : [attempt(at)]));
    try {
      return await Promise.any([first, ...others]);
    } catch (error) {
      const reasons = error instanceof AggregateError ? error.errors : [error];
      // A server that is there says more than one that is not.
      throw reasons.find((reason) => reason instanceof pg.DatabaseError) ?? reasons[0];
    }
  };
};
