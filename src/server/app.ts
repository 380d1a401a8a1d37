import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerFactory,
  LogController,
} from "fastify";
import type { Compiled } from "../core/compile.ts";
import type { Environment } from "../core/model/environment.ts";
import { serveOwnAccount } from "./accounts/account-routes.ts";
import { servePictures } from "./accounts/avatar-routes.ts";
import { serveImpersonation } from "./accounts/impersonation-routes.ts";
import { Providers } from "./accounts/oidc.ts";
import { serveProviders } from "./accounts/oidc-routes.ts";
import { servePasswordLinks } from "./accounts/password/password-link-routes.ts";
import { servePeople } from "./accounts/people-routes.ts";
import { servePreferences } from "./accounts/preference-routes.ts";
import { serveSignUp } from "./accounts/registration-routes.ts";
import { serveSessions } from "./accounts/session-routes.ts";
import { serveUnsubscribe } from "./accounts/unsubscribe-routes.ts";
import { createAuthenticator } from "./auth/authenticate.ts";
import { type Demonstration, isLoopback } from "./auth/demo-sign-in.ts";
import { shareFairly } from "./auth/fair-share.ts";
import { followPositions } from "./auth/read-positions.ts";
import { SignInLog } from "./auth/sign-in-log.ts";
import { LastKnownSessions } from "./auth/speculative-session.ts";
import type { Authoring } from "./authoring/authoring.ts";
import { serveAuthoring } from "./authoring/authoring-routes.ts";
import { serveOutboundHold } from "./authoring/outbound-hold-routes.ts";
import { type InPreview, type Previews, serveInPreview, servePreviews } from "./authoring/preview-routes.ts";
import { serveUnsent } from "./authoring/unsent-routes.ts";
import { serveCustomEndpoints } from "./custom-endpoints/endpoint-routes.ts";
import type { Service } from "./execution/service.ts";
import { serveWhy } from "./explain/explain-routes.ts";
import { serveOpenPoints } from "./explain/open-point-routes.ts";
import { serveQuestions } from "./explain/question-routes.ts";
import { serveFiles, takesFile } from "./files/file-routes.ts";
import { UploadQuota } from "./files/upload-quota.ts";
import { Bodies } from "./http/body-timeout.ts";
import { compressReplies } from "./http/compression.ts";
import { type OtherSites, otherSites } from "./http/cors.ts";
import { handleErrors } from "./http/error-handler.ts";
import { hasBody, MAX_BODY_BYTES, readJsonAlone } from "./http/json-body.ts";
import { isForeign, ownMachine, type Site } from "./http/origin.ts";
import type { FindNewer } from "./http/repeat-request.ts";
import { createResponder } from "./http/respond.ts";
import { buildSecurityHeaders } from "./http/security-headers.ts";
import { serveDrafts } from "./imports/draft-routes.ts";
import { serveImports } from "./imports/import-routes.ts";
import { ImportRunner } from "./imports/import-runner.ts";
import { Readiness, serveReadiness } from "./lifecycle/readiness.ts";
import { serveDocs } from "./pages/docs.ts";
import { serveInstallation } from "./pages/installation.ts";
import { serveNotFound } from "./pages/not-found.ts";
import { serveOfflinePage } from "./pages/offline-page.ts";
import { preloadResponses } from "./pages/preload.ts";
import { identifyProgram, servePage } from "./pages/spa.ts";
import { serveProposals } from "./proposals/proposal-routes.ts";
import { serveDeletions } from "./records/deletion-routes.ts";
import { serveDeputies } from "./records/deputies/deputy-routes.ts";
import { serveLetters } from "./records/letter-routes.ts";
import { serveMailedTransitions } from "./records/mailed-transition-routes.ts";
import { serveApplication } from "./records/manifest-routes.ts";
import { serveNotifications } from "./records/notification-routes.ts";
import { serveDescription } from "./records/openapi-routes.ts";
import { serveRecords } from "./records/record-routes.ts";
import { serveScreens } from "./records/screen-routes.ts";
import { serveTransitionTrials } from "./records/transition-trial-routes.ts";
import { serveTrash } from "./records/trash-routes.ts";
import { serveViews } from "./records/view-routes.ts";
import { serveVisits } from "./records/visit-routes.ts";
import { refuse } from "./refusal.ts";
import type { RouteContext } from "./route-context.ts";
import { serveSamples } from "./sample/sample-routes.ts";
import { createRequestLog, logRequests, requestIds } from "./telemetry/log.ts";
import { countAnswers, type Metrics } from "./telemetry/metrics.ts";
import type { RefusalLog } from "./telemetry/refusal-log.ts";
import type { Traces } from "./telemetry/tracing.ts";

