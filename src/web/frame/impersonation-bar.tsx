import type { PersonJson } from "../../core/wire/application.ts";
import { useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";

/** Shown while an administrator views the application as somebody else, with a way to stop. */
const ImpersonationBar = ({ person }: { person: PersonJson }) => {
  const { calls } = useClient();
  const { say } = useWords();
  // All loaded data belongs to the other person's view.
  const stop = () => void calls.viewAs(null).finally(() => window.location.assign(`/workbench/people/${person.id}`));
  return (
    <aside className="looking-bar" aria-label={say("look.title")}>
      <Icon name="show" />
      <span>{say("look.bar", { name: person.name })}</span>
      <Button small onClick={stop}>
        {say("look.stop")}
      </Button>
    </aside>
  );
};

export default ImpersonationBar;
