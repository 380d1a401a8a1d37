import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { OwnAccountJson, RoleRelationJson, SessionJson } from "../../../core/wire/accounts/account.ts";
import { toFailureOf } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { reload } from "../../api/reload.ts";
import { useApplication, useClient, useDelayed, usePerson, useStore, useTitle } from "../../app/app-context.tsx";
import { nameOfLanguage, PEOPLE } from "../../format/names.ts";
import { useWords } from "../../i18n/words.tsx";
import { RefusedButton } from "../../permissions/explain-button.tsx";
import { recordAddress } from "../../routing/routes.ts";
import { PasswordField } from "../../sign-in/sign-in-fields.tsx";
import { Button } from "../../ui/control/button.tsx";
import { CheckBox } from "../../ui/control/check-box.tsx";
import { Link } from "../../ui/link.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { FailureNote } from "../../ui/page/problem-note.tsx";
import { FailedRegion, SkeletonLine } from "../../ui/page/region-status.tsx";
import { useRoleWords } from "../../ui/use-role-names.ts";
import { DeputyList } from "../deputies.tsx";
import { RecentSignIns } from "../recent-sign-ins.tsx";
import { Sessions } from "../sessions.tsx";
import { OwnTokens } from "../tokens.tsx";
import { MailSettings, NoMails } from "./mail-settings.tsx";
import { ChangeNameDialog, CloseAccountDialog, SignOutDialog } from "./own-account-dialogs.tsx";
import { Choice } from "./setting-choice.tsx";
import "../../record/record-fields.css";
import "../../record/record.css";
import "../people.css";

/** The user's own account: sessions, password, tokens. */
const Account = () => {
  const { calls } = useClient();
  const { say } = useWords();
  const query = useQuery({ queryKey: keys.account, queryFn: ({ signal }) => calls.account(signal) });
  const loading = useDelayed(query.isPending);
  useTitle(say("menu.account"));
  const failure = toFailureOf(query);
  return (
    <article className="record person-account" aria-labelledby="account">
      <header className="page-head">
        <h1 id="account">{say("menu.account")}</h1>
      </header>
      {query.data ? (
        <Loaded account={query.data} />
      ) : failure ? (
        <div className="region">
          <FailedRegion failure={failure} retry={() => void query.refetch()} />
        </div>
      ) : (
        loading && (
          <div className="region skeleton" aria-busy="true">
            <SkeletonLine width="40%" />
          </div>
        )
      )}
    </article>
  );
};

export default Account;

const Loaded = ({ account }: { account: OwnAccountJson }) => {
  const { say } = useWords();
  const person = usePerson();
  const { screens, signIn } = useApplication();
  // Fields of the document, such as a deputy, are on the person's record.
  const page = person === null ? null : recordAddress(screens, PEOPLE, person.id);
  const roleWords = useRoleWords();
  const sayRelation = useRelationWords();
  const roles = [
    ...account.roles.map((role) => roleWords.one(role)),
    ...(person?.everybody ?? []).map((role) => say("account.role.everybody", { role: roleWords.one(role) })),
    ...account.relations.map(sayRelation),
  ];
  const [openDialog, setOpenDialog] = useState<"name" | "close" | null>(null);
  /** The session to end, or all others. */
  const [ending, setEnding] = useState<SessionJson | "others" | null>(null);
  return (
    <div className="record-body">
      <dl className="fields">
        <div>
          <dt>{say("people.name")}</dt>
          <dd>
            <bdi>{account.name}</bdi>
          </dd>
          <dd className="account-acts">
            {account.renameRefused === null ? (
              <Button small onClick={() => setOpenDialog("name")}>
                {say("account.name.change")}
              </Button>
            ) : (
              <RefusedButton
                className="small"
                side="start"
                label={say("account.name.change")}
                why={account.renameRefused}
                {...(person === null
                  ? {}
                  : { question: { what: `${PEOPLE}.update`, record: person.id, field: "name" } })}
              />
            )}
            {page !== null && (
              <Link className="link" href={page}>
                {say("account.page")}
              </Link>
            )}
          </dd>
        </div>
        <div>
          <dt>{say("people.email")}</dt>
          <dd>{account.email}</dd>
        </div>
        <div>
          <dt>{say("people.roles")}</dt>
          {roles.length === 0 && <dd className="none">{say("people.roles.none")}</dd>}
          {roles.map((role) => (
            <dd key={role}>{role}</dd>
          ))}
        </div>
      </dl>
      <Settings />
      {account.mails && !account.sample ? (
        <MailSettings entities={account.mails} reports={account.reports} />
      ) : (
        <NoMails isSample={account.mails !== null} />
      )}
      {person !== null && <DeputyList person={person.id} own />}
      <Sessions sessions={account.open} onEnd={setEnding}>
        {account.open.length > 1 && (
          <Button small onClick={() => setEnding("others")}>
            {say("sessions.end.others")}
          </Button>
        )}
      </Sessions>
      <RecentSignIns recent={account.recent} />
      {account.tokens && <OwnTokens tokens={account.tokens} password={account.password} />}
      <section aria-labelledby="password" className="people-part">
        <h2 id="password">{say(account.password ? "account.password" : "account.password.one")}</h2>
        {account.password ? (
          <ChangePassword email={account.email} />
        ) : person?.administrator ? (
          <p>
            {say("account.password.none.administrator")}{" "}
            <Link className="link" href={`/workbench/people/${person.id}`}>
              {say("account.password.own")}
            </Link>
          </p>
        ) : (
          <p>{say(signIn.demonstration ? "account.password.none.demonstration" : "account.password.none")}</p>
        )}
      </section>
      {account.closes && (
        <section aria-labelledby="close" className="people-part">
          <h2 id="close">{say("account.close")}</h2>
          <p>{say("account.close.words")}</p>
          <Button onClick={() => setOpenDialog("close")}>{say("account.close.ask")}</Button>
        </section>
      )}
      {openDialog === "name" && <ChangeNameDialog account={account} onClose={() => setOpenDialog(null)} />}
      {ending !== null && (
        <SignOutDialog session={ending === "others" ? null : ending} onClose={() => setEnding(null)} />
      )}
      {openDialog === "close" && <CloseAccountDialog account={account} onClose={() => setOpenDialog(null)} />}
    </div>
  );
};

