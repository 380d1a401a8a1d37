import type { FastifyInstance } from "fastify";
import type { Model } from "../../core/model/model.ts";
import { drawPngIcon, drawSvgIcon, findInitial } from "./icon.ts";

/** The default accent of the browser application. */
const PETROL = "#006272";
/** Background while the application starts: the token `canvas` of the browser application. */
const CANVAS = "#f5f7f7";

/** Sides of the PNG icons in pixels: those that browsers ask for when they install an application. */
const SIDES = [192, 512] as const;

/**
 * Serves what a phone or computer needs to install the application: its name, its icon in the accent of the document, and
 * the page it starts with. Nobody has to be signed in, as on the page that asks for the password.
 */
export const serveInstallation = (app: FastifyInstance, model: Pick<Model, "name" | "locale" | "accent">): void => {
  const icons = ([false, true] as const).map((isWhole) => ({
    icon: { outline: findInitial(model.name), colour: model.accent ?? PETROL, isWhole },
    path: isWhole ? "/_/icon-whole" : "/_/icon",
    purpose: isWhole ? "maskable" : "any",
  }));
  const manifest = {
    id: "/",
    name: model.name,
    short_name: model.name,
    lang: model.locale,
    start_url: "/",
    scope: "/",
    display: "standalone",
    background_color: CANVAS,
    theme_color: CANVAS,
    icons: icons.flatMap(({ path, purpose }) => [
      { src: `${path}.svg`, type: "image/svg+xml", sizes: "any", purpose },
      ...SIDES.map((side) => ({ src: `${path}-${side}.png`, type: "image/png", sizes: `${side}x${side}`, purpose })),
    ]),
  };
  const serve = (path: string, type: string, build: () => string | Buffer) => {
    let body: string | Buffer | undefined;
    app.get(path, (_, reply) => {
      body ??= build();
      return reply.header("cache-control", "no-cache").type(type).send(body);
    });
  };
  serve("/_/app.webmanifest", "application/manifest+json", () => JSON.stringify(manifest));
  for (const { path, icon } of icons) {
    serve(`${path}.svg`, "image/svg+xml", () => drawSvgIcon(icon));
    for (const side of SIDES) serve(`${path}-${side}.png`, "image/png", () => drawPngIcon(icon, side));
  }
};
