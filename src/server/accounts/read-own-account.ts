import type { Phrases } from "../../core/explain/language.ts";
import { ADMINISTRATOR } from "../../core/model/permissions.ts";
import type { OwnAccountJson } from "../../core/wire/accounts/account.ts";
import { canHaveTokens, listTokens } from "../auth/api-tokens.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { listOwnSignIns } from "../auth/sign-in-log.ts";
import type { Service } from "../execution/service.ts";
import { SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { accountColumns, toAccountJson } from "./accounts.ts";
import { openSessions } from "./open-sessions.ts";
import { findClosingCall, findRenameRefusal } from "./own-account.ts";
import { readRoleRelations } from "./role-relations.ts";

/** The user's own account and sessions. */
export const readOwnAccount = async (
  service: Service,
  person: SignedIn,
  token: string | undefined,
  { now, phrases }: { readonly now: Date; readonly phrases: Phrases },
): Promise<Omit<OwnAccountJson, "mails" | "reports"> | Refusal> => {
  const [row] = await service.database.query({
    text: `select ${accountColumns} from app."user" u where u."id" = $2`,
    values: [now.toISOString(), person.id],
  });
  if (row === undefined) return refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE);
  const { name, email, roles, password, sample } = toAccountJson(row);
  const settings = service.model.callSettings.token;
  const [relations, renameRefused] = await Promise.all([
    readRoleRelations(service, person, { now, phrases }),
    findRenameRefusal(service, { principal: person, now, phrases }),
  ]);
  return {
    name,
    email,
    roles,
    relations,
    password,
    sample,
    renameRefused,
    closes: findClosingCall(service.model, person) !== undefined,
    open: await openSessions(service, { person: person.id, token, named: false }, now),
    recent: await listOwnSignIns(service.database, person.id),
    tokens:
      settings === null || !canHaveTokens(service.model, person)
        ? null
        : {
            items: await listTokens(service, person.id),
            longest: settings.longestDays,
            header: settings.header,
            scheme: settings.scheme,
            roles: roles.filter((role) => role !== ADMINISTRATOR && service.model.roles.has(role)),
          },
  };
};
