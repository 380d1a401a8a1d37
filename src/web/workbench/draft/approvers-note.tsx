import type { ApproversJson } from "../../../core/wire/authoring/proposals.ts";
import { useApplication } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";

/** Says who can approve a change, or that too few people can. */
export const ApproversNote = ({ approvers: { people, more, needs, roles } }: { readonly approvers: ApproversJson }) => {
  const { say, show } = useWords();
  const { roles: titles } = useApplication();
  const count = people.length + more;
  const names = show.list(
    [...people, ...(more === 0 ? [] : [say("preview.use.more", { count: more })])],
    needs === 1 ? "disjunction" : "conjunction",
  );
  const wanted = show.list(roles.map((role) => titles[role] ?? say("menu.administrator")));
  if (count === 0) return <p className="approvers-note">{say("approvers.none", { roles: wanted })}</p>;
  if (count < needs) return <p className="approvers-note">{say("approvers.few", { needs, names, roles: wanted })}</p>;
  return <p>{say("approvers.people", { needs, names })}</p>;
};
