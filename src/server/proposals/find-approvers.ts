import { changeRights } from "../../core/derive/authorization/change-rights.ts";
import { isAdministrator } from "../../core/derive/authorization/grants.ts";
import { ADMINISTRATOR } from "../../core/model/permissions.ts";
import type { ApproversJson } from "../../core/wire/authoring/proposals.ts";
import type { SignedIn } from "../auth/sessions.ts";
import type { ProposalContext } from "./proposal-access.ts";

/** Maximum number of names. */
const MOST_NAMES = 20;

/** Maximum number of people who are considered. */
const MOST_PEOPLE = 1_000;

/** Finds the people who can approve now, except some. Names only those that the reader can read. */
export const findApprovers = async (
  { database, model, nameRecords }: ProposalContext,
  by: SignedIn,
  needs: number,
  excluded: readonly string[],
): Promise<ApproversJson> => {
  const { approve } = model.approval;
  const isGranted = approve.every((role) => role === ADMINISTRATOR || model.roles.get(role)?.members === "granted");
  const rows = await database.query({
    text: `select "id", "name", "roles" from app."user" where "active" and (not $1 or "roles" && $2::text[]) and not "id" = any($3::uuid[]) order by "id" limit ${MOST_PEOPLE}`,
    values: [isGranted, approve, excluded],
  });
  const people = rows
    .map(({ id, name, roles }) => ({
      id: String(id),
      name: String(name),
      granted: new Set((roles as readonly unknown[]).map(String)),
    }))
    .filter((person) => changeRights(model, person).approve);
  const first = people.slice(0, MOST_NAMES);
  // Administrators read all accounts.
  const found = isAdministrator(by)
    ? first.map(({ name }) => name)
    : (
        await nameRecords(
          by,
          first.map(({ id }) => ({ entity: "User", record: id })),
        )
      ).values();
  const names = [...found].sort((a, b) => a.localeCompare(b, model.locale));
  return { people: names, more: people.length - names.length, needs, roles: approve };
};
