import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import type { Database } from "../../postgres/database.ts";

/** The key with which all servers of a database sign and encrypt. */
export const readSecret = async (database: Pick<Database, "query">): Promise<Buffer> => {
  const [row] = await database.query({ text: "select value from ninefold.secret where name = 'device'", values: [] });
  if (!Buffer.isBuffer(row?.value)) throw new Error("the database has no secret for devices");
  return row.value;
};

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts texts for clients that send them back. Each server of a database opens what another one has sealed. */
export class TextSeal {
  readonly #key: Buffer;
  readonly #length: number;

  /**
   * `purpose`: a text sealed for one purpose cannot be opened for another. `length`: of the longest text; all are padded
   * to it, so that their sealed form does not disclose how long they are.
   */
  constructor(secret: Buffer, purpose: string, length: number) {
    this.#key = createHmac("sha256", secret).update(purpose).digest();
    this.#length = length;
  }

  seal(text: string): string {
    if (text.length > this.#length) throw new Error("a text is too long to be sealed");
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, iv);
    const sealed = [iv, cipher.update(text.padEnd(this.#length), "latin1"), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString("base64url");
  }

  /** Undefined for a text that is not from `seal`. */
  open(sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, "base64url");
    // Base64 ignores characters that it does not know.
    if (bytes.length <= IV_BYTES + TAG_BYTES || bytes.toString("base64url") !== sealed) return undefined;
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const padded = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
      return padded.toString("latin1").trimEnd();
    } catch {
      return undefined;
    }
  }
}
