import type { Principal } from "../../core/derive/authorization/grants.ts";
import type { CallStep, TakenField } from "../../core/model/endpoint.ts";
import { passwordFaults, unchangedPassword } from "../accounts/create-person.ts";
import { isPersonal } from "../auth/api-tokens.ts";
import { confirmPassword } from "../auth/password-sign-in.ts";
import type { Service } from "../execution/service.ts";
import type { Values } from "../intent.ts";
import { createNotice, type NoticeOrigin } from "../mail/security-notices.ts";
import { extractCredentials, relocateRefusal } from "../plan/custom-endpoints/endpoint-body.ts";
import type { NewPassword } from "../plan/endpoint-steps/run.ts";
import { SIGN_IN_CLAUSE, TOKEN_CLAUSE } from "../plan/write/account-change.ts";
import { type Refusal, refuse, refuseAt, typeMismatch } from "../refusal.ts";
import { hashPassword } from "../util/password-hash.ts";
import { hashToken } from "../util/token.ts";

/** The session of a request to a custom endpoint. */
export interface EndpointSession {
  readonly token: string | undefined;
  /** The token, if it was sent in the header `Authorization`. */
  readonly sent: string | undefined;
  readonly noticeOrigin: NoticeOrigin;
  /** Logs a wrong current password. */
  readonly logWrong: (person: string, code: string) => void;
}

/**
 * Checks and hashes the new password that a request sends for its caller, before the call is planned. Undefined if it
 * sends none, or if nobody is signed in, which the plan refuses. Attempts to guess the current password are limited.
 */
export const readNewPassword = async (
  service: Service,
  steps: readonly CallStep[],
  body: Values,
  { principal, now }: { readonly principal: Principal; readonly now: Date },
  session: EndpointSession,
): Promise<NewPassword | Refusal | undefined> => {
  const takes = steps.flatMap((step) => step.takes ?? []).filter((take) => take.isCredential === true);
  const { password, current_password: current } = extractCredentials(takes, body);
  const { id } = principal;
  if (password === undefined || id === null) return undefined;
  // API tokens cannot manage accounts.
  if (session.token === undefined || isPersonal(session.token)) return refuse("FORBIDDEN", TOKEN_CLAUSE);
  if (typeof password !== "string") return notText(takes, "password");
  const { database, model } = service;
  const asksCurrent = takes.some(({ field }) => field === "current_password");
  if (asksCurrent && typeof current !== "string") return notText(takes, "current_password");
  const [row] = await database.query({
    text: `select u."name", u."email" from app."user" u where u."id" = $1`,
    values: [id],
  });
  const accountWords = { name: String(row?.name ?? ""), email: String(row?.email ?? "") };
  const wrong = await passwordFaults(model, password, accountWords);
  if (wrong.length > 0) return relocateRefusal({ takes }, refuseAt(wrong));
  if (typeof current === "string") {
    const isConfirmed = await confirmPassword(
      database,
      { person: id, password: current },
      model.limits.signInAttempts,
      now,
    );
    if (isConfirmed !== true) session.logWrong(id, isConfirmed === false ? "WRONG_PASSWORD" : isConfirmed.code);
    if (isConfirmed === false)
      return relocateRefusal(
        { takes },
        refuseAt([{ at: "/current_password", code: "WRONG_PASSWORD", clause: SIGN_IN_CLAUSE, values: {} }]),
      );
    if (isConfirmed !== true) return isConfirmed;
    if (current === password) return relocateRefusal({ takes }, refuseAt([unchangedPassword]));
  }
  const notice = await createNotice(service, id, session.noticeOrigin, now, (words, name, by) =>
    words.passwordSet(name, by),
  );
  const change = {
    person: id,
    password: await hashPassword(password),
    link: null,
    keptSession: hashToken(session.token),
  };
  return { change, notice };
};

const notText = (takes: readonly TakenField[], field: string): Refusal =>
  relocateRefusal({ takes }, refuseAt([typeMismatch(`/${field}`, SIGN_IN_CLAUSE, { field, type: "text" })]));