export interface AppOptions {
  readonly compiled: Compiled;
  readonly hash: string;
  readonly service: Service;
  readonly demonstration: Demonstration | null;
  readonly webRoot: string;
  readonly port: number;
  readonly log: FastifyBaseLogger;
  readonly clock: () => Date;
  /** Changes the document; null if it cannot be changed. */
  readonly authoring: Authoring | null;
  /** Set for a preview of a draft. */
  readonly preview?: InPreview | undefined;
  /** Starts previews; null if this application cannot. */
  readonly previews?: Previews | null;
  /** Creates the HTTP server, if not the application itself. */
  readonly serverFactory?: FastifyServerFactory;
  readonly site?: Site;
  readonly environment?: Environment;
  /** True if mail is configured. */
  readonly mails?: boolean;
  readonly readiness?: Readiness;
  /** By default finds none. */
  readonly findNewer?: FindNewer;
  readonly metrics?: Metrics | undefined;
  readonly traces?: Traces | undefined;
  readonly refusals?: RefusalLog | undefined;
  /** The log of sign-ins; by default the application creates one. */
  readonly signIns?: SignInLog;
}

/** Time limit for an upload. */
const UPLOAD_TIMEOUT_MS = 900_000;

const compileNoSchema = (): never => {
  throw new Error("Routes have no JSON schemas.");
};

/**
 * Serves a document as an HTTP application: its API under `/api`, platform calls under `/_`, screens everywhere else.
 */
export const createApp = async (options: AppOptions): Promise<FastifyInstance> => {
  const { service, demonstration, clock, metrics, refusals, site = ownMachine, environment = {} } = options;
  const { model, version } = service;
  const responder = createResponder(model, version, clock, {
    metrics,
    refusals,
    isDemonstration: demonstration !== null,
  });
  const { sendRefusal } = responder;
  const headers = buildSecurityHeaders(site, version);
  const app = Fastify({
    loggerInstance: options.log,
    bodyLimit: MAX_BODY_BYTES,
    // Limits slow requests. Bodies other than files have a shorter limit (below).
    requestTimeout: UPLOAD_TIMEOUT_MS,
    genReqId: requestIds(site.proxies),
    trustProxy: site.proxies.length === 0 ? false : [...site.proxies],
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: true },
    // By default, each start loads two compilers of JSON schemas.
    schemaController: { compilersFactory: { buildValidator: compileNoSchema, buildSerializer: compileNoSchema } },
    forceCloseConnections: "idle",
    ...(options.serverFactory === undefined ? {} : { serverFactory: options.serverFactory }),
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: createRequestLog,
    // An invalid address reaches no route and no hook.
    frameworkErrors: (_, __, reply) => void sendRefusal(reply.headers(headers), refuse("MALFORMED")),
  });

  const others = otherSites(model, environment);
  const lastKnownSessions = new LastKnownSessions();
  const { phrasesFor } = responder;
  const signIns = options.signIns ?? new SignInLog(service.database, options.log);
  app.addHook("onClose", () => signIns.stop());
  const authenticator = createAuthenticator(app, {
    service,
    clock,
    site,
    port: options.port,
    others,
    lastKnownSessions,
    phrasesFor,
    signIns,
  });
  const routeContext: RouteContext = {
    service,
    site,
    clock,
    signIns,
    mailOrigin: options.mails === true ? site.origin : null,
    environment,
    ...responder,
    ...authenticator,
    findMinPosition: await followPositions(app, service.database, authenticator),
    takeTurn: shareFairly(app, lastKnownSessions, authenticator.readToken),
  };

  // Hooks for every request.
  logRequests(app, options.log);
  await compressReplies(app);
  options.traces?.follow(app);
  if (metrics !== undefined) countAnswers(app, metrics);
  readJsonAlone(app, async (request) => (await routeContext.authenticate(request)) !== null);
  receiveRequests(app, routeContext, headers, others, demonstration !== null);
  handleErrors(app, responder, metrics, options.findNewer ?? (() => Promise.resolve(undefined)));

  await serveDocumentCalls(app, routeContext, lastKnownSessions, options.log);
  await servePlatformCalls(app, routeContext, options);
  serveDocs(app, options.webRoot);
  serveInstallation(app, model);
  serveOfflinePage(app, model, identifyProgram(options.webRoot));
  serveNotFound(app, routeContext, await servePage(app, options.webRoot, (request) => preloadResponses(app, request)));
  return app;
};

