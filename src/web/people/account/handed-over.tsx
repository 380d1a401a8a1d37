import { usePerson } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { useRoleWords } from "../../ui/use-role-names.ts";

/** The roles of the user that a deputy has, and the granted ones that stay with the user alone. */
export const HandedOver = ({ roles }: { readonly roles: readonly string[] }) => {
  const { say, show } = useWords();
  const roleWords = useRoleWords();
  const kept = (usePerson()?.roles ?? []).map((role) => roleWords.one(role)).filter((title) => !roles.includes(title));
  return (
    <p className="small-words">
      {say("deputies.words", { roles: show.list(roles) })}
      {kept.length > 0 && ` ${say("deputies.kept", { roles: show.list(kept) })}`}
    </p>
  );
};
