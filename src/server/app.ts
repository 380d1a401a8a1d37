import type { IncomingMessage } from "node:http";
import { parseCookie, stringifySetCookie } from "cookie";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
  LogController,
} from "fastify";
import type { Compiled } from "../core/compile.ts";
import { gatesOf, isAdministrator, nobody, type Person } from "../core/derive/access.ts";
import { applicationOf } from "../core/derive/application.ts";
import { routesOf } from "../core/derive/routes.ts";
import { languageFor, languagesOf, sayingIn, tongueFor, translated } from "../core/derive/translated.ts";
import { languagesAsked } from "../core/explain/tongue.ts";
import { defaults } from "../core/model/defaults.ts";
import type { Application, SignInJson } from "../core/wire/application.ts";
import type { Problem } from "../core/wire/problems.ts";
import { type Door, serveAccounts, textIn } from "./account-calls.ts";
import { ask } from "./ask.ts";
import type { Authoring } from "./authoring.ts";
import { serveAuthoring } from "./authoring-calls.ts";
import { Bearers, performTogether } from "./bearers.ts";
import { Bodies } from "./bodies.ts";
import { serveCalled } from "./called-calls.ts";
import { compressReplies } from "./compressed.ts";
import { otherSites } from "./cors.ts";
import { type Demonstration, isLoopback } from "./demonstration.ts";
import { descriptionsOf } from "./description.ts";
import type { Environment } from "./environment.ts";
import { serveFiles, UPLOADS } from "./files.ts";
import { makeFirstAdministrator } from "./first-administrator.ts";
import { givenWith } from "./given.ts";
import { headersOf } from "./headers.ts";
import { serveHeld } from "./held.ts";
import { logRequests, requestId } from "./log.ts";
import { serveLooking } from "./looking.ts";
import type { Metrics } from "./metrics.ts";
import { serveNotifications } from "./notification-calls.ts";
import { openPointsOf } from "./open-points.ts";
import { servePage } from "./page.ts";
import { servePictures } from "./picture-calls.ts";
import { MANAGES, SIGN_IN, TOKEN } from "./plan/account.ts";
import { JsonText, type Reply } from "./plan/action.ts";
import { movedTo } from "./plan/past.ts";
import { serveProviders } from "./provider-calls.ts";
import { Providers } from "./providers.ts";
import { serveQuestions } from "./questions.ts";
import { forbid, problemOf, type Refusal, Refused, refuse, shapedAs } from "./refusal.ts";
import { type RefusalLog, refusedOf } from "./refusal-log.ts";
import { serveScreens } from "./screen-calls.ts";
import type { Service } from "./service.ts";
import { beginSession, endSession, readSession, type SignedIn } from "./sessions.ts";
import { checkPassword } from "./sign-in.ts";
import { serveSignUp } from "./sign-up-calls.ts";
import { cookieName, isForeign, isSecure, ownMachine, type Site } from "./site.ts";
import { Standing } from "./standing.ts";
import { bearerIn, isOverrun, isPersonal, tokenQuery } from "./tokens.ts";
import type { Traces } from "./traces.ts";
import { unavailable } from "./unavailable.ts";
import { serveViews } from "./view-calls.ts";
import { serveVisits } from "./visit-calls.ts";
import { answerWhy, permissionsFor, withReasons } from "./why.ts";

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
}

declare module "fastify" {
  interface FastifyRequest {
    /** The id of the person who asks, once their session was read. */
    who: string | null;
  }
}

/** Requests larger than this are no records. */
const LARGEST_BODY = 1024 * 1024;

const UPLOAD_PATIENCE = 900_000;

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** How long a body that nobody wants may still come, in milliseconds. */
const LONGEST_PASSING = 10_000;

/** Lets the rest of a body go by unread: a client that is cut off while it sends never sees the answer. */
const passedBy = (body: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    const patience = setTimeout(resolve, LONGEST_PASSING);
    const done = () => {
      clearTimeout(patience);
      resolve();
    };
    body.once("end", done).once("close", done).resume();
  });

/** JSON is UTF-8 (RFC 8259); what is not is refused rather than mended. */
const decode = (body: Buffer): string => {
  try {
    return utf8.decode(body);
  } catch (cause) {
    throw Object.assign(new Error("the body is not UTF-8", { cause }), { statusCode: 400 });
  }
};

