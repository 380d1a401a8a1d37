import type { Database } from "../../postgres/database.ts";
import { SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { hashToken, newToken } from "../util/token.ts";

const PURPOSE = "preview";

/** Creates a link that signs a person in to a preview, once. It is valid for an hour. */
export const previewToken = async (database: Database, person: string, now: Date): Promise<string> => {
  const token = newToken();
  await database.query({
    text: "insert into ninefold.once_link (token_hash, purpose, person, expires_at) values ($1, $2, $3, $4)",
    values: [hashToken(token), PURPOSE, person, new Date(now.getTime() + 3_600_000)],
  });
  return token;
};

/** Uses the link. Returns the person; an invalid or used link is refused. */
export const enterByPreviewLink = async (database: Database, token: string, now: Date): Promise<string | Refusal> => {
  const [row] = await database.query({
    text: `with l as (delete from ninefold.once_link where token_hash = $1 and purpose = $2 and expires_at > $3 returning person)
           select u."id" from l join app."user" u on u."id" = l.person where u."active"`,
    values: [hashToken(token), PURPOSE, now.toISOString()],
  });
  return row === undefined ? refuse("LINK_USED", SIGN_IN_CLAUSE) : String(row.id);
};
