import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply } from "fastify";

/** Where the built browser application lies: beside this file in `dist`. */
export const webRoot = fileURLToPath(new URL("../web/", import.meta.url));

const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

/** Serves the one page and its files. Every address that no call bears is a screen, and the page decides what it shows. */
export const servePage = async (app: FastifyInstance, root: string): Promise<(reply: FastifyReply) => FastifyReply> => {
  const file = join(root, "index.html");
  const page = existsSync(file) ? readFileSync(file, "utf8") : undefined;
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
  return (reply) => {
    if (page === undefined)
      return reply
        .code(404)
        .type("text/plain; charset=utf-8")
        .send("The browser application has not been built. Run npm start, which builds it.");
    const nonce = randomBytes(16).toString("base64");
    return reply
      .header("content-security-policy", policy(nonce))
      .header("cache-control", "no-store")
      .type("text/html; charset=utf-8")
      .send(page.replaceAll("__NONCE__", nonce));
  };
};
