import { inflateRawSync } from "node:zlib";

/** Larger workbooks are refused before they are unpacked. */
const MAX_UNPACKED_BYTES = 300 * 2 ** 20;

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const DEFLATED = 8;

/**
 * True if the parts of a ZIP file unpack to at most 300 MB in total. The sizes in its directory can be wrong, so each
 * part is unpacked up to the size that it claims. A file without a directory is left to its reader.
 */
export const fitsUnpacked = (bytes: Buffer): boolean => {
  let end = bytes.length - 22;
  while (end >= 0 && bytes.readUInt32LE(end) !== END) end -= 1;
  if (end < 0) return true;
  let at = bytes.readUInt32LE(end + 16);
  let total = 0;
  while (at + 46 <= bytes.length && bytes.readUInt32LE(at) === ENTRY) {
    const [method, packed, size] = [
      bytes.readUInt16LE(at + 10),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt32LE(at + 24),
    ];
    const [name, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    total += size;
    if (total > MAX_UNPACKED_BYTES) return false;
    const local = bytes.readUInt32LE(at + 42);
    if (method === DEFLATED && local + 30 <= bytes.length) {
      const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
      try {
        inflateRawSync(bytes.subarray(from, from + packed), { maxOutputLength: Math.max(size, 1) });
      } catch (error) {
        if (error instanceof RangeError) return false;
      }
    }
    at += 46 + name + extra + comment;
  }
  return true;
};
