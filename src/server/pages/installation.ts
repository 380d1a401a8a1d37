import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { brand } from "../../core/derive/client/look/brand.ts";
import type { Model } from "../../core/model/model.ts";
import { drawPngIcon, drawSvgIcon, findInitial } from "./icon.ts";

/** The address of the logo of the document. */
const LOGO = "/_/logo.png";
/** The logo for any size: browsers install no application whose icons all have fewer than 144 pixels on a side. */
const LOGO_IN_ANY_SIZE = "/_/logo.svg";

/** The size in the header of a PNG. */
const findSize = (png: Buffer): string => `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;

/** Sides of the PNG icons in pixels: those that browsers ask for when they install an application. */
const SIDES = [192, 512] as const;

/**
 * Serves what a phone or computer needs to install the application: its name, its logo or an icon in the accent of the document,
 * and the page it starts with. Nobody has to be signed in, as on the page that asks for the password.
 */
export const serveInstallation = (
  app: FastifyInstance,
  model: Pick<Model, "name" | "locale" | "accent" | "logo">,
): void => {
  const icons = ([false, true] as const).map((isWhole) => ({
    icon: { outline: findInitial(model.name), colour: model.accent ?? brand.accent.light, isWhole },
    path: isWhole ? "/_/icon-whole" : "/_/icon",
    purpose: isWhole ? "maskable" : "any",
  }));
  const drawn = icons.flatMap(({ path, purpose }) => [
    { src: `${path}.svg`, type: "image/svg+xml", sizes: "any", purpose },
    ...SIDES.map((side) => ({ src: `${path}-${side}.png`, type: "image/png", sizes: `${side}x${side}`, purpose })),
  ]);
  const logo = model.logo === null ? null : Buffer.from(model.logo, "base64");
  const manifest = {
    id: "/",
    name: model.name,
    short_name: model.name,
    lang: model.locale,
    start_url: "/",
    scope: "/",
    display: "standalone",
    // Background while the application starts.
    background_color: brand.canvas.light,
    theme_color: brand.canvas.light,
    // A system that cuts icons would cut a logo, so that one is offered uncut alone.
    icons:
      logo === null
        ? drawn
        : [
            { src: LOGO, type: "image/png", sizes: findSize(logo), purpose: "any" },
            { src: LOGO_IN_ANY_SIZE, type: "image/svg+xml", sizes: "any", purpose: "any" },
          ],
  };
  const serve = (path: string, type: string, build: () => string | Buffer) => {
    let body: string | Buffer | undefined;
    app.get(path, (_, reply) => {
      body ??= build();
      return reply.header("cache-control", "no-cache").type(type).send(body);
    });
  };
  serve("/_/app.webmanifest", "application/manifest+json", () => JSON.stringify(manifest));
  serveLogo(app, logo);
  for (const { path, icon } of icons) {
    serve(`${path}.svg`, "image/svg+xml", () => drawSvgIcon(icon));
    for (const side of SIDES) serve(`${path}-${side}.png`, "image/png", () => drawPngIcon(icon, side));
  }
};

/** Serves the logo as it is, and as a picture that can be drawn in any size; without a logo, neither is found. */
const serveLogo = (app: FastifyInstance, logo: Buffer | null): void => {
  const tag = logo === null ? "" : `"${createHash("sha256").update(logo).digest("base64url").slice(0, 22)}"`;
  const serve = (path: string, type: string, write: (logo: Buffer) => string | Buffer) =>
    app.get(path, (request, reply) => {
      if (logo === null) return reply.callNotFound();
      reply.headers({ etag: tag, "cache-control": "no-cache" });
      return request.headers["if-none-match"] === tag ? reply.code(304).send() : reply.type(type).send(write(logo));
    });
  serve(LOGO, "image/png", (png) => png);
  serve(LOGO_IN_ANY_SIZE, "image/svg+xml", (png) => {
    const image = `<image width="1" height="1" href="data:image/png;base64,${png.toString("base64")}"/>`;
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">${image}</svg>`;
  });
};
