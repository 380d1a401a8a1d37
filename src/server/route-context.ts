import type { Visitors } from "./auth/authenticate.ts";
import type { TurnOf } from "./auth/fair-share.ts";
import type { SignInLog } from "./auth/sign-in-log.ts";
import type { Service } from "./execution/service.ts";
import type { Answers } from "./http/respond.ts";

/** What every call has: who asks, how they are answered, and what does the work. */
export interface Door extends Answers, Visitors {
  readonly service: Service;
  readonly clock: () => Date;
  /** The log of sign-ins. */
  readonly signIns: SignInLog;
  /** The origin that links in mails begin with; null where no mails are sent. */
  readonly mailsFrom: string | null;
  readonly turnOf: TurnOf;
}
