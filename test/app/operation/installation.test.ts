import { inflateSync } from "node:zlib";
import fastify from "fastify";
import { expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import { drawPngIcon, findInitial } from "../../../src/server/pages/icon.ts";
import { serveInstallation } from "../../../src/server/pages/installation.ts";

/* An application can be installed under its name, with an icon that its document determines. */

const serve = (name: string, accent: string | null, logo: string | null = null) => {
  const app = fastify();
  serveInstallation(app, { name, locale: "de", accent, logo });
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

/** A square with 128 pixels on each side. */
const LOGO =
  "iVBORw0KGgoAAAANSUhEUgAAAIAAAACAAQMAAAD58POIAAAABlBMVEX///96SwAfKag2AAAAH0lEQVR42mP4jwYYRgVGBUYFRgWIFBgFo2AUjAIyAQAFmPwudGxH+QAAAABJRU5ErkJggg==";

test("a logo of the document is the icon", async () => {
  const get = serve("Ausleihe", null, LOGO);
  const { bytes, type } = await get("/_/logo.png");
  expect([type, bytes.toString("base64")]).toEqual(["image/png", LOGO]);
  expect(JSON.parse((await get("/_/app.webmanifest")).body)).toMatchObject({
    icons: [
      { src: "/_/logo.png", type: "image/png", sizes: "128x128", purpose: "any" },
      // Chrome installs no application whose icons all have fewer than 144 pixels on a side.
      { src: "/_/logo.svg", type: "image/svg+xml", sizes: "any", purpose: "any" },
    ],
  });
  const drawing = await get("/_/logo.svg");
  expect([drawing.type, drawing.body]).toEqual(["image/svg+xml", expect.stringContaining(LOGO)]);
});

test("a logo is a square PNG, and findings tell what is wrong with another", () => {
  const found = (logo: string) =>
    compile({
      file: "a.md",
      text: `# A\n\n## 1. What it does\n\`\`\`yaml\nlogo: |\n  ${logo}\n\`\`\`\n`,
    }).findings.flatMap(({ severity, message }) => (severity === "error" ? [message] : []));
  const bytes = Buffer.from(LOGO, "base64");
  const changed = (at: number, byte: number) => {
    const copy = Buffer.from(bytes);
    copy[at] = byte;
    return copy.toString("base64");
  };
  expect(found(LOGO.replaceAll(/.{40}/gu, "$&\n  "))).toEqual([]);
  expect(found("<svg/>")).toEqual(["The logo is not a PNG."]);
  expect(found(changed(1, 0))).toEqual(["The logo is not a PNG."]);
  expect(found(LOGO.slice(0, -8))).toEqual(["The end of the logo is missing."]);
  expect(found(changed(19, 64))).toEqual(["The logo has 64 × 128 pixels."]);
  expect(found(changed(28, 1))).toEqual(["The logo is interlaced."]);
  const large = Buffer.concat([bytes.subarray(0, -12), Buffer.alloc(40_000), bytes.subarray(-12)]);
  expect(found(large.toString("base64"))).toEqual(["The logo is larger than 32 kB."]);
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
