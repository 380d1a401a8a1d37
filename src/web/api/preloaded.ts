import type { QueryClient } from "@tanstack/react-query";
import type { Application } from "../../core/wire/application.ts";
import type { ListJson } from "../../core/wire/lists.ts";
import { keys } from "./query-keys.ts";

/** Answers that came with the page are as fresh as those that are asked for, for so long after it was opened. */
const fresh = 8_000;

/** What follows an answer has been read, and so the answer is whole. */
const whole = (answer: HTMLElement): boolean =>
  answer.nextSibling !== null || answer.ownerDocument.readyState !== "loading";

const answersIn = (page: Document): readonly HTMLElement[] =>
  [...page.querySelectorAll<HTMLElement>("script[data-given]")].filter(whole);

const answerTo = (page: Document, address: string): HTMLElement | null =>
  answersIn(page).find(({ dataset }) => dataset.given === address) ?? null;

/** The answer to a call, as soon as it is there; null when the page is whole and it did not come. */
const arrived = (page: Document, address: string): Promise<HTMLElement | null> | HTMLElement | null => {
  const here = answerTo(page, address);
  if (here || page.readyState !== "loading") return here;
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

/** `language` is the one that somebody chose in this browser; the server knows of what they chose with their account alone. */
const understood = ({ dataset }: HTMLElement, language: string | null): boolean =>
  language === null || language === dataset.language || dataset.chosen === "true";

/**
 * Sends calls, but for those that the server answered with the page. Each answer serves once, while it is fresh and until
 * something is written.
 */
export const withGiven = (send: typeof fetch, browser: Window, language: () => string | null): typeof fetch => {
  const { document: page } = browser;
  let over = false;
  return async (address, asked) => {
    if ((asked?.method ?? "GET") !== "GET") over = true;
    if (!over && typeof address === "string" && browser.performance.now() < fresh) {
      const answer = await arrived(page, address);
      answer?.remove();
      if (answer && !over && understood(answer, language())) {
        const { status, type = "", version = "" } = answer.dataset;
        const headers = { "Content-Type": type, "Ninefold-Version": version };
        return new Response(answer.textContent, { status: Number(status), headers });
      }
    }
    return send(address, asked);
  };
};

/**
 * Puts what came with the page where it would be put when it was asked for, so that the first thing that is drawn is the
 * whole. What is not there yet is asked for as usual, and then taken from the page.
 */
export const takeGiven = (queries: QueryClient, page: Document, language: string | null): void => {
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
  const notifications = take("/_/notifications");
  if (notifications) queries.setQueryData(keys.notifications(id), { pages: [notifications], pageParams: [null] });
  for (const { dataset } of answersIn(page)) {
    const [path = "", query = ""] = dataset.given?.split("?") ?? [];
    const overview = path === "/_/overview" && take(dataset.given ?? "");
    if (overview) queries.setQueryData(keys.overview(new URLSearchParams(query).get("screen") ?? ""), overview);
    const list = Object.values(application.entities).some(({ calls }) => calls === path);
    const first = list && (take(dataset.given ?? "") as ListJson | undefined);
    const limit = Number(new URLSearchParams(query).get("limit"));
    if (first) queries.setQueryData(keys.list(path, query), { pages: [first], pageParams: [{ after: null, limit }] });
  }
};