/**
 * Says by which records the user holds a role: “Approver, as head of Logistics”. The field is left out if the role is called
 * after it, such as a warden after the wardens of an instrument.
 */
const useRelationWords = (): ((relation: RoleRelationJson) => string) => {
  const { entities } = useApplication();
  const { say, show } = useWords();
  return ({ role, entity, field, records, count }) => {
    const { many = "", fields = [] } = entities[entity] ?? {};
    const label = fields.find(({ name }) => name === field)?.label ?? "";
    const counted = typeof count === "number" ? show.number(count) : count;
    const shown =
      count === records.length
        ? show.list(records)
        : entity === PEOPLE
          ? say("account.role.people", { count: counted })
          : say("account.role.records", { count: counted, many });
    return label.toLowerCase().includes(role.toLowerCase())
      ? say("account.role.of", { role, records: shown })
      : say("account.role.relation", { role, field: label, records: shown });
  };
};

/** The user's preferences. */
const Settings = () => {
  const { preferences, queries } = useClient();
  const { languages, locale } = useApplication();
  const { say } = useWords();
  const theme = useStore(preferences.theme);
  const roomy = useStore(preferences.roomy);
  const singleKeys = useStore(preferences.singleKeys);
  const read = async (language: string) => {
    preferences.language.set(language);
    await preferences.saved();
    await reload(queries);
  };
  return (
    <section aria-labelledby="settings" className="people-part settings">
      <h2 id="settings">{say("menu.settings")}</h2>
      {languages.length > 1 && (
        <Choice
          label={say("account.language")}
          value={locale}
          options={languages.map((language) => ({ value: language, words: nameOfLanguage(language), lang: language }))}
          onChoose={(language) => void read(language)}
        />
      )}
      <Choice
        label={say("account.theme")}
        value={theme ?? ""}
        options={[
          { value: "", words: say("account.theme.system") },
          { value: "light", words: say("theme.light") },
          { value: "dark", words: say("theme.dark") },
        ]}
        onChoose={(value) => preferences.theme.set(value === "light" || value === "dark" ? value : null)}
      />
      <CheckBox checked={roomy} onTurn={preferences.roomy.set}>
        {say("columns.roomy")}
      </CheckBox>
      <CheckBox checked={singleKeys} onTurn={preferences.singleKeys.set}>
        {say("keys.single")}
      </CheckBox>
      <p className="small-words">{say("account.settings.words")}</p>
    </section>
  );
};

const ChangePassword = ({ email }: { email: string }) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const { signIn } = useApplication();
  const toast = useToast();
  const [current, setCurrent] = useState("");
  const [fresh, setFresh] = useState("");
  const change = useMutation({
    mutationFn: () => calls.changePassword(current, fresh),
    retry: false,
    onSuccess: () => {
      setCurrent("");
      setFresh("");
      toast(say("account.password.done"));
    },
    onSettled: () => reload(queries, { queryKey: keys.account }),
  });
  return (
    <form
      className="front-fields password-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!change.isPending) change.mutate();
      }}
    >
      <FailureNote title={say("account.password.failed")} error={change.error} />
      <input type="text" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label={say("account.password.current")}
        autoComplete="current-password"
        value={current}
        onChange={setCurrent}
      />
      <PasswordField label={say("set.new")} autoComplete="new-password" value={fresh} onChange={setFresh} />
      <p className="help">{say("account.password.words", { length: signIn.passwordLength })}</p>
      <div>
        <Button type="submit" look="primary" busy={change.isPending}>
          {say("account.password.do")}
        </Button>
      </div>
    </form>
  );
};
