import { randomUUID } from "node:crypto";
import { open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Writes a body to a temporary file, which reading a ZIP file needs, and passes on its descriptor; undefined if the body
 * ended early. The file has no name any more when the first byte arrives, so nothing is left behind by a server that is
 * killed.
 */
export const receiveZip = async <T>(
  body: AsyncIterable<Buffer | undefined>,
  use: (descriptor: number | undefined) => Promise<T>,
): Promise<T> => {
  const path = join(tmpdir(), `ninefold-import-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  try {
    await unlink(path);
    for await (const chunk of body) {
      if (chunk === undefined) return await use(undefined);
      await file.appendFile(chunk);
    }
    return await use(file.fd);
  } finally {
    await file.close();
  }
};
