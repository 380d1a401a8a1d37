import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { toFailure } from "../api/api-error.ts";
import { useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { PasswordField, SignInField, SignInProblem } from "./sign-in-fields.tsx";
import { useReloadForUser } from "./use-reload-for-user.ts";

export const FirstAdministrator = ({ token, onDone }: { token: string; onDone: () => void }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const arrive = useReloadForUser();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const make = useMutation({
    mutationFn: async () => {
      await calls.createFirstAdministrator({ token, name, email, password });
      const { person } = await arrive();
      if (person) return;
      await calls.signIn({ email, password });
      await arrive();
    },
    onSuccess: onDone,
  });
  return (
    <form
      className="front-form front-fields"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!make.isPending) make.mutate();
      }}
    >
      <h1>{say("first.title")}</h1>
      <p className="front-words">{say("first.words")}</p>
      <SignInProblem failure={make.error ? toFailure(make.error) : null} title={say("first.failed")} />
      <SignInField label={say("first.name")} type="text" autoComplete="name" value={name} onChange={setName} focus />
      <SignInField
        label={say("sign.in.email")}
        type="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
      />
      <PasswordField
        label={say("sign.in.password")}
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
      />
      <Button type="submit" look="primary" className="large" busy={make.isPending}>
        {say("first.do")}
      </Button>
    </form>
  );
};
