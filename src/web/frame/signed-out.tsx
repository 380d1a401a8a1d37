import { useMutation } from "@tanstack/react-query";
import { failureOf } from "../client/failure.ts";
import { keys } from "../client/queries.ts";
import { Avatar } from "../part/avatar.tsx";
import { Button } from "../part/button.tsx";
import { useApplication, useClient } from "../part/context.tsx";
import { Dialog } from "../part/dialog.tsx";
import { useArrival } from "../screen/front.tsx";
import { PasswordForm } from "../screen/sign-in.tsx";
import { useWords } from "../words/words.tsx";

/** Over the page, which stays as it is. */
const SignInAgain = () => {
  const { calls, queries, signedOut, navigation } = useClient();
  const { person, signIn } = useApplication();
  const { say } = useWords();
  const arrive = useArrival();
  const enter = useMutation({
    mutationFn: async (who: Parameters<typeof calls.signIn>[0]) => {
      await calls.signIn(who);
      const now = await calls.application();
      if (now.person?.id === person?.id) {
        queries.setQueryData(keys.application, now);
        signedOut.set(false);
        await queries.invalidateQueries();
        return;
      }
      // Somebody else: nothing of the person before may stay on the page.
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
          failure={enter.error ? failureOf(enter.error) : null}
          busy={enter.isPending}
          onEnter={(who) => enter.mutate(who)}
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
