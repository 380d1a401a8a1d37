import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import type { DraftSession } from "./draft-session.ts";

/** Says that a newer version is live, and updates the draft to it. */
export const OutdatedNotice = ({ drafting, version }: { drafting: DraftSession; version: number }) => {
  const { say } = useWords();
  const toast = useToast();
  return (
    <div className="plan-notice" role="status">
      <Icon name="alert" />
      <p>{say("plan.outdated", { version })}</p>
      <Button small onClick={() => toast(say("plan.updated", { version, collisions: drafting.update() }))}>
        {say("plan.update")}
      </Button>
    </div>
  );
};
