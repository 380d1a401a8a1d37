import type { Logger } from "pino";
import { callsThatWait, type Environment } from "../../core/model/environment.ts";
import type { Model } from "../../core/model/model.ts";
import { listMissingSettings } from "../accounts/oidc.ts";
import { unsetOrigins } from "../http/cors.ts";

/** Warns of settings that the document needs and the environment lacks. `mails`: true if mails with links can be sent. */
export const logMissingSettings = (
  log: Pick<Logger, "warn">,
  model: Model,
  environment: Environment,
  mails: boolean,
): void => {
  for (const line of [...listMissingSettings(model, environment), ...unsetOrigins(model, environment)]) log.warn(line);
  for (const [call, names] of callsThatWait(model, environment))
    log.warn(`Calls to “${call}” wait: set ${names.join(" and ")}, and start again to send them.`);
  if (model.signIn.signUp !== null && !mails)
    log.warn(
      "No emails are sent, so people who register wait for an administrator. To send emails, set NINEFOLD_SMTP, NINEFOLD_MAIL_FROM and --origin.",
    );
};
