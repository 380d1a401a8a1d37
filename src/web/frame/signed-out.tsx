import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useAddress, useApplication, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { ProviderLinks } from "../sign-in/oidc-buttons.tsx";
import { PasswordForm } from "../sign-in/password-form.tsx";
import { SignInProblem } from "../sign-in/sign-in-fields.tsx";
import { useReloadForUser } from "../sign-in/use-reload-for-user.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button, buttonClass } from "../ui/control/button.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import "./signed-out.css";

/** Returns a function that continues on the page as the person who is signed in now; nothing happens without one. */
const useContinue = (): (() => Promise<void>) => {
  const { calls, queries, signedOut, navigation } = useClient();
  const { person } = useApplication();
  const arrive = useReloadForUser();
  return async () => {
    const now = await calls.application();
    if (now.person === null) return;
    if (now.person.id === person?.id) {
      queries.setQueryData(keys.application, now);
      signedOut.set(false);
      await reload(queries);
      return;
    }
    // Somebody else has signed in: nothing of the previous user may remain.
    await arrive();
    navigation.go("/", "replace");
  };
};

/** Continues when the person comes back from another window, after signing in there. */
const useReturn = (onReturn: () => Promise<void>): void => {
  useEffect(() => {
    const follow = () => void onReturn().catch(() => undefined);
    window.addEventListener("focus", follow);
    return () => window.removeEventListener("focus", follow);
  }, [onReturn]);
};

/** A sign-in dialog above the page. */
const SignInAgain = () => {
  const { calls } = useClient();
  const { person, signIn } = useApplication();
  const { say } = useWords();
  const { path, search } = useAddress();
  const goOn = useContinue();
  useReturn(goOn);
  const enter = useMutation({
    mutationFn: async (credentials: Parameters<typeof calls.signIn>[0]) => {
      await calls.signIn(credentials);
      await goOn();
    },
  });
  const same = signIn.demonstration?.filter(({ name }) => name === person?.name) ?? [];
  const failure = enter.error ? toFailure(enter.error) : null;
  const returnTo = search === "" ? path : `${path}?${search}`;
  return (
    <Dialog title={say("signed.out.title")} firm onClose={() => {}} className="signed-out">
      <p className="dialog-words">{say("signed.out.words", { name: person?.name ?? "" })}</p>
      <div className="signed-out-ways">
        {same.length > 0 && <SignInProblem failure={failure} title={say("sign.in.failed")} />}
        {same.map(({ name, token }) => (
          <Button
            key={token}
            look="primary"
            className="large"
            busy={enter.isPending}
            onClick={() => enter.mutate({ demonstration: token })}
          >
            <Avatar name={name} />
            {say("signed.out.sample", { name })}
          </Button>
        ))}
        <ProviderLinks returnTo={returnTo} />
        {signIn.password && same.length === 0 && (
          <PasswordForm failure={failure} busy={enter.isPending} onEnter={(credentials) => enter.mutate(credentials)} />
        )}
        {/* For a forgotten password, and for somebody else. The page is loaded anew, without the person. */}
        <a className={buttonClass("quiet")} href={`/sign-in?to=${encodeURIComponent(returnTo)}`}>
          {say("signed.out.page")}
        </a>
      </div>
    </Dialog>
  );
};

export default SignInAgain;
