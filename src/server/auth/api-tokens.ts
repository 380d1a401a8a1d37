import { holdsRole, type Principal } from "../../core/derive/authorization/grants.ts";
import type { Model } from "../../core/model/model.ts";
import { ADMINISTRATOR } from "../../core/model/permissions.ts";
import type { TokenJson, TokenMadeJson } from "../../core/wire/accounts/account.ts";
import type { Database, Query, Row } from "../../postgres/database.ts";
import { execute } from "../execution/execute.ts";
import type { Service } from "../execution/service.ts";
import { countAttempt } from "../limits/attempts.ts";
import { createNotice, type NoticeOrigin } from "../mail/security-notices.ts";
import { planAccount, TOKEN_CLAUSE } from "../plan/write/account-change.ts";
import { type Refusal, type RefusalAt, refuse, refuseAt, typeMismatch } from "../refusal.ts";
import { hashToken, newToken, SESSION_TOKEN_LENGTH } from "../util/token.ts";
import { networkLimit } from "./password-sign-in.ts";
import type { SignedIn } from "./sessions.ts";

/** Prefix of API tokens. It identifies a leaked token, and avoids looking for it among sessions. */
const PREFIX = "nf_";

/** True for an API token. One session token in 262,144 begins with the prefix by chance, but has another length. */
export const isPersonal = (token: string): boolean => token.startsWith(PREFIX) && token.length !== SESSION_TOKEN_LENGTH;

/** Maximum number of tokens per person. */
const MAX_TOKENS = 50;
const MAX_NAME_LENGTH = 80;

/** Finds the owner of a token and, at most once a minute, records its use, in one statement. */
export const buildTokenQuery = (token: string, now: Date): Query => ({
  name: "token",
  text: `with k as (select id, person, roles, reads, used_at from ninefold.token where token_hash = $1 and expires_at > $2),
              u as (update ninefold.token set used_at = $2 where id in (select id from k where used_at is null or used_at < $2::timestamptz - interval '1 minute'))
         select p."id", p."name", array_to_string(p."roles", ',') as "roles", array_to_string(k.roles, ',') as "narrowed", k.reads
         from k join app."user" p on p."id" = k.person where p."active"`,
  values: [hashToken(token), now.toISOString()],
});

const readTokenRoles = (text: unknown): readonly string[] => (text === "" ? [] : String(text).split(","));

/** The owner of a token. `granted` has the roles of the token, which may also be read-only. */
export interface TokenBearer extends SignedIn {
  readonly reads: boolean;
}

/** The owner in a row of `buildTokenQuery`; null if there is none, or if the document no longer lets them have a token. */
export const decodeBearer = (model: Model, row: Row | undefined): TokenBearer | null => {
  if (row === undefined) return null;
  const ownRoles = new Set(readTokenRoles(row.roles));
  const principal = { id: String(row.id), granted: ownRoles };
  if (!canHaveTokens(model, principal)) return null;
  const granted = new Set(readTokenRoles(row.narrowed).filter((role) => ownRoles.has(role)));
  return { id: principal.id, name: String(row.name), impersonator: null, granted, reads: row.reads === true };
};

/** True if the document lets a person create tokens. */
export const canHaveTokens = (model: Model, principal: Principal): boolean =>
  model.callSettings.token?.by.some((role) => holdsRole(model, role, principal)) === true;

/** Counts an invalid token from an address. True if it sent too many: its requests are then refused. */
export const countInvalidToken = async (
  database: Database,
  address: string,
  most: number,
  now: Date,
): Promise<boolean> => !(await countAttempt(database, [networkLimit("token", address, most)], now));

export const listTokens = async ({ database }: Service, person: string): Promise<readonly TokenJson[]> => {
  const rows = await database.query({
    text: "select id, name, roles, reads, made_at, expires_at, used_at from ninefold.token where person = $1 order by made_at desc, id",
    values: [person],
  });
  return rows.map((row) => ({
    id: String(row.id),
    name: String(row.name),
    roles: Array.isArray(row.roles) ? row.roles.map(String) : [],
    reads: row.reads === true,
    made_at: String(row.made_at),
    expires_at: String(row.expires_at),
    used_at: row.used_at === null ? null : String(row.used_at),
  }));
};

