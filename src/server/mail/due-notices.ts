import type { Principal } from "../../core/derive/authorization/grants.ts";
import { heldRolesSql } from "../../core/derive/sql/held-roles.ts";
import type { Model } from "../../core/model/model.ts";
import { definitionText, sql } from "../../core/sql.ts";
import type { MailPreferenceJson } from "../../core/wire/accounts/preferences.ts";
import type { Row } from "../../postgres/database.ts";
import type { Service } from "../execution/service.ts";
import type { MailedRun, StoredRun } from "../plan/effects/notice-words.ts";
import { isSamplePerson } from "../util/sample-person.ts";
import { isMailPreference } from "./mail-preference.ts";

/** Maximum number of notifications per run. */
const MAX_PER_RUN = 500;
/** If composing fails, notifications are tried again after this time. */
const CLAIM_MS = 120_000;

/** The reader of a mail. */
export interface Recipient {
  readonly id: string;
  readonly email: string;
  readonly principal: Principal;
  readonly language: string;
  readonly preference: MailPreferenceJson;
}

/** A notification whose mail is due. */
export interface DueNotice {
  readonly id: string;
  readonly person: string;
  readonly to: Recipient;
  readonly at: Date;
  readonly entity: string;
  readonly record: string;
  readonly clause: string;
  readonly message: string;
  readonly mailed: MailedRun;
  /** Further parts of one record that it is about, and their number; of many, only the first ones are here. */
  readonly further: readonly StoredRun[];
  readonly furtherCount: number;
}

/**
 * Claims notifications whose mail is due. Notifications that were read meanwhile, and those of former users and sample
 * people, need no mail.
 */
export const claimDueNotices = async ({ database, model }: Service, now: Date): Promise<readonly DueNotice[]> => {
  const rows = await database.query({
    text: `with n as (
             update ninefold.notification set mail_at = $1::timestamptz + $2 * interval '1 millisecond'
             where id in (select id from ninefold.notification where mail_at <= $1 and (select held_since is null from ninefold.release)
                          order by mail_at, id limit $3 for update skip locked)
             returning id, person, at, entity, record, clause, message, mailed, read_at, others)
           select n.*, u."email", ${definitionText(heldRolesSql(model, sql`u`, sql`$1`))} as "roles",
             u."active" and not ${isSamplePerson('u."id"')} as "active",
             (select p.value from ninefold.preference p where p.person = n.person and p.name = 'language') as language,
             (select p.value from ninefold.preference p where p.person = n.person and p.name = 'mail') as preference
           from n left join app."user" u on u."id" = n.person order by n.id`,
    values: [now.toISOString(), CLAIM_MS, MAX_PER_RUN],
  });
  const isWanted = (row: Row) => row.active === true && row.read_at === null && row.mailed !== null;
  const unwanted = rows.filter((row) => !isWanted(row)).map(({ id }) => String(id));
  if (unwanted.length > 0)
    await database.query({
      text: "update ninefold.notification set mail_at = null, mailed = null where id = any($1)",
      values: [unwanted],
    });
  return rows.filter(isWanted).map((row) => toNotice(row, model));
};

const toNotice = (row: Row, model: Model): DueNotice => {
  const roles = Array.isArray(row.roles) ? row.roles.map(String) : [];
  const mailed = row.mailed as MailedRun;
  const person = String(row.person);
  const chosen: unknown = typeof row.preference === "string" ? JSON.parse(row.preference) : {};
  return {
    id: String(row.id),
    person,
    at: new Date(String(row.at)),
    entity: String(row.entity),
    record: String(row.record),
    clause: String(row.clause),
    message: String(row.message ?? ""),
    mailed,
    further: (mailed.further ?? []).map(({ record, ...facts }) => ({
      person,
      record,
      mailed: { ...mailed, ...facts },
    })),
    furtherCount: row.others === null ? 0 : Number((row.others as { readonly count: number }).count),
    to: {
      id: person,
      email: String(row.email),
      principal: { id: person, granted: new Set(roles) },
      language: typeof row.language === "string" ? (JSON.parse(row.language) as string) : model.locale,
      preference: isMailPreference(chosen) ? chosen : {},
    },
  };
};
