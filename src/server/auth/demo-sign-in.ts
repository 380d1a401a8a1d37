import { ADMINISTRATOR } from "../../core/model/permissions.ts";
import type { Service } from "../execution/service.ts";
import { newToken } from "./sessions.ts";

/**
 * Sign-in without a password for the sample people of a demonstration. The tokens exist only in this process, and the
 * server accepts only the host names of its own machine.
 */
export interface Demonstration {
  readonly people: readonly { readonly name: string; readonly roles: readonly string[]; readonly token: string }[];
  personBy(token: string): string | undefined;
}

export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/u.test(host);

/** The sample people, administrators first, each with a token for this run. */
export const createDemonstration = async (service: Service): Promise<Demonstration> => {
  const rows = await service.database.query({
    text: `select u."id", u."name", u."roles" from app."user" u join ninefold.sample s on s.entity = 'User' and s.record = u."id" where u."active"
           order by u."roles" @> array[$1] desc, cardinality(u."roles") desc, u."name"`,
    values: [ADMINISTRATOR],
  });
  const byToken = new Map<string, string>();
  const people = rows.map((row) => {
    const token = newToken();
    byToken.set(token, String(row.id));
    return { name: String(row.name), roles: Array.isArray(row.roles) ? row.roles.map(String) : [], token };
  });
  return { people, personBy: (token) => byToken.get(token) };
};
