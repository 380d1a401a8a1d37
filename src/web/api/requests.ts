import type { DraftJson } from "../../core/wire/authoring/document.ts";
import type { Json } from "../../core/wire/json.ts";
import { CallFailed, readFailure } from "./api-error.ts";
import { createOnce } from "./dedupe-mutations.ts";

export type Body = { readonly [field: string]: Json };

/** Observations about responses. */
export interface Notices {
  /** Version of the document that answered. */
  version(version: number): void;
  /** Reachability of the server and its database. */
  reached(how: "reached" | "away" | "unreachable"): void;
  /** True if the device has no network. */
  isOffline(): boolean;
  /** A proxy answered that the server did not. */
  answeredByProxy(): void;
  signedOut(): void;
  /** The preview that answered has ended. */
  previewEnded(): void;
}

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  readonly body?: Body | DraftJson;
  readonly headers?: { readonly [name: string]: string };
  readonly signal?: AbortSignal | undefined;
  /** The response is about the password or link that is sent, not about the session. */
  readonly signingIn?: boolean;
  /** The call changes nothing, so that asking again is no mistake. */
  readonly isReading?: boolean;
  /** In milliseconds. */
  readonly timeout?: number;
  /** The request continues after the page is left. */
  readonly keepalive?: boolean;
}

/** Requests to the server. A request that fails throws a `CallFailed`. */
export interface Requests {
  /** Returns the JSON of the response. */
  read<T>(path: string, options?: RequestOptions): Promise<T>;
  /** For calls whose response has no content. */
  act(path: string, options: RequestOptions): Promise<void>;
}

const USUAL_TIMEOUT = 30_000;

/** A unique key. `crypto.randomUUID` requires HTTPS, which a server in a local network may not have. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export const pathTo = (path: string, ...segments: readonly string[]): string =>
  [path, ...segments.map(encodeURIComponent)].join("/");

export const createRequests = (send: typeof fetch, notices: Notices): Requests => {
  const writeOnce = createOnce<Response>();

  const request = async (path: string, options: RequestOptions): Promise<Response> => {
    const { method = "GET", body, headers } = options;
    if (method === "GET" || options.isReading) return sendRequest(path, options);
    const what = JSON.stringify([method, path, body, headers?.["If-Match"]]);
    return (await writeOnce(what, () => sendRequest(path, options))).clone();
  };

  const sendRequest = async (
    path: string,
    {
      method = "GET",
      body,
      headers,
      signal,
      signingIn = false,
      keepalive = false,
      timeout = USUAL_TIMEOUT,
    }: RequestOptions,
  ): Promise<Response> => {
    const limit = AbortSignal.timeout(timeout);
    const isOffline = notices.isOffline();
    let response: Response;
    try {
      response = await send(path, {
        method,
        headers: { Accept: "application/json", ...(body && { "Content-Type": "application/json" }), ...headers },
        body: body ? JSON.stringify(body) : null,
        keepalive,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
    } catch (cause) {
      if (signal?.aborted) throw cause;
      notices.reached("unreachable");
      throw new CallFailed({ kind: "unreachable", ...(isOffline && { isUnsent: true }) }, cause);
    }
    const version = Number(response.headers.get("Ninefold-Version"));
    if (version > 0) notices.version(version);
    if (response.ok) {
      notices.reached("reached");
      return response;
    }
    if (response.headers.get("Ninefold-Preview") === "ended") notices.previewEnded();
    const failure = await readFailure(response, signingIn);
    if (failure.kind === "unreachable") notices.answeredByProxy();
    else notices.reached(failure.kind === "away" ? "away" : "reached");
    if (failure.kind === "signed out") notices.signedOut();
    throw new CallFailed(failure);
  };

  return {
    read: async <T>(path: string, options: RequestOptions = {}): Promise<T> => {
      const response = await request(path, options);
      try {
        return (await response.json()) as T;
      } catch (cause) {
        if (options.signal?.aborted) throw cause;
        throw new CallFailed({ kind: "broken", reference: null }, cause);
      }
    },
    act: async (path, options) => {
      await request(path, options);
    },
  };
};
