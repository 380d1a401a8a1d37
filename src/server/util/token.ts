import { hash, randomBytes } from "node:crypto";

/** Only SHA-256 hashes of tokens are stored: somebody who reads the database cannot use them. */
export const hashToken = (token: string): Buffer => hash("sha256", token, "buffer");

export const newToken = (): string => randomBytes(32).toString("base64url");

/** Number of characters of each token of `newToken`, and so of each session token. */
export const SESSION_TOKEN_LENGTH = 43;
