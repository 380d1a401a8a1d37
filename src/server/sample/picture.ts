import { crc32, deflateSync } from "node:zlib";

const WIDTH = 480;
const HEIGHT = 320;

/** Generates a picture of hills: a PNG of 480 × 320 pixels, different for each seed. */
export const samplePicture = (seed: number): Buffer => {
  const hue = (seed * 47) % 360;
  const shades = [92, 78, 64, 50].map((lightness) => colour(hue, lightness));
  const rows = Buffer.alloc((WIDTH * 3 + 1) * HEIGHT);
  for (let x = 0; x < WIDTH; x++) {
    // From top to bottom, each colour ends where the next row of hills begins.
    const tops = [...drawHills(x, seed), HEIGHT];
    let y = 0;
    for (const [hill, top] of tops.entries()) {
      const [red = 0, green = 0, blue = 0] = shades[hill] ?? [];
      for (; y < top; y++) {
        const at = y * (WIDTH * 3 + 1) + 1 + x * 3;
        rows[at] = red;
        rows[at + 1] = green;
        rows[at + 2] = blue;
      }
    }
  }
  const size = Buffer.alloc(13);
  size.writeUInt32BE(WIDTH, 0);
  size.writeUInt32BE(HEIGHT, 4);
  // Eight bits per channel in RGB, not interlaced (PNG, section 11.2.1).
  size.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", size),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
};

/** The tops of three rows of hills. */
const drawHills = (x: number, seed: number): readonly number[] =>
  [0, 1, 2].map((hill) => HEIGHT * (0.4 + hill * 0.18) + 28 * Math.sin(x / (55 + hill * 20) + seed + hill * 2));

const chunk = (name: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
};

/** Converts hue in degrees and lightness in percent to muted RGB, 0 to 255. */
const colour = (hue: number, lightness: number): readonly number[] => {
  const reach = 0.3 * Math.min(lightness / 100, 1 - lightness / 100);
  return [0, 8, 4].map((part) => {
    const at = (part + hue / 30) % 12;
    return Math.round(255 * (lightness / 100 - reach * Math.max(-1, Math.min(at - 3, 9 - at, 1))));
  });
};
