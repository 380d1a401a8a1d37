import { inflateSync } from "node:zlib";
import fastify from "fastify";
import { expect, test } from "vitest";
import { drawPngIcon, findInitial } from "../../../src/server/pages/icon.ts";
import { serveInstallation } from "../../../src/server/pages/installation.ts";

/* An application can be installed under its name, with an icon that its document determines. */

const serve = (name: string, accent: string | null) => {
  const app = fastify();
  serveInstallation(app, { name, locale: "de", accent });
  return async (path: string) => {
    const { statusCode, headers, body, rawPayload } = await app.inject(path);
    expect(statusCode).toBe(200);
    return { type: headers["content-type"], body, bytes: rawPayload };
  };
};

test("the manifest has the name of the application, and icons that exist", async () => {
  const get = serve("Ausleihe", null);
  const { type, body } = await get("/_/app.webmanifest");
  expect(type).toMatch(/^application\/manifest\+json/u);
  const manifest = JSON.parse(body) as {
    readonly icons: readonly {
      readonly src: string;
      readonly type: string;
      readonly sizes: string;
      readonly purpose: string;
    }[];
  };
  expect(manifest).toMatchObject({ name: "Ausleihe", lang: "de", start_url: "/", display: "standalone" });
  expect(manifest.icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual(
    ["any", "maskable"].flatMap((purpose) => ["any", "192x192", "512x512"].map((size) => `${size} ${purpose}`)),
  );
  for (const { src, type: named, sizes } of manifest.icons) {
    const icon = await get(src);
    expect(icon.type).toBe(named);
    // The size is in the header of a PNG.
    if (named === "image/png") expect(`${icon.bytes.readUInt32BE(16)}x${icon.bytes.readUInt32BE(20)}`).toBe(sizes);
  }
});

test("the icon has the first letter, in a colour that can be read on the accent", async () => {
  const lending = (await serve("lending", "#fde047")("/_/icon.svg")).body;
  expect(lending).toMatch(/fill="#fde047".*fill="#04181c"/u);
  expect((await serve("Łódź", "#fde047")("/_/icon.svg")).body).not.toBe(lending);
  expect((await serve("Études", "#1e3a8a")("/_/icon.svg")).body).toBe(
    (await serve("edit", "#1e3a8a")("/_/icon.svg")).body,
  );
  expect((await serve("<b>", "#1e3a8a")("/_/icon.svg")).body).toMatch(/fill="#1e3a8a".*fill="#ffffff"/u);
});

test("a PNG is the picture of the SVG: the letter L has ink at the left and at the bottom", () => {
  const side = 192;
  const png = drawPngIcon({ outline: findInitial("Lending"), colour: "#006272", isWhole: false }, side);
  const idat = png.indexOf("IDAT");
  const rows = inflateSync(png.subarray(idat + 4, idat + 4 + png.readUInt32BE(idat - 4)));
  const pixel = (x: number, y: number) => [...rows.subarray(y * (side * 4 + 1) + 1 + x * 4).subarray(0, 4)];
  const [accent, ink] = [
    [0, 98, 114, 255],
    [255, 255, 255, 255],
  ];
  expect(pixel(0, 0)).toEqual([0, 98, 114, 0]);
  expect([pixel(side / 2, 20), pixel(side / 2 + 8, side / 2)]).toEqual([accent, accent]);
  expect([pixel(side / 2 - 17, side / 2), pixel(side / 2 + 8, side / 2 + 30)]).toEqual([ink, ink]);
});
