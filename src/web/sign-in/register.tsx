import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { RegisteringJson } from "../../core/wire/accounts/people.ts";
import type { FieldJson } from "../../core/wire/entities.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { ErrorSummary } from "../form/error-summary.tsx";
import { OneShotFields, type OneShotForm, useOneShotForm } from "../form/use-one-shot-form.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { SkeletonLine } from "../ui/page/region-status.tsx";
import { PasswordField, SignInField, SignInProblem } from "./sign-in-fields.tsx";
import { UnreadLink } from "./unread-link.tsx";
import { useReloadForUser } from "./use-reload-for-user.ts";

/** Scrolls a form that opens below the rest of the page into view as a whole. */
const showWhole = (form: HTMLFormElement | null): void => form?.scrollIntoView({ block: "nearest" });

/** Requests an account: a link is mailed, and the response is the same whether or not the address has an account. */
export const AskToRegister = ({ onDone }: { onDone: () => void }) => {
  const { calls } = useClient();
  const { signIn } = useApplication();
  const { say, show } = useWords();
  const [open, setOpen] = useState(false);
  const [email, setEmail] = useState("");
  const ask = useMutation({ mutationFn: () => calls.askToRegister(email), retry: false });
  if (ask.isSuccess)
    return (
      <p className="front-closed" role="status">
        {say("register.sent", { email })}
      </p>
    );
  if (!open)
    return (
      <p className="front-closed">
        {say("register.none")}{" "}
        <Button small look="quiet" onClick={() => setOpen(true)}>
          {say("register.open")}
        </Button>
      </p>
    );
  if (signIn.signUp.fields !== null) return <RegisterAtOnce fields={signIn.signUp.fields} onDone={onDone} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ask.isPending) ask.mutate();
  };
  return (
    <form
      ref={showWhole}
      className="front-fields register"
      noValidate
      aria-label={say("register.title")}
      onSubmit={submit}
    >
      <h2>{say("register.title")}</h2>
      <SignInProblem failure={ask.error ? toFailure(ask.error) : null} title={say("register.failed")} />
      <p className="front-words">
        {signIn.signUp.emails === null
          ? say("register.words")
          : say("register.words.only", { domains: show.list(signIn.signUp.emails) })}
      </p>
      <SignInField
        label={say("sign.in.email")}
        type="email"
        autoComplete="email"
        value={email}
        onChange={setEmail}
        focus
      />
      <Button type="submit" busy={ask.isPending}>
        {say("register.ask")}
      </Button>
    </form>
  );
};

/** The fields that the document asks of new people, and their password. */
const NewAccountFields = ({
  oneShot,
  password,
  onPassword,
}: {
  oneShot: OneShotForm;
  password: string;
  onPassword: (password: string) => void;
}) => {
  const { say } = useWords();
  return (
    <>
      <OneShotFields oneShot={oneShot} />
      <PasswordField label={say("set.new")} autoComplete="new-password" value={password} onChange={onPassword} />
    </>
  );
};

/** Creates the account and signs in, where the document asks for no proof of the address. */
const RegisterAtOnce = ({ fields, onDone }: { fields: readonly FieldJson[]; onDone: () => void }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const { passwordLength: length } = useApplication().signIn;
  const arrive = useReloadForUser();
  const [password, setPassword] = useState("");
  const form = useOneShotForm("create", fields, null, null, async ({ name = "", email = "", ...more }) => {
    await calls.register({ name: String(name ?? ""), email: String(email ?? ""), password, more });
    await arrive();
    onDone();
  });
  return (
    <form
      ref={showWhole}
      className="front-fields register"
      noValidate
      aria-label={say("register.title")}
      onSubmit={form.submit}
    >
      <h2>{say("register.title")}</h2>
      <SignInProblem failure={form.failure} title={say("register.failed")} />
      {form.form.errors.length > 0 && (
        <ErrorSummary title={say("register.failed")} node={form.form} draftStored={false} />
      )}
      <p className="front-words">{say("register.words.now", { length })}</p>
      <NewAccountFields oneShot={form} password={password} onPassword={setPassword} />
      <Button type="submit" busy={form.busy}>
        {say("register.do")}
      </Button>
    </form>
  );
};

/** Creates the account for a link. */
export const Register = ({ token, onDone }: { token: string; onDone: () => void }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const owner = useQuery({
    queryKey: keys.registration(token),
    queryFn: ({ signal }) => calls.registration(token, signal),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (owner.data) return <RegisterForm token={token} registering={owner.data} onDone={onDone} />;
  if (owner.error)
    return (
      <UnreadLink
        title={say("register.title")}
        failure={toFailure(owner.error)}
        busy={owner.isFetching}
        onRetry={() => void owner.refetch()}
        onSignIn={onDone}
      />
    );
  return (
    <div className="front-form" aria-busy="true">
      <h1>{say("register.title")}</h1>
      <SkeletonLine width="60%" />
    </div>
  );
};

const RegisterForm = ({
  token,
  registering,
  onDone,
}: {
  token: string;
  registering: RegisteringJson;
  onDone: () => void;
}) => {
  const { calls } = useClient();
  const { say } = useWords();
  const { passwordLength: length } = useApplication().signIn;
  const arrive = useReloadForUser();
  const [password, setPassword] = useState("");
  const form = useOneShotForm("create", registering.fields, null, null, async ({ name = "", ...more }) => {
    await calls.register({ token, name: String(name ?? ""), password, more });
    await arrive();
    onDone();
  });
  return (
    <form className="front-form front-fields" noValidate onSubmit={form.submit}>
      <h1>{say("register.title")}</h1>
      <p className="front-words">{say("register.for", { email: registering.email, length })}</p>
      <SignInProblem failure={form.failure} title={say("register.failed")} />
      {form.form.errors.length > 0 && (
        <ErrorSummary title={say("register.failed")} node={form.form} draftStored={false} />
      )}
      <input type="text" autoComplete="username" value={registering.email} readOnly hidden />
      <NewAccountFields oneShot={form} password={password} onPassword={setPassword} />
      <Button type="submit" look="primary" className="large" busy={form.busy}>
        {say("register.do")}
      </Button>
    </form>
  );
};
