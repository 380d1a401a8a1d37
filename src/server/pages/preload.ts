import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { firstCalls } from "../../core/derive/http/preload-requests.ts";
import type { Application } from "../../core/wire/application.ts";

/** A response inlined into the page: its address, and the response as the call would have returned it. */
export interface PreloadedResponse {
  readonly address: string;
  /** The language of the response. */
  readonly language: string;
  /** True if the person chose the language, which overrides the browser's. */
  readonly chosen: boolean;
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

/** Headers that identify the caller, the language and the origin. All others concern only the page itself. */
const HEADERS = ["host", "cookie", "accept-language", "user-agent", "x-forwarded-for", "x-forwarded-host"] as const;

/**
 * Yields the first responses that a page needs: the manifest, then the content of its screen. Each is an ordinary call
 * on behalf of the user, so it has the same permissions. The page repeats calls that fail.
 */
export async function* preloadResponses(
  app: FastifyInstance,
  request: FastifyRequest,
): AsyncGenerator<PreloadedResponse> {
  const forwarded = Object.fromEntries(
    HEADERS.map((name) => [name, request.headers[name]]).filter(([, value]) => value),
  );
  const remoteAddress = request.socket.remoteAddress ?? "";
  const call = async (address: string, headers: IncomingHttpHeaders) => {
    const answer = await app.inject({ method: "GET", url: address, headers, remoteAddress });
    return { address, status: answer.statusCode, headers: answer.headers, body: answer.body };
  };
  const first = await call("/_/application", forwarded);
  if (first.status !== 200) return;
  const application = JSON.parse(first.body) as Application;
  const { locale: language, person } = application;
  const chosen = person?.looked === undefined && person?.preferences.language === language;
  yield { ...first, language, chosen };
  // Interface and content must be in the same language.
  const headers = chosen ? { ...forwarded, "accept-language": language } : forwarded;
  const [path = "/", search = ""] = request.url.split("?");
  const calls = firstCalls(application, path, new URLSearchParams(search));
  const responses = calls.map(async ({ path, query }) => {
    return call(query.length === 0 ? path : `${path}?${new URLSearchParams(query)}`, headers);
  });
  for (const answer of await Promise.allSettled(responses))
    if (answer.status === "fulfilled" && answer.value.status < 500) yield { ...answer.value, language, chosen };
}
