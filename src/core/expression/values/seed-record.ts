import type { JsRecord } from "./value.ts";

/** The field with the key of a seed record. */
export const KEY = "key";

/** A seed record in expressions, such as `Kind.travel`. */
export interface SeedRecord extends JsRecord {
  readonly id: string;
  readonly key: string;
}

const MULTIPLIERS = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f] as const;

/**
 * Derives the id of a seed record from its name: a UUID of version 8 (RFC 9562). The id is equal in every database, so
 * a reference to a seed record is a constant.
 */
export const seedRecordId = (name: string): string => {
  const lanes = [1, 2, 3, 4];
  for (const character of name)
    for (const [lane, by] of MULTIPLIERS.entries()) {
      const mixed = Math.imul((lanes[lane] ?? 0) ^ (character.codePointAt(0) ?? 0), by);
      lanes[lane] = (mixed ^ (mixed >>> 15) ^ (lanes[(lane + 1) % 4] ?? 0)) >>> 0;
    }
  const text = lanes
    .map((lane) => Math.imul(lane ^ (lane >>> 13), 0x5bd1e995) >>> 0)
    .map(hex)
    .join("");
  const variant = "89ab"[Number.parseInt(text[16] ?? "0", 16) % 4];
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-8${text.slice(13, 16)}-${variant}${text.slice(17, 20)}-${text.slice(20)}`;
};

const hex = (lane: number): string => lane.toString(16).padStart(8, "0");
