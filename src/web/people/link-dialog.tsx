import type { LinkJson } from "../../core/wire/accounts/people.ts";
import { useWords } from "../i18n/words.tsx";
import { useMailedLinks } from "./account-status.ts";
import { SecretDialog } from "./secret-dialog.tsx";

const states = {
  waiting: "link.mailed",
  sent: "link.sent",
  accepted: "link.accepted",
  failed: "link.failed",
} as const;

/** Shows a link once, to be passed on. */
export const LinkDialog = ({ name, link, onClose }: { name: string; link: LinkJson; onClose: () => void }) => {
  const { say, show } = useWords();
  const until = show.moment(link.until);
  const mail = useMailedLinks(link.mailed === undefined ? [] : [link.id])(link.id);
  const about = { until, email: link.mailed ?? "", reason: mail.state === "failed" ? mail.reason : "" };
  return (
    <SecretDialog
      title={say("link.title", { name })}
      words={say(link.mailed === undefined ? "link.words" : states[mail.state], about)}
      label={say("link.label")}
      secret={new URL(link.link, location.origin).href}
      onClose={onClose}
    />
  );
};
