import type { FastifyRequest } from "fastify";
import type { Environment } from "../core/model/environment.ts";
import type { Authenticator } from "./auth/authenticate.ts";
import type { TurnOf } from "./auth/fair-share.ts";
import type { SignInLog } from "./auth/sign-in-log.ts";
import type { MinPosition } from "./execution/read.ts";
import type { Service } from "./execution/service.ts";
import type { Site } from "./http/origin.ts";
import type { Responder } from "./http/respond.ts";

/** The context of every route: authentication, responses and services. */
export interface RouteContext extends Responder, Authenticator {
  readonly service: Service;
  readonly clock: () => Date;
  /** The log of sign-ins. */
  readonly signIns: SignInLog;
  /** Base of links in mails; null if mail is not configured. */
  readonly mailOrigin: string | null;
  /** The position that a standby must have replayed to answer a request; undefined if only the primary may. */
  readonly findMinPosition: (request: FastifyRequest) => MinPosition;
  /** The environment variables that the document names. */
  readonly environment: Environment;
  readonly takeTurn: TurnOf;
  readonly site: Site;
}
