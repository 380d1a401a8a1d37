import { useMutation } from "@tanstack/react-query";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { PasswordForm } from "../sign-in/sign-in.tsx";
import { useReloadForUser } from "../sign-in/sign-in-form.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { Button } from "../ui/control/button.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import "./signed-out.css";

/** A sign-in dialog above the page. */
const SignInAgain = () => {
  const { calls, queries, signedOut, navigation } = useClient();
  const { person, signIn } = useApplication();
  const { say } = useWords();
  const arrive = useReloadForUser();
  const enter = useMutation({
    mutationFn: async (credentials: Parameters<typeof calls.signIn>[0]) => {
      await calls.signIn(credentials);
      const now = await calls.application();
      if (now.person?.id === person?.id) {
        queries.setQueryData(keys.application, now);
        signedOut.set(false);
        await queries.invalidateQueries();
        return;
      }
      // Somebody else has signed in: nothing of the previous user may remain.
      await arrive();
      navigation.go("/", "replace");
    },
  });
  const same = signIn.demonstration?.filter(({ name }) => name === person?.name) ?? [];
  return (
    <Dialog title={say("signed.out.title")} firm onClose={() => {}} className="signed-out">
      <p className="dialog-words">{say("signed.out.words", { name: person?.name ?? "" })}</p>
      {signIn.password && (
        <PasswordForm
          failure={enter.error ? toFailure(enter.error) : null}
          busy={enter.isPending}
          onEnter={(credentials) => enter.mutate(credentials)}
        />
      )}
      {same.map(({ name, token }) => (
        <Button key={token} className="large" onClick={() => enter.mutate({ demonstration: token })}>
          <Avatar name={name} />
          {say("signed.out.sample", { name })}
        </Button>
      ))}
    </Dialog>
  );
};

export default SignInAgain;
