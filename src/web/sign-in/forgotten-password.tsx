import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { toFailure } from "../api/api-error.ts";
import { useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { FrontMessage } from "./front-message.tsx";
import { SignInField, SignInProblem } from "./sign-in-fields.tsx";

interface ForgottenPasswordProps {
  /** The text of the box on the sign-in page. */
  readonly given: string;
  /** Leads to the sign-in page, with the address. */
  readonly onClose: (email: string) => void;
}

/** Asks for a link for a new password. The answer is the same whether or not the address has an account. */
export const ForgottenPassword = ({ given: initialEmail, onClose }: ForgottenPasswordProps) => {
  const { calls } = useClient();
  const { say } = useWords();
  const [email, setEmail] = useState(initialEmail.includes("@") ? initialEmail : "");
  const ask = useMutation({ mutationFn: () => calls.askForPassword(email), retry: false });
  const back = (
    <Button look="quiet" onClick={() => onClose(email)}>
      {say("forgotten.back")}
    </Button>
  );
  if (ask.isSuccess)
    return (
      <FrontMessage title={say("forgotten.sent.title")} isNew>
        <p className="front-words">{say("forgotten.sent", { email })}</p>
        <p className="front-words">{say("forgotten.sent.none")}</p>
        <Button onClick={() => ask.reset()}>{say("forgotten.other")}</Button>
        {back}
      </FrontMessage>
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ask.isPending) ask.mutate();
  };
  return (
    <form className="front-form front-fields" noValidate aria-label={say("forgotten.title")} onSubmit={submit}>
      <h1>{say("forgotten.title")}</h1>
      <SignInProblem failure={ask.error ? toFailure(ask.error) : null} title={say("forgotten.failed")} />
      <p className="front-words">{say("forgotten.words")}</p>
      <SignInField
        label={say("sign.in.email")}
        type="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        focus
      />
      <Button type="submit" look="primary" className="large" busy={ask.isPending}>
        {say("forgotten.do")}
      </Button>
      {back}
    </form>
  );
};
