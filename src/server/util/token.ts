import { hash, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";

export const newToken = (): string => randomBytes(32).toString("base64url");

/** Number of characters of each token of `newToken`, and so of each session token. */
export const SESSION_TOKEN_LENGTH = 43;

/** Hashes of tokens that were used lately, because a page sends its token with each request. */
const hashes = new LRUCache<string, Buffer>({ max: 10_000 });

/** Only SHA-256 hashes of tokens are stored: somebody who reads the database cannot use them. */
export const hashToken = (token: string): Buffer => {
  const known = hashes.get(token);
  if (known !== undefined) return known;
  const hashed = hash("sha256", token, "buffer");
  // Longer texts are not ours, and would only take memory.
  if (token.length <= SESSION_TOKEN_LENGTH) hashes.set(token, hashed);
  return hashed;
};
