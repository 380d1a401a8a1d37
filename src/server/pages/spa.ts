import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { pipeline, Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { constants, createGzip } from "node:zlib";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Given } from "./preload.ts";

/** Where the built browser application lies: beside this file in `dist`. */
export const webRoot = fileURLToPath(new URL("../../web/", import.meta.url));

/** The page as it was built; undefined where it was not. */
const builtPage = (root: string): string | undefined => {
  const file = join(root, "index.html");
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
};

/** Which build it is: the page names its files by what is in them. */
export const programIn = (root: string): string =>
  createHash("sha256")
    .update(builtPage(root) ?? "")
    .digest("base64url")
    .slice(0, 12);

/** The scripts that stand in the page itself may run because of what they are. */
const hashesIn = (page: string): readonly string[] =>
  [...page.matchAll(/<script>([\s\S]*?)<\/script>/gu)].map(
    ([, script = ""]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  );

const policy = (scripts: readonly string[], nonce: string): string =>
  [
    "default-src 'none'",
    `script-src ${["'self'", ...scripts].join(" ")}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

/** Data, and nothing that runs: no text of it ends its element or begins another. What follows it says that it is whole. */
const element = ({ address, language, chosen, status, headers, body }: Given): string => {
  const told = {
    given: address,
    language,
    chosen,
    status,
    type: headers["content-type"],
    version: headers["ninefold-version"],
  };
  const attributes = Object.entries(told).map(([name, value]) => {
    const text = String(value ?? "").replace(/[&"<>]/gu, (sign) => `&#${sign.charCodeAt(0)};`);
    return ` data-${name}="${text}"`;
  });
  return `<script type="application/json"${attributes.join("")}>${body.replaceAll("<", "\\u003c")}</script>\n`;
};

async function* written(begin: string, given: AsyncGenerator<Given>, end: string): AsyncGenerator<string> {
  yield begin;
  try {
    for await (const answer of given) yield element(answer);
  } catch {
    // The page asks for what did not come, and hears what is wrong.
  }
  yield end;
}

/** Serves the one page and its files. Every address that no call bears is a screen, and the page decides what it shows. */
export const servePage = async (
  app: FastifyInstance,
  root: string,
  givenWith: (request: FastifyRequest) => AsyncGenerator<Given>,
): Promise<(request: FastifyRequest, reply: FastifyReply) => FastifyReply> => {
  const page = builtPage(root)?.replace("__PROGRAM__", programIn(root));
  if (page !== undefined)
    await app.register(fastifyStatic, {
      root,
      index: false,
      // A route for each file that is there, and none for what is not: every other address is a screen.
      wildcard: false,
      globIgnore: ["index.html", "**/*.map", "**/*.br", "**/*.gz"],
      // Scripts and sheets lie beside themselves in fewer bytes: the build made them.
      preCompressed: true,
      decorateReply: false,
      cacheControl: false,
      setHeaders: (reply, path) => {
        // Files under assets bear a hash of their content in their names.
        void reply.header(
          "cache-control",
          path.includes(`${sep}assets${sep}`) ? "public, max-age=31536000, immutable" : "no-cache",
        );
      },
    });
  const scripts = page === undefined ? [] : hashesIn(page);
  return (request, reply) => {
    if (page === undefined)
      return reply
        .code(404)
        .type("text/plain; charset=utf-8")
        .send("The browser application has not been built. Run npm start, which builds it.");
    const nonce = randomBytes(16).toString("base64");
    const whole = page.replaceAll("__NONCE__", nonce);
    void reply
      .header("content-security-policy", policy(scripts, nonce))
      .header("cache-control", "no-store")
      .type("text/html; charset=utf-8");
    // Who only wants to see a page is answered at once; a browser gets what its script will ask for, too.
    if (request.method !== "GET" || request.headers.accept?.includes("text/html") !== true) return reply.send(whole);
    const at = whole.indexOf("</body>");
    const body = Readable.from(written(whole.slice(0, at), givenWith(request), whole.slice(at)));
    if (request.headers["accept-encoding"]?.includes("gzip") !== true) return reply.send(body);
    // Each piece is sent as it comes: the files that the first one names are on their way meanwhile.
    const packed = createGzip({ level: constants.Z_BEST_SPEED, flush: constants.Z_SYNC_FLUSH });
    // Where the one who asked is gone, nothing more is asked for them: the end of either is the end of both.
    pipeline(body, packed, () => undefined);
    return reply.header("content-encoding", "gzip").header("vary", "accept-encoding").send(packed);
  };
};
