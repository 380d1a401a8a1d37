import { deflateRawSync } from "node:zlib";

/** A file to put into a ZIP file; the rest of it says what is wrong with it. */
export interface ZipEntry {
  readonly path: string;
  readonly bytes: string | Buffer;
  readonly isEncrypted?: boolean;
  /** The size that the directory claims, if it is not the true one. */
  readonly claims?: number;
  /** Replaces the packed bytes. */
  readonly packed?: Buffer;
}

const ENCRYPTED = 1;
const UTF8 = 0x800;
const DEFLATED = 8;

/** Builds a ZIP file by hand, because libraries that write them refuse what a test needs: bad paths, names and sizes. */
export const zipFile = (entries: readonly ZipEntry[]): Buffer => {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, bytes, isEncrypted = false, claims, packed: replaced } of entries) {
    const content = Buffer.from(bytes);
    const packed = replaced ?? deflateRawSync(content);
    const size = claims ?? content.length;
    const name = Buffer.from(path);
    const flags = UTF8 | (isEncrypted ? ENCRYPTED : 0);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(DEFLATED, 8);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt32LE(size, 22);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(DEFLATED, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(size, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    parts.push(local, name, packed);
    directory.push(entry, name);
    offset += local.length + name.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listed, end]);
};
