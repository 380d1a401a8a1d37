import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { firstCalls } from "../../core/derive/http/preload-requests.ts";
import type { Application } from "../../core/wire/application.ts";

/** A call that the page need not make: its address, and the answer as it would have come. */
export interface Given {
  readonly address: string;
  /** The language of the document in which it is said. */
  readonly language: string;
  /** Whether that is the one that the person chose, whatever their browser asks for. */
  readonly chosen: boolean;
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

/** What says who asks, in which language and from where. Everything else of a page's request is about the page. */
const HEADERS = ["host", "cookie", "accept-language", "user-agent", "x-forwarded-for", "x-forwarded-host"] as const;

/**
 * What a page asks for first, answered with it: the application, and then what its address shows. Each is the very call that
 * the page would make, so that it says neither more nor less; what fails is left for the page to ask.
 */
export async function* givenWith(app: FastifyInstance, request: FastifyRequest): AsyncGenerator<Given> {
  const given = Object.fromEntries(HEADERS.map((name) => [name, request.headers[name]]).filter(([, value]) => value));
  const remoteAddress = request.socket.remoteAddress ?? "";
  const call = async (address: string, headers: IncomingHttpHeaders) => {
    const answer = await app.inject({ method: "GET", url: address, headers, remoteAddress });
    return { address, status: answer.statusCode, headers: answer.headers, body: answer.body };
  };
  const first = await call("/_/application", given);
  if (first.status !== 200) return;
  const application = JSON.parse(first.body) as Application;
  const { locale: language, person } = application;
  const chosen = person?.looked === undefined && person?.preferences.language === language;
  yield { ...first, language, chosen };
  // What is shown and what is said of it are in one language.
  const headers = chosen ? { ...given, "accept-language": language } : given;
  const [path = "/", search = ""] = request.url.split("?");
  const calls = firstCalls(application, path, new URLSearchParams(search));
  const asked = calls.map(async ({ path, query }) => {
    return call(query.length === 0 ? path : `${path}?${new URLSearchParams(query)}`, headers);
  });
  for (const answer of await Promise.allSettled(asked))
    if (answer.status === "fulfilled" && answer.value.status < 500) yield { ...answer.value, language, chosen };
}
