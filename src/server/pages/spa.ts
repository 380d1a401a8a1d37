import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline, Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { constants, createGzip } from "node:zlib";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { acceptsGzip, addVary } from "../http/compression.ts";
import type { PreloadedResponse } from "./preload.ts";

/** Folder of the built browser application, next to this file in `dist`. */
export const webRoot = fileURLToPath(new URL("../../web/", import.meta.url));

/** The built page; undefined if there is no build. */
const builtPage = (root: string): string | undefined => {
  const file = join(root, "index.html");
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
};

/** Identifies the build: the page refers to its files by content hash. */
export const identifyProgram = (root: string): string =>
  createHash("sha256")
    .update(builtPage(root) ?? "")
    .digest("base64url")
    .slice(0, 12);

/** Addresses of the styles that the page loads first. */
export const findStyles = (root: string): readonly string[] =>
  [...(builtPage(root) ?? "").matchAll(/<link rel="stylesheet"[^>]* href="([^"]+)"/gu)].map(([, href = ""]) => href);

/**
 * Addresses of the scripts with the texts of the screens, by language. Each page needs those of one, and would ask for
 * what a script imports only when it has that script.
 */
const findTexts = (root: string): ReadonlyMap<string, readonly string[]> => {
  const file = join(root, ".vite", "manifest.json");
  const sources = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as BuildManifest) : {};
  return new Map(
    Object.entries(sources).flatMap(([source, { file, imports = [] }]) => {
      const [, language] = /\/i18n\/(\w+)\/screen-texts\.ts$/u.exec(source) ?? [];
      const files = [file, ...imports.flatMap((name) => sources[name]?.file ?? [])];
      return language === undefined ? [] : [[language, files.map((name) => `/${name}`)]];
    }),
  );
};

/** The file that the build made of each source that pages load on demand, and the names here of those that it imports. */
interface BuildManifest {
  readonly [source: string]: { readonly file: string; readonly imports?: readonly string[] };
}

/** Hashes of the page's inline scripts for the content security policy. */
const hashInlineScripts = (page: string): readonly string[] =>
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

/**
 * A response as inert data: no text in it can end its element or start another. The following marker shows that it is
 * complete.
 */
const renderPreloaded = ({ address, language, chosen, status, headers, body }: PreloadedResponse): string => {
  const described = {
    given: address,
    language,
    chosen,
    status,
    type: headers["content-type"],
    version: headers["ninefold-version"],
  };
  const attributes = Object.entries(described).map(([name, value]) => {
    const text = String(value ?? "").replace(/[&"<>]/gu, (sign) => `&#${sign.charCodeAt(0)};`);
    return ` data-${name}="${text}"`;
  });
  return `<script type="application/json"${attributes.join("")}>${body.replaceAll("<", "\\u003c")}</script>\n`;
};

async function* writePage(
  begin: string,
  responses: AsyncGenerator<PreloadedResponse>,
  end: string,
  texts: ReadonlyMap<string, readonly string[]>,
): AsyncGenerator<string> {
  yield begin;
  let language: string | undefined;
  try {
    for await (const answer of responses) {
      // The first response says in which language the page is.
      if (language === undefined) {
        language = answer.language.split("-")[0]?.toLowerCase() ?? "en";
        for (const script of texts.get(language) ?? texts.get("en") ?? [])
          yield `<link rel="modulepreload" crossorigin href="${script}">\n`;
      }
      yield renderPreloaded(answer);
    }
  } catch {
    // The page repeats the call and reports the error.
  }
  yield end;
}

/** The folder of these files in the build, and their address. `/assets` itself belongs to the document. */
const ASSETS = "_/assets";

/**
 * Serves the files of the page. One route for all of them: a route for each took a tenth of a start. Any other name is
 * handled like an address without a route.
 */
const serveAssets = async (app: FastifyInstance, root: string): Promise<void> => {
  const folder = join(root, ASSETS);
  // A page that was not built has its scripts elsewhere.
  if (!existsSync(folder)) return;
  const names = new Set(readdirSync(folder).filter((name) => !/\.(?:map|br|gz)$/u.test(name)));
  await app.register(fastifyStatic, {
    root: folder,
    serve: false,
    // The build has compressed scripts and styles.
    preCompressed: true,
    cacheControl: false,
    // File names contain a content hash.
    setHeaders: (reply) => void reply.header("cache-control", "public, max-age=31536000, immutable"),
  });
  app.get<{ Params: { readonly name: string } }>(`/${ASSETS}/:name`, (request, reply) => {
    const { name } = request.params;
    return names.has(name) ? reply.sendFile(name) : reply.callNotFound();
  });
};

/** Serves the page and its files. Every address without a route is a screen, which the page resolves itself. */
export const servePage = async (
  app: FastifyInstance,
  root: string,
  givenWith: (request: FastifyRequest) => AsyncGenerator<PreloadedResponse>,
): Promise<(request: FastifyRequest, reply: FastifyReply) => FastifyReply> => {
  const page = builtPage(root)?.replace("__PROGRAM__", identifyProgram(root));
  if (page !== undefined) await serveAssets(app, root);
  const scripts = page === undefined ? [] : hashInlineScripts(page);
  const texts = findTexts(root);
  return (request, reply) => {
    if (page === undefined)
      return reply
        .code(404)
        .type("text/plain; charset=utf-8")
        .send("The browser application has not been built. Run npm start, which builds it.");
    const nonce = randomBytes(16).toString("base64");
    const html = page.replaceAll("__NONCE__", nonce);
    void reply
      .header("content-security-policy", policy(scripts, nonce))
      .header("cache-control", "no-store")
      .type("text/html; charset=utf-8");
    // A browser also receives the responses that its script needs; any other client gets the bare page at once.
    if (request.method !== "GET" || request.headers.accept?.includes("text/html") !== true) return reply.send(html);
    const at = html.indexOf("</body>");
    const body = Readable.from(writePage(html.slice(0, at), givenWith(request), html.slice(at), texts));
    addVary(reply, "accept-encoding");
    if (!acceptsGzip(request)) return reply.send(body);
    // Flushes each chunk, because the browser already loads the files named in the first one.
    const packed = createGzip({ level: constants.Z_BEST_SPEED, flush: constants.Z_SYNC_FLUSH });
    // Stop preparing responses when the client disconnects.
    pipeline(body, packed, () => undefined);
    return reply.header("content-encoding", "gzip").send(packed);
  };
};
