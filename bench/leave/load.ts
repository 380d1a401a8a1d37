import { connect, type Socket } from "node:net";

/** One request of a load. */
export interface LoadRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** The cookie of its session: `session=person-<n>`. */
  readonly person: number;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** The next request, for the next free connection; undefined if there are no more. */
  readonly next: () => LoadRequest | undefined;
  /** Seconds after which no request is sent. */
  readonly seconds: number;
  readonly onAnswer?: (answer: Answer, shot: LoadRequest) => void;
  /** By default, every status but 2xx is a refusal. */
  readonly isRefused?: (answer: Answer) => boolean;
}

export interface LoadResult {
  /** Milliseconds of each request, in the order of the responses. */
  readonly times: readonly number[];
  readonly seconds: number;
  /** Number of refusals, by status. */
  readonly refused: Readonly<Record<string, number>>;
}

const textOf = (port: number, { method, path, person, body }: LoadRequest): string =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: session=person-${person}\r\n${
    body === undefined ? "" : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  }${body === undefined && method === "POST" ? "Content-Length: 0\r\n" : ""}\r\n${body ?? ""}`;

const END = Buffer.from("\r\n\r\n");

/** A persistent connection: one request at a time, responses with Content-Length, as both servers send them. */
class Connection {
  readonly #socket: Socket;
  #got: Buffer[] = [];
  #size = 0;
  #whole = Number.POSITIVE_INFINITY;
  #bodyAt = 0;
  #status = 0;
  #answered: ((answer: Answer) => void) | undefined;
  #failed: ((cause: Error) => void) | undefined;
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.on("data", (data) => this.#take(data));
    this.#socket.on("error", (cause) => this.#failed?.(cause));
    this.#socket.on("close", () => this.#failed?.(new Error("the server closed a connection")));
  }

  send(shot: LoadRequest): Promise<Answer> {
    return new Promise((answered, failed) => {
      this.#answered = answered;
      this.#failed = failed;
      this.#socket.write(textOf(this.#port, shot));
    });
  }

  end(): void {
    this.#failed = undefined;
    this.#socket.destroy();
  }

  #take(data: Buffer): void {
    this.#got.push(data);
    this.#size += data.length;
    if (this.#whole === Number.POSITIVE_INFINITY) this.#readHead();
    if (this.#size < this.#whole) return;
    const body = Buffer.concat(this.#got).toString("utf8", this.#bodyAt, this.#whole);
    this.#got = [];
    this.#size = 0;
    this.#whole = Number.POSITIVE_INFINITY;
    this.#answered?.({ status: this.#status, body });
  }

  #readHead(): void {
    const got = this.#got.length === 1 ? (this.#got[0] as Buffer) : Buffer.concat(this.#got);
    this.#got = [got];
    const end = got.indexOf(END);
    if (end === -1) return;
    const head = got.toString("latin1", 0, end);
    this.#status = Number(head.slice(9, 12));
    this.#bodyAt = end + END.length;
    this.#whole = this.#bodyAt + Number(/\r\ncontent-length: (\d+)/iu.exec(head)?.[1] ?? 0);
  }
}

/** Sends requests as fast as responses arrive, over several connections with one request each. */
export const run = async ({
  port,
  connections,
  next,
  seconds,
  onAnswer,
  isRefused = ({ status }) => status > 299,
}: Load): Promise<LoadResult> => {
  const times: number[] = [];
  const refused: Record<string, number> = {};
  const begun = performance.now();
  const until = begun + seconds * 1_000;
  let last = begun;
  const go = async (): Promise<void> => {
    const connection = new Connection(port);
    try {
      for (let shot = next(); shot !== undefined && performance.now() < until; shot = next()) {
        const sent = performance.now();
        const answer = await connection.send(shot);
        last = performance.now();
        times.push(last - sent);
        if (isRefused(answer)) refused[answer.status] = (refused[answer.status] ?? 0) + 1;
        onAnswer?.(answer, shot);
      }
    } finally {
      connection.end();
    }
  };
  await Promise.all(Array.from({ length: connections }, go));
  return { times, seconds: (last - begun) / 1_000, refused };
};

/** Sends one request and reads its response. */
export const ask = async (port: number, shot: LoadRequest): Promise<Answer> => {
  const connection = new Connection(port);
  try {
    return await connection.send(shot);
  } finally {
    connection.end();
  }
};
