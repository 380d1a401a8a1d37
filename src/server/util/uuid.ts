import { randomUUID } from "node:crypto";

/** The last id: the time that it was asked for, the time that it has, and its count within that time. */
const last = { now: 0, time: 0, count: 0 };

/**
 * A version 7 UUID (RFC 9562). Ids that this process creates at one time are in the order of their creation, so that
 * imported rows keep that of their file: 12 bits count, from a random beginning.
 */
export const newId = (now: Date): string => {
  // Random bits are taken from a version 4 UUID, which Node generates in batches.
  const random = randomUUID();
  if (last.now !== now.getTime()) {
    last.now = last.time = now.getTime();
    last.count = Number.parseInt(random.slice(0, 3), 16) & 0x7ff;
  } else if (last.count < 0xfff) last.count++;
  else {
    last.time++;
    last.count = 0;
  }
  const time = last.time.toString(16).padStart(12, "0");
  const count = last.count.toString(16).padStart(3, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}${random.slice(18)}`;
};

/** The time of creation in a version 7 UUID. */
export const idTime = (id: string): Date => new Date(Number.parseInt(id.replace("-", "").slice(0, 12), 16));
