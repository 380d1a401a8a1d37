import type { FastifyInstance } from "fastify";
import type { Model } from "../../core/model/model.ts";

/** The default accent of the browser application. */
const PETROL = "#006272";
/** Background while the application starts: the token `canvas` of the browser application. */
const CANVAS = "#f5f7f7";

const ICON = "/_/icon.svg";
const WHOLE_ICON = "/_/icon-whole.svg";

/**
 * Serves what a phone or computer needs to install the application: its name, its icon in the accent of the document, and
 * the page it starts with. Nobody has to be signed in, as on the page that asks for the password.
 */
export const serveInstallation = (app: FastifyInstance, model: Pick<Model, "name" | "locale" | "accent">): void => {
  const colour = model.accent ?? PETROL;
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
    icons: [
      { src: ICON, type: "image/svg+xml", sizes: "any", purpose: "any" },
      { src: WHOLE_ICON, type: "image/svg+xml", sizes: "any", purpose: "maskable" },
    ],
  };
  app.get("/_/app.webmanifest", (_, reply) =>
    reply.header("cache-control", "no-cache").type("application/manifest+json").send(JSON.stringify(manifest)),
  );
  for (const [path, corner] of [
    [ICON, 8],
    [WHOLE_ICON, 0],
  ] as const)
    app.get(path, (_, reply) =>
      reply
        .header("cache-control", "no-cache")
        .type("image/svg+xml")
        .send(drawIcon(model.name, colour, corner)),
    );
};

/** The first letter of the name on the accent. `corner`: the radius of the corners, of 32 pixels. */
const drawIcon = (name: string, colour: string, corner: number): string => {
  const [letter = "9"] = [...name.trim()];
  const shown = letter.toLocaleUpperCase().replace(/[<>&]/gu, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="${corner}" fill="${colour}"/><text x="16" y="21.5" text-anchor="middle" font-family="system-ui,sans-serif" font-weight="600" font-size="16" fill="${isDark(colour) ? "#ffffff" : "#04181c"}">${shown}</text></svg>`;
};

/** True if white text has a contrast of 4.5 on the colour (WCAG 2.2). */
const isDark = (colour: string): boolean => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05) >= 4.5;
};
