import { randomUUID } from "node:crypto";

/** A version 7 UUID (RFC 9562): sorted by millisecond, otherwise random. */
export const newId = (now: Date): string => {
  const time = now.getTime().toString(16).padStart(12, "0");
  // Variant and random bits are taken from a version 4 UUID, which Node generates in batches.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
};

/** The time of creation in a version 7 UUID. */
export const idTime = (id: string): Date => new Date(Number.parseInt(id.replace("-", "").slice(0, 12), 16));
