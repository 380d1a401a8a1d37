import { useEffect, useState } from "react";
import { type LinkToken, parseHanded } from "../api/link-token.ts";
import { useAddress, useApplication, useClient, useTitle } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { returnAddress } from "../routing/routes.ts";
import { FirstAdministrator } from "./first-administrator.tsx";
import { FrontPage } from "./front-page.tsx";
import { MailedTransition } from "./mailed-transition.tsx";
import { Register } from "./register.tsx";
import { SetPassword } from "./set-password.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { StopMails } from "./stop-mails.tsx";

/** Read once when the page loads, and removed from the history. */
const takeHanded = (): LinkToken | null => {
  if (location.pathname !== "/sign-in") return null;
  const handed = parseHanded(location.hash);
  if (handed) history.replaceState(history.state, "", location.pathname + location.search);
  return handed;
};

let handedOver: LinkToken | null | undefined;

const titles = {
  first: "first.title",
  password: "set.title",
  registration: "register.title",
  demonstration: "sign.in.title",
  preview: "sign.in.title",
  failed: "sign.in.title",
  mails: "stop.title",
  act: "mailed.page",
} as const;

const SignInScreen = () => {
  const { navigation } = useClient();
  const { person } = useApplication();
  const { say } = useWords();
  const { search } = useAddress();
  const [handed, setHanded] = useState<LinkToken | null>(() => {
    handedOver ??= takeHanded();
    return handedOver;
  });
  /** Where the author of a demonstration begins. */
  const [start, setStart] = useState<string | null>(null);
  useTitle(say(titles[handed?.kind ?? "demonstration"]));

  useEffect(() => {
    const onHashChange = () => setHanded(takeHanded());
    window.addEventListener("hashchange", onHashChange);
    return () => window.removeEventListener("hashchange", onHashChange);
  }, []);
  useEffect(() => {
    if (person && handed === null) navigation.go(start ?? returnAddress(search), "replace");
  }, [person, handed, navigation, search, start]);

  if (person && handed === null) return null;
  const onSignedIn = () => {
    handedOver = null;
    setHanded(null);
  };
  return (
    <FrontPage>
      {handed?.kind === "first" ? (
        <FirstAdministrator token={handed.token} onDone={onSignedIn} />
      ) : handed?.kind === "password" ? (
        <SetPassword token={handed.token} onDone={onSignedIn} />
      ) : handed?.kind === "registration" ? (
        <Register token={handed.token} onDone={onSignedIn} />
      ) : handed?.kind === "act" ? (
        <MailedTransition key={handed.token} token={handed.token} onDone={onSignedIn} />
      ) : handed?.kind === "mails" ? (
        <StopMails token={handed.token} onDone={onSignedIn} />
      ) : (
        <SignInForm
          link={
            handed?.kind === "demonstration"
              ? { demonstration: handed.token }
              : handed?.kind === "preview"
                ? { preview: handed.token }
                : null
          }
          refused={handed?.kind === "failed" ? handed.token : null}
          onStart={setStart}
          onDone={onSignedIn}
        />
      )}
    </FrontPage>
  );
};

export default SignInScreen;