const isRefusal = (given: unknown): given is Refusal =>
  typeof given === "object" && given !== null && "kind" in given && given.kind === "refusal";

/** Who is not signed in is asked to sign in before being told that something is not theirs. */
const isAnonymous = (person: Person, { code }: Refusal): boolean =>
  person.id === null && (code === "FORBIDDEN" || code === "NOT_FOUND");

/** The document as an HTTP application: its calls under `/api`, the platform's own under `/_`, screens everywhere else. */
export const makeApp = async (options: AppOptions): Promise<FastifyInstance> => {
  const { compiled, service, demonstration, clock, metrics, refusals, site = ownMachine, environment = {} } = options;
  const standing = options.standing ?? new Standing(service.database, () => version);
  const { model, version } = service;
  /** The language in which who asks is told what is refused. */
  const tongueIn = ({ headers }: FastifyRequest) => tongueFor(model, headers["accept-language"]);
  /** The language of the document in which somebody reads it. */
  const languageIn = ({ headers }: FastifyRequest) => languageFor(model, languagesAsked(headers["accept-language"]));
  const { errorShape } = model.callSettings;
  const fail = (reply: FastifyReply, problem: Problem): FastifyReply => {
    const isShaped = errorShape !== null && reply.request.routeOptions.config?.shown === true;
    return reply
      .code(problem.status)
      .header("content-type", `application/${isShaped ? "json" : "problem+json"}; charset=utf-8`)
      .send(JSON.stringify(isShaped ? shapedAs(errorShape, problem) : problem));
  };
  const refuseWith = (reply: FastifyReply, refusal: Refusal): FastifyReply => {
    const { entity } = reply.request.routeOptions.config ?? {};
    const problem = problemOf(model, refusal, tongueIn(reply.request), entity);
    metrics?.refused(problem.code);
    refusals?.add(refusedOf(reply.request, problem, version, clock()));
    return fail(reply, problem);
  };

  const headers = headersOf(site, version);
  const app = Fastify({
    loggerInstance: options.log,
    bodyLimit: LARGEST_BODY,
    // Who takes longer than this to send a request keeps a connection from others; what is no file is given less (below).
    requestTimeout: UPLOAD_PATIENCE,
    genReqId: requestId,
    trustProxy: site.proxies.length === 0 ? false : [...site.proxies],
    routerOptions: { maxParamLength: 200 },
    forceCloseConnections: "idle",
    ...(options.serverFactory === undefined ? {} : { serverFactory: options.serverFactory }),
    logController: new LogController({ disableRequestLogging: true }),
    // An address that cannot be read reaches no route and no hook.
    frameworkErrors: (_, __, reply) => void refuseWith(reply.headers(headers), refuse("MALFORMED")),
  });

  app.decorateRequest("who", null);
  logRequests(app, options.log);
  compressReplies(app);
  options.traces?.follow(app);
  if (metrics !== undefined)
    app.addHook("onResponse", (request, reply, done) => {
      // An address that is no route is one of many: its own would be a series for each.
      const route = request.routeOptions.url ?? "(page)";
      metrics.answered(request.method, route, reply.statusCode, reply.elapsedTime / 1_000);
      done();
    });

  let name: string | undefined;
  /** Known once the server listens, and asked for by every request. */
  const cookie = (): string => {
    if (name !== undefined) return name;
    const address = app.server.address();
    if (typeof address !== "object" || address === null) return cookieName(site, options.port);
    name = cookieName(site, address.port);
    return name;
  };
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request: FastifyRequest, body: Buffer, done) => {
    // Many clients announce JSON whether they send any or not.
    if (body.length === 0) return done(null, undefined);
    try {
      parse(request, decode(body), done);
    } catch (error) {
      done(error as Error);
    }
  });
  const { scheme = "Bearer" } = model.callSettings.token ?? {};
  const borneBy = ({ headers: { authorization = "" } }: FastifyRequest): string | undefined => {
    const [, word, token] = /^(\S+) +(\S+)$/u.exec(authorization) ?? [];
    return word?.toLowerCase() === scheme.toLowerCase() ? token : undefined;
  };
  const tokenOf = (request: FastifyRequest): string | undefined => {
    const borne = borneBy(request);
    const given = request.headers.cookie;
    if (borne !== undefined || given === undefined || (isForeign(site, request) && others.admits(request)))
      return borne;
    const cookies = parseCookie(given);
    return cookies[cookie()] ?? cookies.session;
  };
  const bearers = new Bearers();
  /** Who bears a token for programs. It opens the document's calls, and nothing by which people are managed. */
  const bearerOf = async (request: FastifyRequest, token: string): Promise<SignedIn> => {
    // By the route, and not by the address: that can be written in more than one way.
    const bearer = (request.routeOptions.url ?? "/_/").startsWith("/_/")
      ? null
      : bearerIn(model, (await service.database.query(tokenQuery(token, clock())))[0]);
    if (bearer === null) {
      const overrun = await isOverrun(service.database, request.ip, model.limits.signInAttempts, clock());
      throw new Refused(overrun ? refuse("TOO_MANY_ATTEMPTS", "9.sign_in_attempts") : refuse("NOT_SIGNED_IN", TOKEN));
    }
    request.who = bearer.id;
    if (bearer.reads && !["GET", "HEAD"].includes(request.method))
      throw new Refused(forbid(TOKEN, tongueIn(request).sentences.onlyReads));
    return bearer;
  };
  const personOf = async (request: FastifyRequest): Promise<SignedIn | null> => {
    const token = tokenOf(request);
    if (token !== undefined && isPersonal(token)) return bearerOf(request, token);
    const person = token === undefined ? null : await readSession(service.database, token, clock());
    if (token !== undefined) bearers.saw(token, person);
    // What is done while looking as somebody else is done by who looks.
    request.who = person?.looker ?? person?.id ?? null;
    if (person !== null && person.looker !== null && !["GET", "HEAD"].includes(request.method))
      throw new Refused(forbid(MANAGES, tongueIn(request).sentences.onlyLooking(person.name)));
    return person;
  };

  /** A cookie that lives for no second is taken away. */
  const sessionCookie = (
    request: FastifyRequest,
    token: string,
    seconds: number,
    { name = cookie(), path = "/" }: { readonly name?: string; readonly path?: string } = {},
  ): string =>
    stringifySetCookie({
      name,
      value: token,
      httpOnly: true,
      sameSite: "lax",
      secure: isSecure(site, request),
      path,
      maxAge: seconds,
    });

  const others = otherSites(model, environment);
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

  app.setErrorHandler(
    async (error: Error & { readonly code?: string; readonly statusCode?: number }, request, reply) => {
      const { away: words } = tongueIn(request).messages;
      const away = unavailable(error, request.id, words);
      if (away !== undefined) {
        request.log.warn({ because: away.because }, away.problem.code);
        metrics?.refused(away.problem.code);
        return fail(reply.header("retry-after", String(away.seconds)), away.problem);
      }
      if (error instanceof Refused) return refuseWith(reply, error.refusal);
      if (error.statusCode === 413) {
        await passedBy(request.raw);
        return refuseWith(reply, refuse("TOO_MUCH"));
      }
      if (error.statusCode === 415) return refuseWith(reply, refuse("UNSUPPORTED"));
      if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
        return refuseWith(reply, refuse("MALFORMED"));
      request.log.error({ err: error }, "a fault");
      return fail(reply, {
        type: "about:blank",
        title: "Fault",
        status: 500,
        code: "FAULT",
        detail: "This could not be done, and the fault is the program's.",
        ...words?.FAULT,
        reference: request.id,
      });
    },
  );

  const answer = (reply: FastifyReply, person: Person, outcome: Reply | Refusal): FastifyReply => {
    if (outcome.kind === "reply") {
      const { status, headers, body } = outcome;
      if (!(body instanceof JsonText)) return reply.code(status).headers(headers).send(body);
      return reply.code(status).headers(headers).type("application/json; charset=utf-8").send(body.text);
    }
    return refuseWith(reply, isAnonymous(person, outcome) ? refuse("NOT_SIGNED_IN", outcome.clause) : outcome);
  };

  // The document's conventional calls.
  for (const route of routesOf(model)) {
    app.route({
      method: route.method,
      url: route.path,
      config: {
        entity: route.entity,
        action: route.does.kind === "transition" ? route.does.transition : route.does.kind,
      },
      handler: async (request, reply) => {
        const intent = ask(
          route,
          {
            params: request.params as Readonly<Record<string, string>>,
            query: request.query as Readonly<Record<string, string | readonly string[] | undefined>>,
            body: request.body,
            ifMatch: request.headers["if-match"],
            idempotencyKey: request.headers["idempotency-key"] as string | undefined,
          },
          model,
        );
        const token = tokenOf(request);
        const together =
          isRefusal(intent) || token === undefined
            ? undefined
            : await performTogether(service, bearers, token, intent, { now: clock(), tongue: tongueIn(request) });
        if (together !== undefined) request.who = together.person.id;
        const person = together?.person ?? (await personOf(request)) ?? nobody;
        if (isRefusal(intent)) return refuseWith(reply, intent);
        const outcome = together?.outcome ?? (await service.perform(intent, person, clock(), tongueIn(request)));
        const told =
          outcome.kind === "reply" || isAnonymous(person, outcome)
            ? outcome
            : await withReasons(service, intent, outcome, { person, now: clock(), tongue: tongueIn(request) });
        return answer(reply, person, told);
      },
    });
  }

  const description = descriptionsOf(model, version);
  app.get("/api/openapi.json", async (request, reply) =>
    reply.type("application/json; charset=utf-8").send(description((await personOf(request)) ?? nobody, cookie())),
  );

  app.get("/api/why", async (request, reply) => {
    const person = await personOf(request);
    if (person === null) return refuseWith(reply, refuse("NOT_SIGNED_IN", SIGN_IN));
    const { query } = request;
    const asked = {
      do: textIn(query, "do"),
      record: textIn(query, "record"),
      field: textIn(query, "field"),
      as: textIn(query, "as"),
    };
    const answer = await answerWhy(service, asked, { person, now: clock(), tongue: tongueIn(request) });
    return isRefusal(answer) ? refuseWith(reply, answer) : reply.send(answer);
  });

  app.get("/_/permissions", async (request, reply) => {
    const person = await personOf(request);
    if (person === null) return refuseWith(reply, refuse("NOT_SIGNED_IN", SIGN_IN));
    const { query } = request;
    const asked = { of: textIn(query, "of"), record: textIn(query, "record"), as: textIn(query, "as") };
    const answer = await permissionsFor(service, asked, { person, now: clock(), tongue: tongueIn(request) });
    return isRefusal(answer) ? refuseWith(reply, answer) : reply.send(answer);
  });

  await serveFiles(app, { service, clock, personOf, refuseWith });

  // The platform's own.
  const providers = new Providers(model, environment);
  const { signUp } = model.signIn;
  const signIn = (): SignInJson => ({
    password: model.signIn.password,
    signUp: {
      open: signUp !== null,
      clause: signUp?.clause.id ?? "SIGN_UP_CLOSED",
      because: defaults.SIGN_UP_CLOSED.inForce,
      emails: signUp?.emails ?? null,
    },
    providers: providers.offered().map(({ name, title }) => ({ name, label: title })),
    ...(demonstration === null ? {} : { demonstration: demonstration.people }),
  });

  app.get("/_/application", async (request, reply) => {
    const person = await personOf(request);
    const language = languageIn(request);
    const drawn = applicationOf(model, person ?? nobody, tongueIn(request));
    const body: Application = {
      ...(language === model.locale ? drawn : translated(drawn, language, sayingIn(model, language))),
      languages: languagesOf(model),
      version,
      person:
        person === null
          ? null
          : {
              id: person.id,
              name: person.name,
              roles: [...person.granted],
              everybody: [...model.roles.values()]
                .filter(({ members }) => members !== "granted")
                .map(({ name }) => name),
              administrator: isAdministrator(person),
              ...(person.looker === null ? {} : { looked: true as const }),
            },
      signIn: signIn(),
    };
    return reply.send(body);
  });

  const begin = (request: FastifyRequest, person: string): Promise<string> => {
    const whence = { agent: request.headers["user-agent"] ?? "", address: request.ip };
    return beginSession(service.database, person, model.limits.sessionHours, clock(), whence);
  };
  const remember = (request: FastifyRequest, reply: FastifyReply, token: string): void =>
    void reply.header("set-cookie", sessionCookie(request, token, model.limits.sessionHours * 3600));
  const admit = async (request: FastifyRequest, reply: FastifyReply, person: string): Promise<FastifyReply> => {
    remember(request, reply, await begin(request, person));
    return reply.code(204).send();
  };
  const dismiss = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const token = tokenOf(request);
    if (token !== undefined) await endSession(service.database, token);
    reply.header("set-cookie", sessionCookie(request, "", 0));
  };

  app.post("/_/session", async (request, reply) => {
    const shown = textIn(request.body, "demonstration");
    if (shown !== "") {
      const person = demonstration?.personBy(shown);
      return person === undefined
        ? refuseWith(reply, refuse("BAD_CREDENTIALS", "7.sign in"))
        : admit(request, reply, person);
    }
    if (!model.signIn.password) return refuseWith(reply, refuse("BAD_CREDENTIALS", "7.sign in"));
    const person = await checkPassword(
      service.database,
      { email: textIn(request.body, "email"), password: textIn(request.body, "password"), address: request.ip },
      model.limits.signInAttempts,
      clock(),
    );
    return isRefusal(person) ? refuseWith(reply, person) : admit(request, reply, person);
  });

  app.delete("/_/session", async (request, reply) => {
    await dismiss(request, reply);
    return reply.code(204).send();
  });

  app.post("/_/first-administrator", async (request, reply) => {
    const { body } = request;
    const made = await makeFirstAdministrator(
      service,
      textIn(body, "token"),
      { name: textIn(body, "name"), email: textIn(body, "email"), password: textIn(body, "password") },
      clock(),
    );
    return isRefusal(made) ? refuseWith(reply, made) : admit(request, reply, made);
  });

  const personBy = (token: string) => readSession(service.database, token, clock());
  const door: Door = {
    service,
    clock,
    tongueIn,
    mailsFrom: options.mails === true ? site.origin : null,
    tokenOf,
    personOf,
    personBy,
    begin,
    remember,
    dismiss,
    admit,
    refuseWith,
    answer,
  };
  serveCalled(app, door);
  serveSignUp(app, door);
  serveHeld(app, door);
  if (model.signIn.providers.length > 0) serveProviders(app, door, providers, site);
  serveAccounts(app, door);
  serveScreens(app, door);
  serveViews(app, door);
  serveNotifications(app, door);
  serveVisits(app, door);
  servePictures(app, door);
  serveQuestions(app, door);
  serveLooking(app, door, { name: cookie, cookieOf: sessionCookie });
  if (options.authoring !== null) serveAuthoring(app, options.authoring, door);

  app.get("/_/open-points", async (request, reply) => {
    const person = await personOf(request);
    if (person === null) return refuseWith(reply, refuse("NOT_SIGNED_IN", "7.sign in"));
    if (!isAdministrator(person)) return refuseWith(reply, refuse("FORBIDDEN", "ADMINISTRATORS_ONLY"));
    return reply.send(openPointsOf(compiled, version, options.hash));
  });

  app.get("/healthz", (_, reply) => reply.send({ ok: true }));
  app.get("/readyz", async (_, reply) => {
    const stands = await standing.ask();
    return reply.code(stands.ok ? 200 : 503).send(stands);
  });

  const page = await servePage(app, options.webRoot, (request) => givenWith(app, request));
  app.setNotFoundHandler(async (request, reply) => {
    const asked = request.url.split("?")[0] ?? "";
    const isScreen =
      (request.method === "GET" || request.method === "HEAD") && !/^\/(?:api|_|assets)(?:\/|$)/u.test(asked);
    if (isScreen) return page(request, reply);
    const moved = movedTo(model, service.context.past, asked);
    const none = refuse("NO_SUCH_CALL");
    if (moved === undefined) return refuseWith(reply, none);
    // A new name is told to those alone who may know of what bears it.
    const person = (await personOf(request)) ?? nobody;
    const isOpen = gatesOf(model, moved.entity, "read", person).length > 0;
    return refuseWith(
      reply,
      isOpen ? { ...none, clause: moved.entity.clause.id, message: `This is at ${moved.address} now.` } : none,
    );
  });
  return app;
};
