import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Failure, toFailure } from "../api/api-error.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { ForgottenPassword } from "./forgotten-password.tsx";
import { Entering } from "./front-message.tsx";
import { PasswordField, SignInField, SignInProblem } from "./sign-in-fields.tsx";
import { isLinkGone, UnreadLink } from "./unread-link.tsx";
import { useReloadForUser } from "./use-reload-for-user.ts";

/** Sets the password through a link, and signs the person in. */
export const SetPassword = ({ token, onDone }: { token: string; onDone: () => void }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const { passwordLength: length, forgotten: canAsk } = useApplication().signIn;
  const arrive = useReloadForUser();
  const [password, setPassword] = useState("");
  const [asksAgain, setAsksAgain] = useState(false);
  const [typedName, setTypedName] = useState<string | null>(null);
  const owner = useQuery({ queryKey: ["link", token], queryFn: () => calls.linkOwner(token), staleTime: Infinity });
  const name = typedName ?? owner.data?.name ?? "";
  const set = useMutation({
    mutationFn: async () => {
      await calls.setPassword(token, password, owner.data?.asksName === true ? name : undefined);
      await arrive();
    },
    onSuccess: onDone,
  });
  if (asksAgain) return <ForgottenPassword given={owner.data?.email ?? ""} onClose={onDone} />;
  if (owner.isPending) return <Entering />;
  const refused = set.error ? toFailure(set.error) : null;
  // A link can also be used or expire while its page is open.
  const isGoneMeanwhile = refused !== null && isLinkGone(refused);
  if (owner.error || isGoneMeanwhile)
    return (
      <UnreadLink
        title={say("set.title")}
        failure={owner.error ? toFailure(owner.error) : (refused as Failure)}
        busy={owner.isFetching}
        isNew={isGoneMeanwhile}
        onRetry={() => void owner.refetch()}
        onSignIn={onDone}
        onNewLink={canAsk ? () => setAsksAgain(true) : undefined}
      />
    );
  return (
    <form
      className="front-form front-fields"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!set.isPending) set.mutate();
      }}
    >
      <h1>{say("set.title")}</h1>
      <p className="front-words">
        {owner.data.asksName
          ? say("set.words.new", { email: owner.data.email, length })
          : say("set.words", { name: owner.data.name, email: owner.data.email, length })}
      </p>
      <SignInProblem failure={refused} title={say("set.failed")} />
      {owner.data.asksName && (
        <SignInField
          label={say("first.name")}
          type="text"
          autoComplete="name"
          value={name}
          onChange={setTypedName}
          focus
        />
      )}
      <input type="text" autoComplete="username" value={owner.data.email} readOnly hidden />
      <PasswordField
        label={say("set.new")}
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        focus={!owner.data.asksName}
      />
      <Button type="submit" look="primary" className="large" busy={set.isPending}>
        {say("set.do")}
      </Button>
    </form>
  );
};
