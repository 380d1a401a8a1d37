import fastify from "fastify";
import { expect, test } from "vitest";
import { serveInstallation } from "../../../src/server/pages/installation.ts";

/* An application can be installed under its name, with an icon that its document determines. */

const serve = (name: string, accent: string | null) => {
  const app = fastify();
  serveInstallation(app, { name, locale: "de", accent });
  return async (path: string) => {
    const { statusCode, headers, body } = await app.inject(path);
    expect(statusCode).toBe(200);
    return { type: headers["content-type"], body };
  };
};

test("the manifest has the name of the application, and icons that exist", async () => {
  const get = serve("Ausleihe", null);
  const { type, body } = await get("/_/app.webmanifest");
  expect(type).toMatch(/^application\/manifest\+json/u);
  const manifest = JSON.parse(body) as {
    readonly icons: readonly { readonly src: string; readonly purpose: string }[];
  };
  expect(manifest).toMatchObject({ name: "Ausleihe", lang: "de", start_url: "/", display: "standalone" });
  expect(manifest.icons.map(({ purpose }) => purpose)).toEqual(["any", "maskable"]);
  for (const { src } of manifest.icons) expect((await get(src)).type).toMatch(/^image\/svg/u);
});

test("the icon has the first letter, in a colour that can be read on the accent", async () => {
  expect((await serve("lending", "#fde047")("/_/icon.svg")).body).toMatch(/fill="#fde047".*fill="#04181c">L</u);
  expect((await serve("<b>", "#1e3a8a")("/_/icon.svg")).body).toMatch(/fill="#1e3a8a".*fill="#ffffff">&#60;</u);
});
