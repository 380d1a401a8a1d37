import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { OwnAccountJson, SessionJson } from "../../../core/wire/accounts/account.ts";
import { keys } from "../../api/query-keys.ts";
import { reload } from "../../api/reload.ts";
import { useClient } from "../../app/app-context.tsx";
import { forgetPerson } from "../../app/forget-person.ts";
import { useWords } from "../../i18n/words.tsx";
import { PasswordField } from "../../sign-in/sign-in-fields.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { ActDialog } from "../../ui/page/act-dialog.tsx";
import { useDeviceName } from "../sessions.tsx";
import { TextField } from "../text-field.tsx";

interface OwnAccountDialogProps {
  readonly account: OwnAccountJson;
  readonly onClose: () => void;
}

/** Changes the user's own name. */
export const ChangeNameDialog = ({ account, onClose }: OwnAccountDialogProps) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const toast = useToast();
  const [name, setName] = useState(account.name);
  const change = useMutation({
    mutationFn: () => calls.changeOwnName(name),
    onSuccess: async () => {
      onClose();
      toast(say("account.name.done"));
      await reload(queries);
    },
  });
  return (
    <ActDialog
      title={say("account.name.change")}
      act={say("account.name.change")}
      busy={change.isPending}
      error={change.error}
      failed={say("account.name.failed")}
      onSubmit={change.mutate}
      onClose={onClose}
    >
      <TextField label={say("people.name")} value={name} onChange={setName} autoComplete="name" required />
    </ActDialog>
  );
};

/** Closes the user's own account. The typed address confirms it, because nobody can undo it alone. */
export const CloseAccountDialog = ({ account, onClose }: OwnAccountDialogProps) => {
  const client = useClient();
  const { calls } = client;
  const { say } = useWords();
  const toast = useToast();
  const [typed, setTyped] = useState("");
  const [password, setPassword] = useState("");
  const [differs, setDiffers] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  const isConfirmed = typed.trim().toLowerCase() === account.email.toLowerCase();
  const close = useMutation({
    mutationFn: () => calls.closeAccount(password),
    retry: false,
    onSuccess: async () => {
      await forgetPerson(client);
      toast(say("account.closed"));
    },
  });
  const submit = () => {
    setDiffers(!isConfirmed);
    if (isConfirmed) close.mutate();
    else box.current?.focus();
  };
  return (
    <ActDialog
      title={say("account.close.title")}
      act={say("account.close.do")}
      look="danger"
      busy={close.isPending}
      error={close.error}
      failed={say("account.close.failed")}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="help-words">{say("account.close.words")}</p>
      <TextField
        ref={box}
        label={say("account.close.type", { email: account.email })}
        value={typed}
        error={differs ? say("account.close.differs") : undefined}
        inputMode="email"
        autoComplete="off"
        spellCheck={false}
        onChange={(value) => {
          setTyped(value);
          setDiffers(false);
        }}
      />
      {account.password && (
        <PasswordField
          label={say("account.password.current")}
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
        />
      )}
    </ActDialog>
  );
};

/** Asks before the session of another device ends. `session` is null for all other sessions. */
export const SignOutDialog = ({ session, onClose }: { session: SessionJson | null; onClose: () => void }) => {
  const { calls, queries } = useClient();
  const { say, show } = useWords();
  const toast = useToast();
  const getDeviceName = useDeviceName();
  const end = useMutation({
    mutationFn: () => calls.endSession(session?.id ?? null),
    onSuccess: () => toast(say("sessions.ended")),
    onSettled: () => reload(queries, { queryKey: keys.account }),
  });
  return (
    <ActDialog
      title={say(session === null ? "sessions.end.others.title" : "sessions.end.title")}
      act={say(session === null ? "sessions.end.others" : "sessions.end.short")}
      look="danger"
      busy={end.isPending}
      error={end.error}
      failed={say("sessions.end.failed")}
      // Closed once its row is gone: the focus then moves to what is left.
      onSubmit={() => end.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      {session !== null && (
        <p className="dialog-words">
          {getDeviceName(session)}
          {session.address !== "" && ` · ${session.address}`}
          <br />
          {say("sessions.since", {
            since: show.moments(session.made_at, session.made_at),
            until: show.moments(session.expires_at, session.expires_at),
          })}
        </p>
      )}
      <p className="dialog-words">{say("sessions.end.words")}</p>
    </ActDialog>
  );
};
