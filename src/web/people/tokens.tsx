import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { OwnTokensJson, TokenJson, TokenMadeJson } from "../../core/wire/accounts/account.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { PasswordField } from "../sign-in/sign-in-fields.tsx";
import { Button } from "../ui/control/button.tsx";
import { CheckBox } from "../ui/control/check-box.tsx";
import { Icon } from "../ui/icon.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { ActDialog } from "../ui/page/act-dialog.tsx";
import { FailureNote } from "../ui/page/problem-note.tsx";
import { useRoleWords } from "../ui/use-role-names.ts";
import { SecretDialog } from "./secret-dialog.tsx";
import { TextField } from "./text-field.tsx";

interface TokensProps {
  readonly tokens: readonly TokenJson[];
  readonly onEnd: (token: TokenJson) => void;
  readonly children?: React.ReactNode;
}

/** API tokens with their permissions, expiry and last use. */
export const Tokens = ({ tokens, onEnd, children }: TokensProps) => {
  const { say, show } = useWords();
  const roleWords = useRoleWords();
  const describeRights = ({ roles, reads }: TokenJson) =>
    [reads ? say("tokens.reads") : say("tokens.writes"), ...(roles.length === 0 ? [] : [roleWords.all(roles)])].join(
      " · ",
    );
  return (
    <section aria-labelledby="tokens" className="people-part">
      <h2 id="tokens">{say("tokens.title")}</h2>
      {tokens.length === 0 ? (
        <p className="none">{say("tokens.none")}</p>
      ) : (
        <ul className="sessions">
          {tokens.map((token) => (
            <li key={token.id}>
              <div className="grow">
                <p>
                  <bdi>{token.name}</bdi> <span className="none">· {describeRights(token)}</span>
                </p>
                <p className="small-words">
                  {say("tokens.until", { until: show.moment(token.expires_at) })}
                  {" · "}
                  {token.used_at === null
                    ? say("tokens.unused")
                    : say("tokens.used", { used: show.moment(token.used_at) })}
                </p>
              </div>
              <Button small aria-label={say("tokens.end", { name: token.name })} onClick={() => onEnd(token)}>
                {say("tokens.end.short")}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {children}
    </section>
  );
};

/** The user's own tokens, with a button to create one. */
export const OwnTokens = ({ tokens, password }: { tokens: OwnTokensJson; password: boolean }) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const toast = useToast();
  const [making, setMaking] = useState(false);
  const end = useMutation({
    mutationFn: (id: string) => calls.endToken(id),
    onSuccess: () => toast(say("tokens.ended")),
    onSettled: () => reload(queries, { queryKey: keys.account }),
  });
  return (
    <>
      <FailureNote title={say("person.failed")} error={end.error} />
      <Tokens tokens={tokens.items} onEnd={({ id }) => end.isPending || end.mutate(id)}>
        <Button small icon="plus" aria-haspopup="dialog" onClick={() => setMaking(true)}>
          {say("tokens.make")}
        </Button>
      </Tokens>
      {making && <TokenDialog tokens={tokens} needsPassword={password} onClose={() => setMaking(false)} />}
    </>
  );
};

/** Lifetimes offered in days, up to the document's limit. */
const usualDays = [7, 30, 90, 365];

interface TokenDialogProps {
  readonly tokens: OwnTokensJson;
  /** True if the person has a password, which they are asked for. */
  readonly needsPassword: boolean;
  readonly onClose: () => void;
}

const TokenDialog = ({ tokens, needsPassword, onClose }: TokenDialogProps) => {
  const { calls, queries } = useClient();
  const { say, show } = useWords();
  const roleWords = useRoleWords();
  const choices = [...new Set([...usualDays.filter((days) => days < tokens.longest), tokens.longest])];
  const [name, setName] = useState("");
  const [days, setDays] = useState(choices.find((choice) => choice >= 30) ?? tokens.longest);
  const [reads, setReads] = useState(true);
  const [password, setPassword] = useState("");
  const [chosenRoles, setChosenRoles] = useState<ReadonlySet<string>>(new Set());
  const daysId = useId();
  const make = useMutation({
    mutationFn: () =>
      calls.createToken({ name, days, reads, roles: [...chosenRoles], ...(needsPassword ? { password } : {}) }),
    // If the response is lost, the token may exist: the user must check.
    retry: false,
    onSettled: () => reload(queries, { queryKey: keys.account }),
  });
  if (make.data) return <NewTokenDialog token={make.data} sentAs={tokens} onClose={onClose} />;
  const toggle = (role: string, holds: boolean) => {
    const next = new Set(chosenRoles);
    if (holds) next.add(role);
    else next.delete(role);
    setChosenRoles(next);
  };
  return (
    <ActDialog
      title={say("tokens.make.title")}
      act={say("tokens.make.do")}
      busy={make.isPending}
      error={make.error}
      failed={say("tokens.make.failed")}
      onSubmit={make.mutate}
      onClose={onClose}
    >
      <p className="help-words">{say("tokens.make.words")}</p>
      <TextField
        label={say("tokens.name")}
        value={name}
        onChange={setName}
        maxLength={80}
        autoComplete="off"
        required
      />
      <div className="form-field">
        <div className="form-label">
          <label htmlFor={daysId}>{say("tokens.days")}</label>
        </div>
        <div className="box select">
          <select id={daysId} value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {say("tokens.days.many", { days: show.number(choice) })}
              </option>
            ))}
          </select>
          <Icon name="down" />
        </div>
      </div>
      <fieldset className="roles">
        <legend>{say("tokens.may")}</legend>
        <CheckBox checked={!reads} onTurn={(writes) => setReads(!writes)}>
          {say("tokens.may.write")}
        </CheckBox>
        {tokens.roles.map((role) => (
          <CheckBox key={role} checked={chosenRoles.has(role)} onTurn={(holds) => toggle(role, holds)}>
            {roleWords.one(role)}
          </CheckBox>
        ))}
        <p className="help">{say("tokens.may.words")}</p>
      </fieldset>
      {needsPassword && (
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

interface NewTokenDialogProps {
  readonly token: TokenMadeJson;
  readonly sentAs: Pick<OwnTokensJson, "header" | "scheme">;
  readonly onClose: () => void;
}

const NewTokenDialog = ({ token, sentAs: { header, scheme }, onClose }: NewTokenDialogProps) => {
  const { say, show } = useWords();
  return (
    <SecretDialog
      title={say("tokens.made.title")}
      words={say("tokens.made.words", { until: show.moment(token.until) })}
      label={say("tokens.made.label")}
      secret={token.token}
      after={
        <p className="help">
          {say("tokens.made.how")} <code>{[`${header}:`, scheme, "…"].filter((word) => word !== null).join(" ")}</code>
        </p>
      }
      onClose={onClose}
    />
  );
};
