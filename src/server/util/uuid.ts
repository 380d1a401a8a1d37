import { randomUUID } from "node:crypto";

/** A UUID of version 7 (RFC 9562): ordered by the millisecond in which it was made, random beyond it. */
export const newId = (now: Date): string => {
  const time = now.getTime().toString(16).padStart(12, "0");
  // Version 4 has its variant and its random bits where version 7 has them; Node draws them many at a time.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
};