/**
 * Hooks that begin every request: security headers, preflight requests of other sites, a limit to the time in which a
 * body must arrive, and the refusal of foreign origins.
 */
const receiveRequests = (
  app: FastifyInstance,
  { site, sendRefusal }: RouteContext,
  headers: ReturnType<typeof buildSecurityHeaders>,
  others: OtherSites,
  isDemonstration: boolean,
): void => {
  const bodies = new Bodies();
  app.addHook("onClose", (_, done) => {
    bodies.end();
    done();
  });
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(headers);
    if (others.handle(request, reply)) return;
    // Some clients name a type without sending a body.
    if (!hasBody(request)) delete request.raw.headers["content-type"];
    if (hasBody(request) && !takesFile(request.routeOptions.url)) bodies.await(request.raw);
    if (
      (isDemonstration && !isLoopback(request.hostname)) ||
      (!["GET", "HEAD", "OPTIONS"].includes(request.method) && isForeign(site, request) && !others.admits(request))
    )
      sendRefusal(reply, refuse("FOREIGN_ORIGIN"));
    else done();
  });
};

/** The calls that follow from the document: records, files, imports, and the calls of point 7. */
const serveDocumentCalls = async (
  app: FastifyInstance,
  routeContext: RouteContext,
  lastKnownSessions: LastKnownSessions,
  log: FastifyBaseLogger,
): Promise<void> => {
  await serveRecords(app, routeContext, lastKnownSessions);
  serveCustomEndpoints(app, routeContext);
  serveWhy(app, routeContext);
  serveDescription(app, routeContext);
  const { database, model } = routeContext.service;
  const quota = new UploadQuota(database, model.limits.uploadSize);
  await serveFiles(app, { ...routeContext, quota });
  const imports = new ImportRunner(routeContext.service, routeContext.clock, log);
  await serveImports(app, routeContext, { runner: imports, quota });
  await serveDrafts(app, routeContext);
  app.addHook("onReady", (done) => {
    imports.start();
    done();
  });
  app.addHook("onClose", () => imports.stop());
};

/** The calls under `/_`, which every application has. */
const servePlatformCalls = async (
  app: FastifyInstance,
  routeContext: RouteContext,
  options: AppOptions,
): Promise<void> => {
  const { compiled, hash, demonstration, authoring, preview, environment = {} } = options;
  const { model, version, database } = routeContext.service;
  const isPreview = preview !== undefined;

  // People and their sign-in.
  const providers = new Providers(model, environment);
  serveApplication(app, routeContext, providers, { demonstration, environment, preview: preview?.about });
  serveSessions(app, routeContext, demonstration, isPreview);
  serveSignUp(app, routeContext);
  if (model.signIn.providers.length > 0) serveProviders(app, routeContext, providers, routeContext.site);
  serveImpersonation(app, routeContext);
  servePeople(app, routeContext);
  serveSamples(app, routeContext);
  servePasswordLinks(app, routeContext);
  serveOwnAccount(app, routeContext);
  servePreferences(app, routeContext);
  servePictures(app, routeContext);

  // Screens.
  serveScreens(app, routeContext, identifyProgram(options.webRoot));
  serveLetters(app, routeContext);
  serveViews(app, routeContext);
  serveNotifications(app, routeContext);
  serveUnsubscribe(app, routeContext);
  serveMailedTransitions(app, routeContext);
  serveVisits(app, routeContext);
  serveDeletions(app, routeContext);
  serveDeputies(app, routeContext);
  serveTransitionTrials(app, routeContext);
  serveTrash(app, routeContext);

  // The document and its versions.
  serveQuestions(app, routeContext);
  serveOpenPoints(app, routeContext, compiled, hash);
  if (authoring !== null) {
    await serveAuthoring(app, authoring, routeContext);
    await serveProposals(app, authoring, routeContext);
  }
  if (options.previews != null) await servePreviews(app, options.previews, { hash, version }, routeContext);
  if (isPreview) serveInPreview(app, preview, routeContext);

  // Operation.
  serveUnsent(app, routeContext, isPreview);
  serveOutboundHold(app, routeContext, isPreview);
  serveReadiness(app, options.readiness ?? new Readiness(database, () => version));
};
