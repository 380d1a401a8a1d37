import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { brand, findButtonTones } from "../../core/derive/client/brand.ts";
import { choosePhrases } from "../../core/derive/client/localize.ts";
import type { Model } from "../../core/model/model.ts";
import { parseTextParam } from "../util/text-param.ts";

/**
 * Serves the script that shows a page without a connection, in the language of the query. The script stores nothing: the
 * page is a text in it. All other requests go to the server, so no page of an earlier build is ever shown. `program`
 * identifies the build: a new one replaces the script.
 */
export const serveOfflinePage = (app: FastifyInstance, model: Model, program: string): void => {
  app.get("/_/offline.js", (request, reply) =>
    reply
      .header("cache-control", "no-cache")
      // The script is for all addresses, although its own is below `/_/`.
      .header("service-worker-allowed", "/")
      .header("content-security-policy", "default-src 'none'; connect-src 'self'")
      .type("text/javascript; charset=utf-8")
      .send(writeWorker(renderPage(model, parseTextParam(request.query, "language")), program)),
  );
};

/** A text as a literal of a script. */
const quote = (text: string): string => JSON.stringify(text).replaceAll("<", "\\u003c");

const writeWorker = ({ html, policy }: OfflinePage, program: string): string => `// Build ${program}
const page = ${quote(html)};
const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": ${quote(policy)} };
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(registration.navigationPreload?.enable()));
addEventListener("fetch", (event) => {
  const { mode, method } = event.request;
  if (mode !== "navigate" || method !== "GET") return;
  event.respondWith(
    Promise.resolve(event.preloadResponse)
      .then((response) => response ?? fetch(event.request))
      .catch(() => new Response(page, { status: 503, headers })),
  );
});
`;

const themed = (colour: keyof typeof brand): string => `light-dark(${brand[colour].light},${brand[colour].dark})`;

interface OfflinePage {
  readonly html: string;
  readonly policy: string;
}

const renderPage = (model: Model, language: string): OfflinePage => {
  const phrases = choosePhrases(model, language);
  const { title, words, drafts, retry } = phrases.errors.offline;
  const heading = phrases.format(title, { application: phrases.say(model.name) });
  const { light, dark } = findButtonTones(model.accent);
  const style = `:root{color-scheme:light dark}[data-theme=light]{color-scheme:light}[data-theme=dark]{color-scheme:dark}
body{margin:0;min-block-size:100dvh;display:grid;place-items:center;font:15px/22px system-ui,sans-serif;background:${themed("canvas")};color:${themed("text")}}
main{max-inline-size:44ch;padding:24px;text-align:center}
svg{color:${themed("text-3")}}
h1{margin:16px 0 8px;font-size:20px;line-height:28px;font-weight:600;text-wrap:balance}
p{margin:0 0 8px;color:${themed("text-2")};text-wrap:balance}
a{display:inline-block;margin-block-start:16px;padding:11px 20px;border-radius:6px;background:light-dark(${light.fill},${dark.fill});color:light-dark(${light.on},${dark.on});font-weight:500;text-decoration:none}
a:hover{background:light-dark(${light.hover},${dark.hover})}
a:focus-visible{outline:2px solid light-dark(${light.fill},${dark.fill});outline-offset:2px}`;
  const script = `try{const theme=localStorage.getItem("theme shown");if(theme==="light"||theme==="dark")document.documentElement.dataset.theme=theme}catch{}
addEventListener("online",()=>location.reload())`;
  return {
    html: `<!doctype html><html lang="${phrases.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(heading)}</title><style>${style}</style><script>${script}</script></head><body><main><svg width="40" height="40" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M12 18h.01M9.2 15.2a4 4 0 0 1 5.6 0M6.3 12.3a8 8 0 0 1 3.5-2M13.7 10a8 8 0 0 1 4 2.3M3.5 9.5a12 12 0 0 1 3.6-2.4M10.6 6a12 12 0 0 1 9.9 3.5M3 3l18 18"/></svg><h1>${escapeHtml(heading)}</h1><p>${escapeHtml(words)}</p><p>${escapeHtml(drafts)}</p><a href="">${escapeHtml(retry)}</a></main></body></html>`,
    policy: `default-src 'none'; style-src ${hash(style)}; script-src ${hash(script)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
};

const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const escapeHtml = (text: string): string => text.replace(/[&<>"]/gu, (sign) => `&#${sign.charCodeAt(0)};`);
