import { crc32, deflateSync } from "node:zlib";

/** The colour types of PNG (section 11.2.1), by the number of channels. */
const COLOUR_TYPES = { 3: 2, 4: 6 } as const;

/** Encodes pixels as a PNG, row by row, with eight bits for each channel: RGB, or RGB and opacity. */
export const encodePng = (width: number, pixels: Buffer, channels: keyof typeof COLOUR_TYPES): Buffer => {
  const stride = width * channels;
  const height = pixels.length / stride;
  // Each row begins with the number of its filter: none.
  const rows = Buffer.alloc((stride + 1) * height);
  for (let y = 0; y < height; y++) pixels.copy(rows, y * (stride + 1) + 1, y * stride, (y + 1) * stride);
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size.set([8, COLOUR_TYPES[channels], 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", size),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
};

const chunk = (name: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
};
