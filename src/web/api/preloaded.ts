import type { QueryClient } from "@tanstack/react-query";
import type { Application } from "../../core/wire/application.ts";
import type { ListJson } from "../../core/wire/lists.ts";
import { keys } from "./query-keys.ts";

/** Milliseconds for which inlined responses count as fresh. */
const fresh = 8_000;

/** True if the element is complete, because something follows it. */
const isComplete = (answer: HTMLElement): boolean =>
  answer.nextSibling !== null || answer.ownerDocument.readyState !== "loading";

const findAnswers = (page: Document): readonly HTMLElement[] =>
  [...page.querySelectorAll<HTMLElement>("script[data-given]")].filter(isComplete);

const answerTo = (page: Document, address: string): HTMLElement | null =>
  findAnswers(page).find(({ dataset }) => dataset.given === address) ?? null;

/** The inlined response to a call, as soon as it has arrived; null if the page is complete without it. */
const findPreloaded = (page: Document, address: string): Promise<HTMLElement | null> | HTMLElement | null => {
  const response = answerTo(page, address);
  if (response || page.readyState !== "loading") return response;
  return new Promise((resolve) => {
    const look = () => {
      const answer = answerTo(page, address);
      if (!answer && page.readyState === "loading") return;
      watch.disconnect();
      page.removeEventListener("DOMContentLoaded", look);
      resolve(answer);
    };
    const watch = new MutationObserver(look);
    watch.observe(page, { childList: true, subtree: true });
    page.addEventListener("DOMContentLoaded", look);
  });
};

/** `language` is the one chosen in this browser; the server knows only the one stored with the account. */
const understood = ({ dataset }: HTMLElement, language: string | null): boolean =>
  language === null || language === dataset.language || dataset.chosen === "true";

/**
 * Wraps `fetch` to use the responses inlined into the page. Each is used once, while it is fresh and before the first
 * write.
 */
export const withPreloaded = (send: typeof fetch, browser: Window, language: () => string | null): typeof fetch => {
  const { document: page } = browser;
  let over = false;
  return async (address, options) => {
    if ((options?.method ?? "GET") !== "GET") over = true;
    if (!over && typeof address === "string" && browser.performance.now() < fresh) {
      const answer = await findPreloaded(page, address);
      answer?.remove();
      if (answer && !over && understood(answer, language())) {
        const { status, type = "", version = "" } = answer.dataset;
        const headers = { "Content-Type": type, "Ninefold-Version": version };
        return new Response(answer.textContent, { status: Number(status), headers });
      }
    }
    return send(address, options);
  };
};

/**
 * Puts inlined responses into the query cache, so that the first render is complete. Those not yet arrived are awaited
 * by their query.
 */
export const takePreloaded = (queries: QueryClient, page: Document, language: string | null): void => {
  const take = (address: string): unknown => {
    const answer = answerTo(page, address);
    if (answer?.dataset.status !== "200" || !understood(answer, language)) return undefined;
    answer.remove();
    return JSON.parse(answer.textContent);
  };
  const application = take("/_/application") as Application | undefined;
  if (!application) return;
  queries.setQueryData(keys.application, application);
  if (application.person === null) return;
  const { id } = application.person;
  queries.setQueryData(keys.views(id), take("/_/views"));
  const notifications = take("/_/notifications?label=true");
  if (notifications) queries.setQueryData(keys.notifications(id), { pages: [notifications], pageParams: [null] });
  for (const { dataset } of findAnswers(page)) {
    const [path = "", query = ""] = dataset.given?.split("?") ?? [];
    const overview = path === "/_/overview" && take(dataset.given ?? "");
    if (overview) queries.setQueryData(keys.overview(new URLSearchParams(query).get("screen") ?? ""), overview);
    const list = Object.values(application.entities).some(({ calls }) => calls === path);
    const first = list && (take(dataset.given ?? "") as ListJson | undefined);
    const limit = Number(new URLSearchParams(query).get("limit"));
    if (first) queries.setQueryData(keys.list(path, query), { pages: [first], pageParams: [{ after: null, limit }] });
  }
};
