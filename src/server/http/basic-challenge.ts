import type { FastifyRequest } from "fastify";
import { isLeaving } from "../../core/model/endpoint.ts";
import type { Model } from "../../core/model/model.ts";
import { isPlatformRoute } from "./origin.ts";

/** The name of the application as a quoted string of a header: printable ASCII without quotes and backslashes. */
const toRealm = (name: string): string => name.normalize("NFKD").replace(/[^ !#-[\]-~]/gu, "");

/** True for a request by a script of a page. A browser would answer a challenge to it with a dialog of its own. */
const isFromScript = ({ headers: { "sec-fetch-mode": mode } }: FastifyRequest): boolean =>
  mode !== undefined && mode !== "navigate";

/**
 * The challenge of a response with status 401, for a call that takes a password with each request (RFC 7617). A call that signs
 * somebody in takes it in its body, so it asks for no other.
 */
export const findBasicChallenge = (
  { name, signIn }: Pick<Model, "name" | "signIn">,
  request: FastifyRequest,
): string | undefined => {
  const { config, url } = request.routeOptions;
  if (!signIn.basic || isPlatformRoute(url) || isFromScript(request)) return undefined;
  const does = config?.call?.does;
  const signsIn = does !== undefined && does.kind !== "steps" && !isLeaving(does);
  const sendsBasic = /^Basic /iu.test(request.headers.authorization ?? "");
  return signsIn && !sendsBasic ? undefined : `Basic realm="${toRealm(name)}", charset="UTF-8"`;
};
