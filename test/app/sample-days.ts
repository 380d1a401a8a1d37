import { day } from "../turns.ts";

/** A usual Monday, on which the acts of stories stay where they are told. */
export const USUAL_DAY = "2026-06-15T09:00:00Z";

/**
 * Days on which samples are not what they are on a usual one: each other day of a week, the ends of months and years, the
 * day of a leap year, the days on which clocks change, and the half hours around midnight of a zone.
 */
const unusualDays = [
  "2026-12-31T22:30:00Z",
  "2026-06-20T09:00:00Z",
  "2026-12-28T09:00:00Z",
  "2028-02-29T09:00:00Z",
  "2026-06-21T21:30:00Z",
  "2027-01-01T12:00:00Z",
  "2026-10-25T00:30:00Z",
  "2026-06-19T22:30:00Z",
  "2026-01-31T23:30:00Z",
  "2026-03-29T00:30:00Z",
  "2026-06-16T09:00:00Z",
  "2026-12-26T09:00:00Z",
  "2027-01-02T09:00:00Z",
  "2026-06-17T21:30:00Z",
  "2026-04-30T22:30:00Z",
  "2026-12-30T23:30:00Z",
  "2028-02-28T23:30:00Z",
  "2026-06-18T09:00:00Z",
  "2027-01-03T23:30:00Z",
  "2027-03-01T08:00:00Z",
] as const;

/** The usual day and two others, which change from day to day; `STORY_DAYS=all` or `STORY_DAYS="2026-12-31T22:30:00Z …"` decides. */
export const sampleDays: readonly string[] =
  process.env.STORY_DAYS === "all"
    ? [USUAL_DAY, ...unusualDays]
    : (process.env.STORY_DAYS?.split(" ") ?? [
        USUAL_DAY,
        ...[0, 1].map((i) => unusualDays[(2 * day + i) % unusualDays.length] as string),
      ]);
