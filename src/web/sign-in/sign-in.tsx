import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import type { SamplePersonJson } from "../../core/wire/application.ts";
import { type Failure, toFailure } from "../api/api-error.ts";
import { type LinkToken, parseHanded } from "../api/link-token.ts";
import { useAddress, useApplication, useClient, useTitle } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { returnAddress } from "../routing/routes.ts";
import { AppMark } from "../ui/avatar.tsx";
import { Button } from "../ui/control/button.tsx";
import { ThemeButton } from "../ui/control/theme.tsx";
import { Icon } from "../ui/icon.tsx";
import { Main } from "../ui/page/page.tsx";
import { SkeletonLine } from "../ui/page/region-status.tsx";
import { ForgottenPassword } from "./forgotten-password.tsx";
import { MailedTransition } from "./mailed-transition.tsx";
import { ProviderFailed, ProviderLinks } from "./oidc-buttons.tsx";
import { AskToRegister, Register } from "./register.tsx";
import { SamplePeople } from "./sample-people.tsx";
import {
  isLinkGone,
  PasswordField,
  SignInField,
  SignInProblem,
  UnreadLink,
  useReloadForUser,
} from "./sign-in-form.tsx";
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
    <Front>
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
    </Front>
  );
};

/** The sentence from point 1 beside the form. */
const Front = ({ children }: { children: ReactNode }) => {
  const application = useApplication();
  const { say } = useWords();
  return (
    <div className="front-page">
      {application.signIn.demonstration && (
        <header className="trial-bar">
          <Icon name="alert" />
          <p>{say(application.signIn.others ? "trial.began" : "trial.bar")}</p>
        </header>
      )}
      <div className="front">
        <section className="front-says" aria-label={say("sign.in.about", { name: application.name })}>
          <p className="brand">
            <AppMark />
            <span>{application.name}</span>
          </p>
          {application.sentence && (
            <div className="front-sentence">
              <blockquote>{application.sentence}</blockquote>
              <p className="small-words">{say("sign.in.sentence.from")}</p>
            </div>
          )}
        </section>
        <Main className="front-asks">
          {children}
          {/* Last, so that the first field or person is the first stop of Tab. */}
          <ThemeButton className="front-theme" />
        </Main>
      </div>
    </div>
  );
};

interface SignInFormProps {
  /** Signs in at once. */
  readonly link: { readonly demonstration: string } | { readonly preview: string } | null;
  /** The reason why a provider sign-in failed. */
  readonly refused: string | null;
  /** Called with the page on which the person begins, if it is not the start page. */
  readonly onStart: (address: string) => void;
  readonly onDone: () => void;
}

const SignInForm = ({ link, refused, onStart, onDone }: SignInFormProps) => {
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

const Entering = () => {
  const { say } = useWords();
  return (
    <div className="front-form" aria-busy="true">
      <h1>{say("sign.in.entering")}</h1>
      <SkeletonLine width="60%" />
      <SkeletonLine width="40%" />
    </div>
  );
};

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

const FirstAdministrator = ({ token, onDone }: { token: string; onDone: () => void }) => {
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

/** Sets the password through a link, and signs the person in. */
const SetPassword = ({ token, onDone }: { token: string; onDone: () => void }) => {
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

export default SignInScreen;
