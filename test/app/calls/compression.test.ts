import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { fastify } from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { compressReplies } from "../../../src/server/http/compression.ts";
import { servePage } from "../../../src/server/pages/spa.ts";
import { scratch } from "../program.ts";

const long = JSON.stringify({ items: Array.from({ length: 500 }, (_, number) => ({ number, title: "A book" })) });
const short = JSON.stringify({ items: [] });
/** A text that begins with the two bytes of a zlib header. */
const formula = `x^2 + y^2 = z^2\n${"and so on\n".repeat(2_000)}`;
const events = `data: ${"tick ".repeat(2_000)}\n\n`;

const serve = async () => {
  const root = await scratch();
  await mkdir(join(root, "_", "assets"), { recursive: true });
  await writeFile(join(root, "index.html"), `<html><body>${"<p>A paragraph</p>".repeat(500)}</body></html>`);
  await writeFile(join(root, "_", "assets", "drawing.svg"), `<svg>${"<g/>".repeat(2_000)}</svg>`);
  await writeFile(join(root, "_", "assets", "script.js"), "var a;".repeat(2_000));
  await writeFile(join(root, "_", "assets", "script.js.gz"), gzipSync("var a;".repeat(2_000)));
  const app = fastify();
  onTestFinished(() => app.close());
  // As with sites that may call from elsewhere.
  app.addHook("onRequest", (_, reply, done) => {
    reply.header("vary", "origin");
    done();
  });
  await compressReplies(app);
  app.get("/long", (_, reply) => reply.header("etag", '"7"').type("application/json; charset=utf-8").send(long));
  app.get("/object", (_, reply) => reply.send(JSON.parse(long)));
  app.get("/short", (_, reply) => reply.type("application/json; charset=utf-8").send(short));
  app.get("/stream", (_, reply) => reply.type("text/plain; charset=utf-8").send(Readable.from([formula])));
  app.get("/bytes", (_, reply) => reply.type("text/plain; charset=utf-8").send(Buffer.from(formula)));
  app.get("/events", (_, reply) => reply.type("text/event-stream").send(events));
  app.post("/echo", (request) => ({ received: request.body }));
  app.setNotFoundHandler(
    await servePage(app, root, async function* () {
      yield { address: "/long", language: "en", chosen: false, status: 200, headers: {}, body: long };
    }),
  );
  return async (url: string, encodings: string | undefined, more: Record<string, string> = {}) => {
    const headers = { ...(encodings === undefined ? {} : { "accept-encoding": encodings }), ...more };
    const { statusCode, headers: sent, rawPayload } = await app.inject({ url, headers });
    const encoding = sent["content-encoding"];
    return {
      status: statusCode,
      encoding,
      vary: String(sent.vary),
      etag: sent.etag,
      length: sent["content-length"],
      bytes: rawPayload.length,
      text: (encoding === "gzip"
        ? gunzipSync(rawPayload)
        : encoding === "br"
          ? brotliDecompressSync(rawPayload)
          : rawPayload
      ).toString(),
    };
  };
};

test.each([
  ["gzip", "gzip"],
  ["gzip, deflate, br, zstd", "gzip"],
  ["br", "br"],
  ["gzip;q=0.5, br", "br"],
  ["gzip;q=0, br", "br"],
  ["*", "gzip"],
  ["gzip;q=0", undefined],
  ["gzip; q=0.0, identity", undefined],
  ["*;q=0", undefined],
  ["identity", undefined],
  ["notgzip", undefined],
  ["", undefined],
  [undefined, undefined],
])("a long response to a client that accepts %o is sent as %s", async (accepted, encoding) => {
  const get = await serve();
  for (const url of ["/long", "/object"]) {
    const answer = await get(url, accepted);
    expect(answer).toMatchObject({ status: 200, encoding });
    expect(answer.text).toBe(long);
    if (encoding !== undefined) {
      expect(answer.bytes).toBeLessThan(long.length / 4);
      expect([undefined, String(answer.bytes)]).toContain(answer.length);
    }
  }
});

test("Vary lists the encoding beside other headers, and the version is the same", async () => {
  const get = await serve();
  expect(await get("/long", "gzip")).toMatchObject({ vary: "origin, accept-encoding", etag: '"7"' });
  expect(await get("/short", "gzip")).toMatchObject({ vary: "origin", encoding: undefined });
  expect(await get("/", "gzip", { accept: "text/html" })).toMatchObject({ vary: "origin, accept-encoding" });
  expect(await get("/_/assets/script.js", "gzip")).toMatchObject({ vary: "origin, accept-encoding", encoding: "gzip" });
});

test.each([
  ["a short response", "/short", short],
  ["a stream", "/stream", formula],
  ["bytes", "/bytes", formula],
  ["a stream of events", "/events", events],
  ["a file that the build did not compress", "/_/assets/drawing.svg", `<svg>${"<g/>".repeat(2_000)}</svg>`],
])("%s is not compressed", async (_, url, text) => {
  const get = await serve();
  for (const accepted of ["gzip", "br, gzip"])
    expect(await get(url, accepted)).toMatchObject({ encoding: undefined, text });
});

test.each([
  ["gzip", "gzip"],
  ["br, gzip;q=0.1", "gzip"],
  ["gzip;q=0", undefined],
  ["br", undefined],
  [undefined, undefined],
])("the page, for a client that accepts %o, is sent as %s", async (accepted, encoding) => {
  const get = await serve();
  const page = await get("/books", accepted, { accept: "text/html" });
  expect(page).toMatchObject({ status: 200, encoding });
  expect(page.text).toContain("A book");
  expect(page.text.endsWith("</body></html>")).toBe(true);
});

test("a compressed request is refused, not unpacked", async () => {
  const app = fastify();
  onTestFinished(() => app.close());
  await compressReplies(app);
  app.post("/echo", (request) => ({ received: request.body }));
  const { statusCode } = await app.inject({
    method: "POST",
    url: "/echo",
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
    payload: Buffer.from("1f8b0800", "hex"),
  });
  expect(statusCode).toBe(400);
});

test("an unchanged file gives a response without body and encoding", async () => {
  const get = await serve();
  const { etag } = await get("/_/assets/drawing.svg", "gzip");
  expect(await get("/_/assets/drawing.svg", "gzip", { "if-none-match": String(etag) })).toMatchObject({
    status: 304,
    encoding: undefined,
    bytes: 0,
  });
});
