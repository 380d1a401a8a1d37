import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { RegisteringJson } from "../../core/wire.ts";
import type { Body } from "../client/calls.ts";
import { failureOf } from "../client/failure.ts";
import { enter, leave, openForm, readForm, refuseForm, toMendAt } from "../client/form.ts";
import { keys } from "../client/queries.ts";
import { Button } from "../part/button.tsx";
import { useApplication, useClient, useHere } from "../part/context.tsx";
import { Bone } from "../part/region.tsx";
import { useWords } from "../words/words.tsx";
import { FormField } from "./form-field.tsx";
import { FrontField, FrontProblem, PasswordField, useArrival } from "./front.tsx";

/** Asks for an account: a link goes to the address, and what is said is the same whoever has it. */
export const AskToRegister = () => {
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ask.isPending) ask.mutate();
  };
  return (
    <form className="front-fields register" noValidate aria-label={say("register.title")} onSubmit={submit}>
      <h2>{say("register.title")}</h2>
      <FrontProblem failure={ask.error ? failureOf(ask.error) : null} title={say("register.failed")} />
      <p className="front-words">
        {signIn.signUp.emails === null
          ? say("register.words")
          : say("register.words.only", { domains: show.list(signIn.signUp.emails) })}
      </p>
      <FrontField
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

/** Makes the account whose link somebody followed. */
export const Register = ({ token, onDone }: { token: string; onDone: () => void }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const owner = useQuery({
    queryKey: keys.registration(token),
    queryFn: ({ signal }) => calls.registration(token, signal),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (owner.data) return <RegisterForm token={token} asked={owner.data} onDone={onDone} />;
  return (
    <div className="front-form front-fields" aria-busy={owner.isPending || undefined}>
      <h1>{say("register.title")}</h1>
      {owner.error ? (
        <>
          <FrontProblem failure={failureOf(owner.error)} title={say("set.gone")} />
          <Button onClick={onDone}>{say("sign.in.title")}</Button>
        </>
      ) : (
        <Bone width="60%" />
      )}
    </div>
  );
};

const RegisterForm = ({ token, asked, onDone }: { token: string; asked: RegisteringJson; onDone: () => void }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const here = useHere();
  const arrive = useArrival();
  const [form, setForm] = useState(() => openForm("make", asked.fields, null, here));
  const [password, setPassword] = useState("");
  const make = useMutation({
    mutationFn: async (body: Body) => {
      const { name = "", ...more } = body;
      await calls.register({ token, name: String(name ?? ""), password, more });
      await arrive();
    },
    retry: false,
    onSuccess: onDone,
  });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (make.isPending) return;
    const read = readForm(form, here);
    if (read.kind === "form") {
      setForm(read.form);
      return;
    }
    await make.mutateAsync(read.body).catch((thrown: unknown) => {
      const met = failureOf(thrown);
      if (met.kind === "refused" && (met.problem.errors?.length ?? 0) > 0) setForm(refuseForm(form, met.problem));
    });
  };
  return (
    <form className="front-form front-fields" noValidate onSubmit={(event) => void submit(event)}>
      <h1>{say("register.title")}</h1>
      <p className="front-words">{say("register.for", { email: asked.email })}</p>
      <FrontProblem failure={make.error ? failureOf(make.error) : null} title={say("register.failed")} />
      <input type="text" autoComplete="username" value={asked.email} readOnly hidden />
      {asked.fields.map((field) => (
        <FormField
          key={field.name}
          field={field}
          entered={form.entered[field.name] ?? null}
          changed={false}
          toMend={toMendAt(form, field.name)}
          onEnter={(entered) => setForm((now) => enter(now, field.name, entered, here))}
          onLeave={() => setForm((now) => leave(now, field.name, here))}
        />
      ))}
      <PasswordField
        label={say("account.password.new")}
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
      />
      <Button type="submit" look="primary" className="large" busy={make.isPending}>
        {say("register.do")}
      </Button>
    </form>
  );
};
