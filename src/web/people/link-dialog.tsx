import type { LinkJson } from "../../core/wire/accounts/people.ts";
import { useWords } from "../i18n/words.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

/** Shows a link once, to be passed on. */
export const LinkDialog = ({ name, link, onClose }: { name: string; link: LinkJson; onClose: () => void }) => {
  const { say, show } = useWords();
  const until = show.moment(link.until);
  return (
    <SecretDialog
      title={say("link.title", { name })}
      words={
        link.mailed === undefined ? say("link.words", { until }) : say("link.mailed", { until, email: link.mailed })
      }
      label={say("link.label")}
      secret={new URL(link.link, location.origin).href}
      onClose={onClose}
    />
  );
};
