import type { Answers } from "./answers.ts";
import type { TurnOf } from "./fair-share.ts";
import type { Service } from "./service.ts";
import type { SignInLog } from "./sign-in-log.ts";
import type { Visitors } from "./visitors.ts";

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
