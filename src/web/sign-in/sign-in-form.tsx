import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { SamplePersonJson } from "../../core/wire/application.ts";
import { toFailure } from "../api/api-error.ts";
import { useAddress, useApplication, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { returnAddress } from "../routing/routes.ts";
import { Icon } from "../ui/icon.tsx";
import { ForgottenPassword } from "./forgotten-password.tsx";
import { Entering } from "./front-message.tsx";
import { ProviderFailed, ProviderLinks } from "./oidc-buttons.tsx";
import { PasswordForm } from "./password-form.tsx";
import { AskToRegister } from "./register.tsx";
import { SamplePeople } from "./sample-people.tsx";
import { useReloadForUser } from "./use-reload-for-user.ts";

interface SignInFormProps {
  /** Signs in at once. */
  readonly link: { readonly demonstration: string } | { readonly preview: string } | null;
  /** The reason why a provider sign-in failed. */
  readonly refused: string | null;
  /** Called with the page on which the person begins, if it is not the start page. */
  readonly onStart: (address: string) => void;
  readonly onDone: () => void;
}

export const SignInForm = ({ link, refused, onStart, onDone }: SignInFormProps) => {
  const { calls } = useClient();
  const { signIn } = useApplication();
  const { say } = useWords();
  const arrive = useReloadForUser();
  const enter = useMutation({
    mutationFn: async (credentials: Parameters<typeof calls.signIn>[0]) => {
      await calls.signIn(credentials);
      await arrive();
    },
    onSuccess: onDone,
    onError: async (error, credentials) => {
      // The server issues new links at each start, so those of the page can be old too.
      if (isOldLink(error, credentials)) await arrive().catch(() => undefined);
      onDone();
    },
  });
  const hasTried = useRef(false);
  useEffect(() => {
    if (link === null || hasTried.current) return;
    hasTried.current = true;
    enter.mutate(link);
  }, [link, enter.mutate]);

  const isOld = enter.error !== null && enter.variables !== undefined && isOldLink(enter.error, enter.variables);
  const [forgotten, setForgotten] = useState(false);
  const [account, setAccount] = useState("");
  const { search } = useAddress();
  if (link !== null) return <Entering />;
  if (forgotten)
    return (
      <ForgottenPassword
        given={account}
        onClose={(email) => {
          // A number that was typed to sign in with is no address, and stays.
          if (email !== "") setAccount(email);
          setForgotten(false);
        }}
      />
    );
  const sample = signIn.demonstration ?? [];
  const waitsFor =
    enter.isPending && enter.variables && "demonstration" in enter.variables ? enter.variables.demonstration : null;
  const enterAs = ({ token }: SamplePersonJson) => {
    if (!enter.isPending) enter.mutate({ demonstration: token });
  };
  return (
    <div className="front-form">
      <h1>{say("sign.in.title")}</h1>
      {refused !== null && <ProviderFailed code={refused} />}
      {isOld && (
        <div className="note bad" role="alert">
          <Icon name="alert" size={18} />
          <p className="grow">{say(sample.length > 0 ? "trial.link.old" : "set.gone")}</p>
        </div>
      )}
      {sample.length > 0 && (
        <SamplePeople
          people={sample}
          waitsFor={waitsFor}
          onEnter={enterAs}
          onEdit={(author) => {
            onStart("/workbench");
            enterAs(author);
          }}
        />
      )}
      {sample.length > 0 && signIn.password && (
        <h2 className="or">
          <span>{say("trial.or")}</span>
        </h2>
      )}
      <ProviderLinks returnTo={returnAddress(search)} />
      {signIn.password && (
        <PasswordForm
          failure={enter.error && !isOld ? toFailure(enter.error) : null}
          busy={enter.isPending && waitsFor === null}
          focus={sample.length === 0}
          given={account}
          onEnter={(credentials) => enter.mutate(credentials)}
          onForgotten={(typed) => {
            setAccount(typed);
            setForgotten(true);
          }}
        />
      )}
      {signIn.signUp.open ? <AskToRegister onDone={onDone} /> : <p className="front-closed">{say("sign.in.closed")}</p>}
    </div>
  );
};

/** True if a link to sign in without a password was refused: the server no longer knows it. */
const isOldLink = (error: Error, credentials: object): boolean =>
  !("password" in credentials) && toFailure(error).kind === "refused";
