import { type FormEvent, useState } from "react";
import type { Failure } from "../api/api-error.ts";
import { useApplication } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { PasswordField, SignInField, SignInProblem } from "./sign-in-fields.tsx";

interface PasswordFormProps {
  readonly failure: Failure | null;
  readonly busy: boolean;
  readonly onEnter: (credentials: { readonly [field: string]: string; readonly password: string }) => void;
  /** False if something else on the page comes first. */
  readonly focus?: boolean;
  /** The initial text of the field for the account. */
  readonly given?: string;
  /** Called with what was typed so far; without it, a forgotten password cannot be reset here. */
  readonly onForgotten?: (account: string) => void;
}

/** Email, or the field that the document names, and password. The refusal is the same whichever half was wrong. */
export const PasswordForm = ({ failure, busy, focus = true, given = "", onEnter, onForgotten }: PasswordFormProps) => {
  const { signIn } = useApplication();
  const { say } = useWords();
  const [account, setAccount] = useState(given);
  const [password, setPassword] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const by = signIn.by === null || account.includes("@") ? "email" : signIn.by.name;
    onEnter({ [by]: account, password });
  };
  return (
    <form className="front-fields" noValidate onSubmit={submit}>
      <SignInProblem failure={failure} title={say("sign.in.failed")} />
      <SignInField
        label={signIn.by === null ? say("sign.in.email") : say("sign.in.either", { field: signIn.by.label })}
        type={signIn.by === null ? "email" : "text"}
        autoComplete="username"
        value={account}
        onChange={setAccount}
        focus={focus}
      />
      <PasswordField
        label={say("sign.in.password")}
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
      />
      <Button type="submit" look="primary" className="large" busy={busy}>
        {say("sign.in.do")}
      </Button>
      {signIn.forgotten && onForgotten && (
        <Button look="quiet" onClick={() => onForgotten(account)}>
          {say("forgotten.open")}
        </Button>
      )}
    </form>
  );
};
