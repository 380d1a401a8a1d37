import { createHash } from "node:crypto";

/** The SHA-256 of a document's text, in hexadecimal. It identifies a version. */
export const hashDocument = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");
