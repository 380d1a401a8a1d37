import type { Site } from "./origin.ts";

const YEAR = 31_536_000;

/**
 * Headers of every response: no embedding, no scripts, no caching. The page has its own policy (`server/pages/spa.ts`).
 */
export const buildSecurityHeaders = (site: Site, version: number): Readonly<Record<string, string>> => ({
  "content-security-policy": "default-src 'none';frame-ancestors 'none';base-uri 'none'",
  // The application uses none of these browser features.
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
