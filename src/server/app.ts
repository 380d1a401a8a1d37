import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerFactory,
  LogController,
} from "fastify";
import type { Compiled } from "../core/compile.ts";
import { serveAccounts } from "./account-calls.ts";
import { answersOf } from "./answers.ts";
import { serveApplication } from "./application-calls.ts";
import type { Authoring } from "./authoring.ts";
import { serveAuthoring } from "./authoring-calls.ts";
import { Bearers } from "./bearers.ts";
import { Bodies } from "./bodies.ts";
import { serveCalled } from "./called-calls.ts";
import { compressReplies } from "./compressed.ts";
import { otherSites } from "./cors.ts";
import { type Demonstration, isLoopback } from "./demonstration.ts";
import { serveDescription } from "./description.ts";
import type { Door } from "./door.ts";
import { serveElsewhere } from "./elsewhere.ts";
import type { Environment } from "./environment.ts";
import { shareFairly } from "./fair-share.ts";
import { answerFaults } from "./faults.ts";
import { serveFiles, UPLOADS } from "./files.ts";
import { givenWith } from "./given.ts";
import { headersOf } from "./headers.ts";
import { serveHeld } from "./held.ts";
import { hasBody, LARGEST_BODY, readJsonAlone } from "./json-bodies.ts";
import { logRequests, requestIds } from "./log.ts";
import { serveLooking } from "./looking.ts";
import { countAnswers, type Metrics } from "./metrics.ts";
import { serveNotifications } from "./notification-calls.ts";
import { serveOpenPoints } from "./open-points.ts";
import { programIn, servePage } from "./page.ts";
import { servePictures } from "./picture-calls.ts";
import { servePreferences } from "./preference-calls.ts";
import { serveProviders } from "./provider-calls.ts";
import { Providers } from "./providers.ts";
import { serveQuestions } from "./questions.ts";
import { serveRecords } from "./record-calls.ts";
import { refuse } from "./refusal.ts";
import type { RefusalLog } from "./refusal-log.ts";
import { serveScreens } from "./screen-calls.ts";
import type { Service } from "./service.ts";
import { serveSessions } from "./session-calls.ts";
import { SignInLog } from "./sign-in-log.ts";
import { serveSignUp } from "./sign-up-calls.ts";
import { isForeign, ownMachine, type Site } from "./site.ts";
import { Standing, serveStanding } from "./standing.ts";
import type { Traces } from "./traces.ts";
import { serveViews } from "./view-calls.ts";
import { serveVisits } from "./visit-calls.ts";
import { visitorsOf } from "./visitors.ts";
import { serveWhy } from "./why-calls.ts";

export interface AppOptions {
  readonly compiled: Compiled;
  readonly hash: string;
  readonly service: Service;
  readonly demonstration: Demonstration | null;
  readonly webRoot: string;
  readonly port: number;
  readonly log: FastifyBaseLogger;
  readonly clock: () => Date;
  /** The way to another document; null where this one stays. */
  readonly authoring: Authoring | null;
  /** Where requests come from, where it is not a server of the application's own. */
  readonly serverFactory?: FastifyServerFactory;
  readonly site?: Site;
  readonly environment?: Environment;
  /** Whether mails are sent. */
  readonly mails?: boolean;
  readonly standing?: Standing;
  readonly metrics?: Metrics | undefined;
  readonly traces?: Traces | undefined;
  readonly refusals?: RefusalLog | undefined;
  /** The log of sign-ins; by default the application creates one. */
  readonly signIns?: SignInLog;
}

/** How long a file may take to come, in milliseconds. */
const UPLOAD_PATIENCE = 900_000;

/** The document as an HTTP application: its calls under `/api`, the platform's own under `/_`, screens everywhere else. */
export const makeApp = async (options: AppOptions): Promise<FastifyInstance> => {
  const { compiled, service, demonstration, clock, metrics, refusals, site = ownMachine, environment = {} } = options;
  const { model, version } = service;
  const answers = answersOf(model, version, clock, { metrics, refusals, isDemonstration: demonstration !== null });
  const { refuseWith } = answers;
  const headers = headersOf(site, version);
  const app = Fastify({
    loggerInstance: options.log,
    bodyLimit: LARGEST_BODY,
    // Who takes longer than this to send a request keeps a connection from others; what is no file is given less (below).
    requestTimeout: UPLOAD_PATIENCE,
    genReqId: requestIds(site.proxies),
    trustProxy: site.proxies.length === 0 ? false : [...site.proxies],
    routerOptions: { maxParamLength: 200 },
    forceCloseConnections: "idle",
    ...(options.serverFactory === undefined ? {} : { serverFactory: options.serverFactory }),
    logController: new LogController({ disableRequestLogging: true }),
    // An address that cannot be read reaches no route and no hook.
    frameworkErrors: (_, __, reply) => void refuseWith(reply.headers(headers), refuse("MALFORMED")),
  });

  const others = otherSites(model, environment);
  const bearers = new Bearers();
  const { tongueIn } = answers;
  const signIns = options.signIns ?? new SignInLog(service.database, options.log);
  app.addHook("onClose", () => signIns.stop());
  const visitors = visitorsOf(app, { service, clock, site, port: options.port, others, bearers, tongueIn, signIns });
  const door: Door = {
    service,
    clock,
    signIns,
    mailsFrom: options.mails === true ? site.origin : null,
    ...answers,
    ...visitors,
    turnOf: shareFairly(app, bearers, visitors.tokenOf),
  };

  // What every request passes.
  logRequests(app, options.log);
  compressReplies(app);
  options.traces?.follow(app);
  if (metrics !== undefined) countAnswers(app, metrics);
  readJsonAlone(app, async (request) => (await door.personOf(request)) !== null);
  const bodies = new Bodies();
  app.addHook("onClose", (_, done) => {
    bodies.end();
    done();
  });
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(headers);
    if (others.meet(request, reply)) return;
    if (hasBody(request) && request.routeOptions.url !== UPLOADS) bodies.await(request.raw);
    if (
      (demonstration !== null && !isLoopback(request.hostname)) ||
      (!["GET", "HEAD", "OPTIONS"].includes(request.method) && isForeign(site, request) && !others.admits(request))
    )
      refuseWith(reply, refuse("FOREIGN_ORIGIN"));
    else done();
  });
  answerFaults(app, answers, metrics);

  // The document's calls.
  serveRecords(app, door, bearers);
  serveCalled(app, door);
  serveWhy(app, door);
  serveDescription(app, door);
  await serveFiles(app, door);

  // The platform's own.
  const providers = new Providers(model, environment);
  serveApplication(app, door, providers, demonstration);
  serveSessions(app, door, demonstration);
  serveSignUp(app, door);
  if (model.signIn.providers.length > 0) serveProviders(app, door, providers, site);
  serveLooking(app, door);
  serveAccounts(app, door);
  serveScreens(app, door, programIn(options.webRoot));
  serveViews(app, door);
  serveNotifications(app, door);
  serveVisits(app, door);
  servePreferences(app, door);
  servePictures(app, door);
  serveQuestions(app, door);
  serveOpenPoints(app, door, compiled, options.hash);
  if (options.authoring !== null) await serveAuthoring(app, options.authoring, door);
  serveHeld(app, door);
  serveStanding(app, options.standing ?? new Standing(service.database, () => version));

  serveElsewhere(app, door, await servePage(app, options.webRoot, (request) => givenWith(app, request)));
  return app;
};
