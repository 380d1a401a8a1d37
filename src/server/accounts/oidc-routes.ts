import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { signInLine } from "../auth/sign-in-log.ts";
import { isSecure, type Site } from "../http/origin.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";
import { findOrCreatePerson, type Providers, type SignInFlow } from "./oidc.ts";

/** Time limit for signing in at a provider. */
const SIGN_IN_SECONDS = 600;
const PATH = "/_/providers";
/** Over HTTPS, the `__Host-` prefix ensures that only this host can set the cookie. */
const getCookieName = (isSecure: boolean) =>
  isSecure ? { name: "__Host-sign-in", path: "/", secure: true } : { name: "sign-in", path: PATH, secure: false };

/** A path within the application; anything else becomes the start page. */
const toLocalPath = (to: string): string => (/^\/(?![/\\])[^\s\\]*$/u.test(to) ? to : "/");

/** Sign-in through providers. Errors are logged; the user only learns that the sign-in failed. */
export const serveProviders = (
  app: FastifyInstance,
  routeContext: RouteContext,
  providers: Providers,
  site: Site,
): void => {
  const returnAddress = (request: FastifyRequest, name: string): string => {
    const origin = site.origin ?? `${request.protocol}://${request.host}`;
    return `${origin}${PATH}/${encodeURIComponent(name)}/return`;
  };
  const flowCookie = (request: FastifyRequest, flow: SignInFlow | null): string => {
    const until = new Date(routeContext.clock().getTime() + SIGN_IN_SECONDS * 1_000);
    return stringifySetCookie({
      ...getCookieName(isSecure(site, request)),
      value: flow === null ? "" : (providers.seal(flow, until) ?? ""),
      httpOnly: true,
      // The provider redirects back from another site.
      sameSite: "lax",
      maxAge: flow === null ? 0 : SIGN_IN_SECONDS,
    });
  };
  const readFlow = (request: FastifyRequest, provider: string): SignInFlow | undefined => {
    const sealed = parseCookie(request.headers.cookie ?? "")[getCookieName(isSecure(site, request)).name];
    return sealed === undefined ? undefined : providers.unseal(provider, sealed, routeContext.clock());
  };
  const redirectFailed = (reply: FastifyReply, code: string): FastifyReply =>
    reply.redirect(`/sign-in#failed=${code}`, 303);

  app.get(`${PATH}/:name`, async (request, reply) => {
    const { name } = request.params as { readonly name: string };
    try {
      const started = await providers.startSignIn(
        name,
        returnAddress(request, name),
        toLocalPath(parseTextParam(request.query, "to")),
      );
      if (started === undefined) return redirectFailed(reply, "NO_SUCH_PROVIDER");
      return reply.header("set-cookie", flowCookie(request, started.flow)).redirect(started.url.href, 303);
    } catch (error) {
      request.log.error({ err: error, provider: name }, "an identity provider cannot be reached");
      return redirectFailed(reply, "PROVIDER_AWAY");
    }
  });

  app.get(`${PATH}/:name/return`, async (request, reply) => {
    const { name } = request.params as { readonly name: string };
    const flow = readFlow(request, name);
    reply.header("set-cookie", flowCookie(request, null));
    if (flow === undefined) return redirectFailed(reply, "PROVIDER_REFUSED");
    const address = new URL(returnAddress(request, name));
    address.search = request.url.split("?").slice(1).join("?");
    const claims = await providers.finishSignIn(flow, address).catch((error: unknown) => {
      request.log.warn(
        { err: getLoggedCode(error), provider: name },
        "the answer of an identity provider is not valid",
      );
      return undefined;
    });
    const refuseSignIn = (code: string, account = ""): FastifyReply => {
      routeContext.signIns.add(
        signInLine(request, { way: "provider", person: null, account, refused: code }, routeContext.clock()),
      );
      return redirectFailed(reply, code);
    };
    if (claims === undefined) return refuseSignIn("PROVIDER_REFUSED");
    const person = await findOrCreatePerson(routeContext.service, claims, routeContext.clock());
    if (typeof person !== "string") return refuseSignIn("NOT_INVITED", claims.email ?? "");
    const token = await routeContext.begin(request, person, "provider");
    routeContext.setSessionCookie(request, reply, token);
    request.isAhead = true;
    return reply.redirect(toLocalPath(flow.to), 303);
  });
};

/** Returns only the error code: the details may contain a token. */
const getLoggedCode = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${"code" in error ? String(error.code) : error.message}` : "unknown";
