import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useRef, useState } from "react";
import type { OwnAccountJson } from "../../../core/wire/accounts/account.ts";
import { toFailure } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { PasswordField } from "../../sign-in/front-door-form.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { ProblemNote } from "../../ui/page/problem-note.tsx";
import "../../form/form.css";

interface OwnAccountDialogProps {
  readonly account: OwnAccountJson;
  readonly onClose: () => void;
}

/** Changes the user's own name. */
export const ChangeNameDialog = ({ account, onClose }: OwnAccountDialogProps) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const toast = useToast();
  const id = useId();
  const [name, setName] = useState(account.name);
  const change = useMutation({
    mutationFn: () => calls.changeOwnName(name),
    onSuccess: async () => {
      onClose();
      toast(say("account.name.done"));
      await queries.invalidateQueries();
    },
  });
  const failure = change.error ? toFailure(change.error) : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!change.isPending) change.mutate();
  };
  return (
    <Dialog title={say("account.name.change")} onClose={onClose}>
      <form className="dialog-form" noValidate onSubmit={submit}>
        {failure && failure.kind !== "signed out" && (
          <ProblemNote title={say("account.name.failed")} failure={failure} />
        )}
        <div className="form-field">
          <div className="form-label">
            <label htmlFor={id}>{say("people.name")}</label>
          </div>
          <div className="box">
            <input
              id={id}
              value={name}
              autoComplete="name"
              required
              onChange={(event) => setName(event.currentTarget.value)}
            />
          </div>
        </div>
        <footer className="dialog-foot">
          <Button type="submit" look="primary" busy={change.isPending}>
            {say("account.name.change")}
          </Button>
          <Button look="quiet" onClick={onClose}>
            {say("form.cancel")}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
};

/** Closes the user's own account. The typed address confirms it, because nobody can undo it alone. */
export const CloseAccountDialog = ({ account, onClose }: OwnAccountDialogProps) => {
  const { calls, queries, navigation, trail, preferences } = useClient();
  const { say } = useWords();
  const toast = useToast();
  const id = useId();
  const [typed, setTyped] = useState("");
  const [password, setPassword] = useState("");
  const [refused, setRefused] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  const isConfirmed = typed.trim().toLowerCase() === account.email.toLowerCase();
  const close = useMutation({
    mutationFn: () => calls.closeAccount(password),
    retry: false,
    onSuccess: async () => {
      preferences.belongTo(null);
      const application = await calls.application();
      trail.set(null);
      navigation.go("/sign-in", "replace");
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.application[0] });
      queries.setQueryData(keys.application, application);
      toast(say("account.closed"));
    },
  });
  const failure = close.error ? toFailure(close.error) : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setRefused(!isConfirmed);
    if (!isConfirmed) box.current?.focus();
    else if (!close.isPending) close.mutate();
  };
  return (
    <Dialog title={say("account.close.title")} onClose={onClose}>
      <form className="dialog-form" noValidate onSubmit={submit}>
        {failure && failure.kind !== "signed out" && (
          <ProblemNote title={say("account.close.failed")} failure={failure} />
        )}
        <p className="help-words">{say("account.close.words")}</p>
        <div className={refused ? "form-field bad" : "form-field"}>
          <div className="form-label">
            <label htmlFor={id} className="break">
              {say("account.close.type", { email: account.email })}
            </label>
          </div>
          <div className="box">
            <input
              id={id}
              ref={box}
              value={typed}
              aria-invalid={refused || undefined}
              aria-describedby={refused ? `${id}-error` : undefined}
              inputMode="email"
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => {
                setTyped(event.currentTarget.value);
                setRefused(false);
              }}
            />
          </div>
          {refused && (
            <div id={`${id}-error`} className="mend" role="alert">
              <Icon name="alert" />
              <div className="mend-words">{say("account.close.differs")}</div>
            </div>
          )}
        </div>
        {account.password && (
          <PasswordField
            label={say("account.password.current")}
            autoComplete="current-password"
            value={password}
            onChange={setPassword}
          />
        )}
        <footer className="dialog-foot">
          <Button type="submit" look="danger" busy={close.isPending}>
            {say("account.close.do")}
          </Button>
          <Button look="quiet" onClick={onClose}>
            {say("form.cancel")}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
};
