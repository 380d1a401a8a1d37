import type { Site } from "./origin.ts";

const YEAR = 31_536_000;

/**
 * What every answer bears: a browser that gets one keeps it from nobody's pages, runs nothing of it and keeps no copy.
 * The page has a policy of its own in place of this one (`page.ts`).
 */
export const headersOf = (site: Site, version: number): Readonly<Record<string, string>> => ({
  "content-security-policy": "default-src 'none';frame-ancestors 'none';base-uri 'none'",
  // A browser asks nobody for these in the name of our pages, which use none of them.
  "permissions-policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "SAMEORIGIN",
  ...(site.origin?.startsWith("https:") === true
    ? { "strict-transport-security": `max-age=${YEAR}; includeSubDomains` }
    : {}),
  "cache-control": "no-store",
  "ninefold-version": String(version),
});
