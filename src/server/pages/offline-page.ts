import type { FastifyInstance } from "fastify";
import { choosePhrases } from "../../core/derive/client/localize.ts";
import type { Model } from "../../core/model/model.ts";
import { parseTextParam } from "../util/text-param.ts";
import { renderStandalonePage, type StandalonePage } from "./standalone-page.ts";

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

const writeWorker = ({ html, policy }: StandalonePage, program: string): string => `// Build ${program}
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

/** Waves that do not arrive. */
const ICON =
  "M12 18h.01M9.2 15.2a4 4 0 0 1 5.6 0M6.3 12.3a8 8 0 0 1 3.5-2M13.7 10a8 8 0 0 1 4 2.3M3.5 9.5a12 12 0 0 1 3.6-2.4M10.6 6a12 12 0 0 1 9.9 3.5M3 3l18 18";

/**
 * Asks the server after one second, then after twice as long each time, up to a minute, and at once when the connection or
 * the reader is back: only the server may have been stopped. A proxy answers for a stopped server, too. A redirect, such as
 * to a sign-in elsewhere, is not followed: the page cannot read other origins.
 */
const RETRY = `let pause = 1000, timer;
const ask = () => {
  clearTimeout(timer);
  fetch(location.href, { method: "HEAD", cache: "no-store", redirect: "manual" })
    .then(({ status }) => status < 500 ? location.reload() : wait(), () => wait());
};
const wait = () => {
  timer = setTimeout(ask, pause);
  pause = Math.min(2 * pause, 60000);
};
const askNow = () => {
  pause = 1000;
  ask();
};
addEventListener("online", askNow);
document.addEventListener("visibilitychange", () => document.hidden || askNow());
wait();`;

const renderPage = (model: Model, language: string): StandalonePage => {
  const phrases = choosePhrases(model, language);
  const { title, words, drafts, retry } = phrases.errors.offline;
  return renderStandalonePage(model, phrases, {
    title: phrases.format(title, { application: phrases.say(model.name) }),
    paragraphs: [words, drafts],
    link: { href: "", text: retry },
    icon: ICON,
    script: RETRY,
    connects: true,
  });
};
