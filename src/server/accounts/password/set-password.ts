import type { SignedIn } from "../../auth/sessions.ts";
import { execute } from "../../execution/execute.ts";
import type { Service } from "../../execution/service.ts";
import { createNotice, type NoticeOrigin } from "../../mail/security-notices.ts";
import { type Plan, planTogether } from "../../plan/plan.ts";
import { type PasswordChange, planPasswordChange } from "../../plan/write/password-change.ts";
import { type Refusal, refuseAt } from "../../refusal.ts";
import { hashPassword } from "../../util/password-hash.ts";
import { hashToken } from "../../util/token.ts";
import { passwordFaults } from "../create-person.ts";

/** Changes the user's own password. This session remains; all others and all tokens end. */
export const changeOwnPassword = async (
  service: Service,
  person: SignedIn,
  { password, sessionToken }: { readonly password: string; readonly sessionToken: string },
  now: Date,
  noticeOrigin: NoticeOrigin,
): Promise<Refusal | null> => {
  const [row] = await service.database.query({
    text: `select u."name", u."email" from app."user" u where u."id" = $1`,
    values: [person.id],
  });
  const wrong = await passwordFaults(service.model, password, {
    name: String(row?.name ?? ""),
    email: String(row?.email ?? ""),
  });
  if (wrong.length > 0) return refuseAt(wrong);
  return setPassword(
    service,
    { person: person.id, password, link: null, keptSession: hashToken(sessionToken) },
    now,
    noticeOrigin,
  );
};

export const setPassword = async (
  service: Service,
  /** The new password itself. */
  set: PasswordChange,
  now: Date,
  /** Null to send no mail. */
  noticeOrigin: NoticeOrigin | null,
  /** A further write of the same transaction, such as that of a corrected name. */
  further: Plan | null = null,
): Promise<Refusal | null> => {
  const notice =
    noticeOrigin === null
      ? null
      : await createNotice(service, set.person, noticeOrigin, now, (words, name, by) => words.passwordSet(name, by));
  const hashed = await hashPassword(set.password);
  const own: SignedIn = { id: set.person, name: "", granted: new Set(), impersonator: null };
  const plan = planPasswordChange(service.context, { ...set, password: hashed }, service.caller(own, now), notice);
  const outcome =
    further === null
      ? await execute(service.database, plan)
      : await execute(service.database, planTogether(plan, further));
  return outcome.kind === "refusal" ? outcome : null;
};
