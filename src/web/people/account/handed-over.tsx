import type { HandedWorkJson } from "../../../core/wire/application.ts";
import { usePerson } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { useRoleWords } from "../../ui/use-role-names.ts";
import "./handed-over.css";

/** The work that a deputy does, after a sentence that ends with a colon. */
export const HandedWork = ({
  before,
  work: { acts, more },
  after,
}: {
  readonly before: string;
  readonly work: HandedWorkJson;
  readonly after?: string;
}) => {
  const { say } = useWords();
  return (
    <div className="small-words handed-work">
      <p>{before}</p>
      <ul>
        {[...acts, ...(more ? [say("deputies.more")] : [])].map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {after !== undefined && <p>{after}</p>}
    </div>
  );
};

/** The work of the user that a deputy does, and the granted roles that stay with the user alone. */
export const HandedOver = ({ work }: { readonly work: HandedWorkJson }) => {
  const { say, show } = useWords();
  const roleWords = useRoleWords();
  const kept = (usePerson()?.roles ?? [])
    .filter((role) => !work.roles.includes(role))
    .map((role) => roleWords.one(role));
  const rest = kept.length > 0 ? [say("deputies.kept", { roles: show.list(kept) })] : [];
  return <HandedWork before={say("deputies.words")} work={work} after={[say("deputies.history"), ...rest].join(" ")} />;
};
