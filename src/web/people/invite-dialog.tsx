import { useState } from "react";
import type { LinkJson } from "../../core/wire/accounts/people.ts";
import type { FieldJson } from "../../core/wire/entities.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useClient } from "../app/app-context.tsx";
import { FormDialog } from "../form/form-dialog.tsx";
import { useOneShotForm } from "../form/use-one-shot-form.tsx";
import { useWords } from "../i18n/words.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { Roles } from "./roles.tsx";

interface InviteProps {
  readonly fields: readonly FieldJson[];
  readonly roles: readonly string[];
  /** True if the link is mailed. */
  readonly mails: boolean;
  readonly onClose: () => void;
}

/** Asks for the details of a new person, then shows the invitation link. */
export const InviteDialog = ({ fields, roles, mails, onClose }: InviteProps) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const [chosenRoles, setChosenRoles] = useState<ReadonlySet<string>>(new Set());
  const [invited, setInvited] = useState<{ readonly name: string; readonly link: LinkJson } | null>(null);
  const form = useOneShotForm("create", fields, null, null, async ({ name = "", email = "", ...more }) => {
    const link = await calls.invite({ name, email, more, roles: [...chosenRoles] });
    await reload(queries, { queryKey: keys.people });
    setInvited({ name: String(name), link });
  });
  if (invited) return <LinkDialog name={invited.name} link={invited.link} onClose={onClose} />;
  return (
    <FormDialog
      oneShot={form}
      title={say("people.invite.title")}
      act={say(mails ? "people.invite.do.mail" : "people.invite.do")}
      refused={say("people.invite.failed")}
      before={<p className="help-words">{say(mails ? "people.invite.words.mail" : "people.invite.words")}</p>}
      after={
        <Roles
          roles={roles}
          chosen={chosenRoles}
          help={say("people.invite.roles")}
          onChange={(role, holds) => {
            const next = new Set(chosenRoles);
            if (holds) next.add(role);
            else next.delete(role);
            setChosenRoles(next);
          }}
        />
      }
      onClose={onClose}
    />
  );
};
