import { ADMINISTRATOR } from "../core/model/model.ts";
import type { Database } from "../postgres/database.ts";
import { makePerson, type NewPerson } from "./people.ts";
import type { Refusal } from "./refusal.ts";
import type { Service } from "./service.ts";
import { hashToken, newToken } from "./sessions.ts";

const PURPOSE = "first administrator";

/** A link by which one person becomes the first administrator; it holds for a day and replaces those before it. */
export const firstAdministratorToken = async (database: Database, now: Date): Promise<string> => {
  const token = newToken();
  await database.query({
    text: `with old as (delete from ninefold.once_link where purpose = $2)
           insert into ninefold.once_link (token_hash, purpose, expires_at) values ($1, $2, $3)`,
    values: [hashToken(token), PURPOSE, new Date(now.getTime() + 86_400_000)],
  });
  return token;
};

/** Uses the link up and makes the person; a link that does not hold, or comes second, is refused. */
export const makeFirstAdministrator = (
  service: Service,
  token: string,
  person: Omit<NewPerson, "roles">,
  now: Date,
): Promise<string | Refusal> =>
  makePerson(service, { ...person, roles: [ADMINISTRATOR] }, now, {
    link: { hash: hashToken(token), purpose: PURPOSE },
  });
