import type { Call } from "../../core/model/endpoint.ts";
import { JsonText, type Outcome } from "../plan/outcome.ts";

/** An HTTP response. `body` is JSON, or a `JsonText`. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const statusCodes: Readonly<Record<Outcome["kind"], number>> = {
  found: 200,
  created: 201,
  changed: 200,
  done: 204,
  accepted: 202,
};

/** The HTTP reply for an outcome. `call`: a custom endpoint, whose own status and headers take precedence. */
export const toHttpReply = (outcome: Outcome, call?: Pick<Call, "status" | "headers">): HttpReply => {
  const headers: Record<string, string> = {};
  if (outcome.kind === "created" && outcome.location !== null) headers.location = outcome.location;
  if ("version" in outcome && outcome.version !== null) headers.etag = `"${outcome.version}"`;
  for (const [name, value] of call?.headers ?? []) headers[name] = value;
  const body = "body" in outcome ? outcome.body : undefined;
  const usual = outcome.kind === "changed" && body === undefined ? statusCodes.done : statusCodes[outcome.kind];
  return { status: call?.status ?? usual, headers, body };
};

/** The body of an outcome as a plain value. */
export const readJsonBody = ({ body }: { readonly body: unknown }): unknown =>
  body instanceof JsonText ? JSON.parse(body.text) : body;