/** The requested settings of a new token. */
export interface TokenRequest {
  readonly name: string;
  readonly days: number;
  readonly roles: readonly string[];
  readonly reads: boolean;
}

/** Checks if a person may have the requested token; null if so. */
export const refuseToken = (model: Model, person: SignedIn, requested: TokenRequest): Refusal | null => {
  const settings = model.callSettings.token;
  if (settings === null || !canHaveTokens(model, person))
    return refuse("FORBIDDEN", settings?.clause.id ?? "NO_TOKENS");
  const wrong = checkTokenRequest(requested, person, settings.longestDays);
  return wrong.length > 0 ? refuseAt(wrong) : null;
};

/**
 * Creates an API token and returns it once. It has no more permissions than its owner and its settings. Check
 * `refuseToken` first.
 */
export const createToken = async (
  service: Service,
  person: SignedIn,
  settings: TokenRequest,
  now: Date,
  noticeOrigin: NoticeOrigin,
): Promise<TokenMadeJson | Refusal> => {
  const { context } = service;
  if ((await listTokens(service, person.id)).length >= MAX_TOKENS) return refuse("TOO_MUCH", TOKEN_CLAUSE);
  const token = `${PREFIX}${newToken()}`;
  const until = new Date(now.getTime() + settings.days * 86_400_000);
  const { name, roles, reads } = settings;
  const change = { kind: "make_token", hash: hashToken(token), name: name.trim(), roles, reads, until } as const;
  const notice = await createNotice(service, person.id, noticeOrigin, now, (words, application, by) =>
    words.tokenMade(application, by, change.name),
  );
  const action = planAccount(context, change, person.id, service.caller(person, now), notice);
  const outcome = await execute(service.database, action);
  return outcome.kind === "refusal" ? outcome : { token, until: until.toISOString() };
};

const checkTokenRequest = (
  { name, days, roles }: TokenRequest,
  { granted }: Principal,
  longest: number,
): readonly RefusalAt[] => {
  const at = (field: string, code: string, values: Readonly<Record<string, string>> = {}): RefusalAt => ({
    at: `/${field}`,
    code,
    clause: TOKEN_CLAUSE,
    values: { field, ...values },
  });
  return [
    ...(name.trim() === "" ? [at("name", "REQUIRED")] : []),
    ...([...name.trim()].length > MAX_NAME_LENGTH ? [at("name", "TOO_LONG", { max: String(MAX_NAME_LENGTH) })] : []),
    ...(Number.isInteger(days) ? [] : [typeMismatch("/days", TOKEN_CLAUSE, { field: "days", type: "integer" })]),
    ...(days < 1 ? [at("days", "TOO_SMALL", { min: "1" })] : []),
    ...(days > longest ? [at("days", "TOO_LARGE", { max: String(longest) })] : []),
    // Tokens cannot administer people or change the document.
    ...(roles.some((role) => role === ADMINISTRATOR || !granted.has(role)) ? [at("roles", "NOT_A_CHOICE")] : []),
  ];
};

/** Revokes a token, on behalf of its owner or of an administrator. */
export const endToken = async (
  service: Service,
  { owner, token }: { readonly owner: string; readonly token: string },
  by: SignedIn,
  now: Date,
  noticeOrigin: NoticeOrigin,
): Promise<Refusal | null> => {
  const change = { kind: "end_token", token } as const;
  const ended = (await listTokens(service, owner)).find(({ id }) => id === token);
  const notice = await createNotice(service, owner, noticeOrigin, now, (words, application, at) =>
    words.tokenEnded(application, at, ended?.name ?? ""),
  );
  const action = planAccount(service.context, change, owner, service.caller(by, now), notice);
  const outcome = await execute(service.database, action);
  return outcome.kind === "refusal" ? outcome : null;
};
