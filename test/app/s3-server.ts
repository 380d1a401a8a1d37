import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "s3rver";
import { afterEveryFile } from "../ends.ts";

/** A store on this machine that speaks the protocol of S3, with an empty bucket `files`. */
export interface S3Server {
  /** `normal`, or a fault: connections are refused, or accepted and never answered. */
  behave(how: "normal" | "away" | "silent"): void;
  /** The keys of the bucket. */
  keys(): Promise<readonly string[]>;
  /** Deletes an object behind the program's back. */
  lose(key: string): Promise<void>;
}

const stops: (() => Promise<unknown>)[] = [];
afterEveryFile(async () => {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
});

/** Starts a store, and sets the variables by which clients of this process find it. */
export const startS3Server = async (): Promise<S3Server> => {
  const directory = await mkdtemp(join(tmpdir(), "ninefold-s3-"));
  const store = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: "files", configs: [] }],
  });
  const { port } = (await store.run()) as AddressInfo;

  let how: Parameters<S3Server["behave"]>[0] = "normal";
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    sockets.add(client);
    client.on("close", () => sockets.delete(client)).on("error", () => undefined);
    if (how === "away") client.resetAndDestroy();
    if (how !== "normal") return;
    const server = connect(port, "127.0.0.1");
    client.on("close", () => server.destroy());
    server.on("error", () => client.destroy()).on("close", () => client.destroy());
    client.pipe(server).pipe(client);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const disconnect = () => {
    for (const socket of sockets) socket.destroy();
  };
  stops.push(async () => {
    disconnect();
    proxy.close();
    await store.close();
    await rm(directory, { recursive: true, force: true });
  });

  process.env.AWS_ENDPOINT_URL_S3 = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  process.env.AWS_ACCESS_KEY_ID = "S3RVER";
  process.env.AWS_SECRET_ACCESS_KEY = "S3RVER";
  const bucket = join(directory, "files");
  const suffix = "._S3rver_object";
  const paths = async () => (await readdir(bucket, { recursive: true })).filter((path) => path.endsWith(suffix)).sort();
  return {
    behave: (next) => {
      how = next;
      disconnect();
    },
    keys: async () => (await paths()).map((path) => path.slice(0, -suffix.length)),
    lose: async (key) => {
      for (const path of await readdir(bucket, { recursive: true }))
        if (path.startsWith(`${key}.`)) await rm(join(bucket, path), { recursive: true });
    },
  };
};
