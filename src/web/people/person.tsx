import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AccountLine, LinkJson, PersonAccountJson } from "../../core/wire/accounts/people.ts";
import { type Failure, toFailure, toFailureOf } from "../api/api-error.ts";
import type { AccountUpdate } from "../api/people-calls.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useClient, useDelayed, usePerson, usePhone, useTitle } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { ClauseId } from "../ui/clause.tsx";
import { Button, IconButton } from "../ui/control/button.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { Menu } from "../ui/overlay/menu.tsx";
import { usePopup } from "../ui/overlay/popup.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { Breadcrumbs } from "../ui/page/breadcrumbs.tsx";
import { NotFound } from "../ui/page/not-found.tsx";
import { ProblemNote } from "../ui/page/problem-note.tsx";
import { FailedRegion, SkeletonLine } from "../ui/page/region-status.tsx";
import { StatePill } from "../ui/state-mark.tsx";
import { useRoleWords } from "../ui/use-role-names.ts";
import { useAccountState } from "./account-status.ts";
import { DeputyList } from "./deputies.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { Roles } from "./roles.tsx";
import { Sessions } from "./sessions.tsx";
import { Tokens } from "./tokens.tsx";
import { useUnsentReason } from "./unsent-reason.ts";
import "../record/record-actions.css";
import "../record/record-fields.css";
import "../record/record-history.css";
import "../record/record.css";
import "./people.css";

/** An account, for administrators: its status, actions, and history. */
const PersonAccount = ({ id }: { id: string }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const query = useQuery({
    queryKey: keys.personAccount(id),
    queryFn: ({ signal }) => calls.personAccount(id, signal),
  });
  const loading = useDelayed(query.isPending);
  useTitle(query.data?.name ?? say("menu.people"));
  const failure = toFailureOf(query);
  if (failure?.kind === "refused" && failure.problem.status === 404) return <NotFound />;
  if (query.data) return <Loaded account={query.data} />;
  return (
    <>
      <h1 className="hidden-words">{say("menu.people")}</h1>
      {failure ? (
        <div className="region">
          <FailedRegion failure={failure} retry={() => void query.refetch()} />
        </div>
      ) : (
        loading && (
          <div className="region skeleton" aria-busy="true">
            <SkeletonLine width="40%" />
            <SkeletonLine width="70%" />
          </div>
        )
      )}
    </>
  );
};

export default PersonAccount;

/** The calls that change an account. `own`: it is the reader's. `failure`: why the last one failed. */
const useAccountCalls = (person: string, own: boolean, onLink: (link: LinkJson) => void) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const toast = useToast();
  const [failure, setFailure] = useState<Failure | null>(null);
  const fail = (thrown: unknown) => {
    const met = toFailure(thrown);
    if (met.kind !== "signed out") setFailure(met);
  };
  const refresh = async () => {
    await reload(queries, { queryKey: keys.people });
    // A change of one's own roles changes the manifest.
    if (own) await reload(queries, { queryKey: keys.application });
  };
  const change = useMutation({
    mutationFn: ({ act }: { act: AccountUpdate; message: string }) => calls.changeAccount(person, act),
    onMutate: () => setFailure(null),
    onSuccess: (_, { message }) => toast(message),
    onError: fail,
    onSettled: refresh,
  });
  const makeLink = useMutation({
    mutationFn: () => calls.passwordLink(person),
    retry: false,
    onMutate: () => setFailure(null),
    onSuccess: onLink,
    onError: fail,
    onSettled: refresh,
  });
  const endToken = useMutation({
    mutationFn: (token: string) => calls.endPersonToken(person, token),
    onMutate: () => setFailure(null),
    onSuccess: () => toast(say("tokens.ended")),
    onError: fail,
    onSettled: refresh,
  });
  return { change, makeLink, endToken, failure, fail };
};

const AccountFields = ({ account }: { account: PersonAccountJson }) => {
  const { say, show } = useWords();
  const sayReason = useUnsentReason();
  return (
    <dl className="fields">
      <div>
        <dt>{say("person.made")}</dt>
        <dd>{show.moment(account.created_at)}</dd>
      </div>
      <div>
        <dt>{say("person.password")}</dt>
        <dd>
          {say(account.password ? "person.password.set" : "person.password.none")}
          {account.link_until !== null && (
            <p className="small-words">{say("person.link.until", { until: show.moment(account.link_until) })}</p>
          )}
          {account.active && account.invitation === "expired" && (
            <p className="small-words">{say("person.invite.expired")}</p>
          )}
          {account.link_mail !== null && (
            <p className="small-words">
              {account.link_mail === "waiting"
                ? say("person.link.waiting")
                : say("person.link.failed", { reason: sayReason(account.link_mail) })}
            </p>
          )}
        </dd>
      </div>
    </dl>
  );
};

interface DeactivateDialogProps {
  readonly name: string;
  /** True for somebody who has not accepted their invitation. */
  readonly isInvited: boolean;
  readonly onDeactivate: () => void;
  readonly onClose: () => void;
}

const DeactivateDialog = ({ name, isInvited, onDeactivate, onClose }: DeactivateDialogProps) => {
  const { say } = useWords();
  return (
    <Dialog title={say(isInvited ? "person.withdraw.title" : "person.deactivate.title", { name })} onClose={onClose}>
      <p className="dialog-words">{say(isInvited ? "person.withdraw.words" : "person.deactivate.words")}</p>
      <footer className="dialog-foot">
        <Button look="danger" onClick={onDeactivate}>
          {say(isInvited ? "person.withdraw.do" : "person.deactivate.do")}
        </Button>
        <Button look="quiet" onClick={onClose}>
          {say("form.cancel")}
        </Button>
      </footer>
    </Dialog>
  );
};

interface ActiveActionsProps {
  readonly own: boolean;
  /** True for somebody who has not accepted their invitation. */
  readonly isInvited: boolean;
  readonly name: string;
  readonly isLinking: boolean;
  readonly onView: () => void;
  readonly onLink: () => void;
  readonly onDeactivate: () => void;
}

/** The actions on an active account. A phone has room for one of them, and a menu for the others. */
const ActiveActions = ({ own, isInvited, name, isLinking, onView, onLink, onDeactivate }: ActiveActionsProps) => {
  const { say } = useWords();
  const phone = usePhone();
  const menu = usePopup();
  const linkWords = say(isInvited ? "person.invite.again" : "person.link");
  const endWords = say(isInvited ? "person.withdraw" : "person.deactivate");
  const link = (
    <Button icon="link" busy={isLinking} onClick={onLink}>
      {linkWords}
    </Button>
  );
  const view = (
    <Button icon="show" onClick={onView}>
      {say("look.do")}
    </Button>
  );
  if (!phone)
    return (
      <>
        {!own && view}
        {link}
        <Button onClick={onDeactivate}>{endWords}</Button>
      </>
    );
  const label = say("record.more", { label: name });
  // Somebody who is invited is waited for.
  const second = isInvited
    ? { key: "view", label: say("look.do"), icon: "show" as const, act: onView }
    : { key: "link", label: linkWords, icon: "link" as const, act: onLink };
  return (
    <>
      {own || isInvited ? link : view}
      <IconButton icon="more" look="plain" label={label} aria-haspopup="menu" {...menu.control} />
      <Menu
        popup={menu}
        label={label}
        items={[
          ...(own ? [] : [second]),
          { key: "deactivate", label: endWords, icon: "lock" as const, act: onDeactivate, asks: true },
        ]}
      />
    </>
  );
};

const Loaded = ({ account }: { account: PersonAccountJson }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const stateOf = useAccountState();
  const roleWords = useRoleWords();
  const own = usePerson()?.id === account.id;
  const [deactivating, setDeactivating] = useState(false);
  const [link, setLink] = useState<LinkJson | null>(null);
  const { change, makeLink, endToken, failure, fail } = useAccountCalls(account.id, own, setLink);
  const act = change.variables?.act;
  // Somebody who is signed in needs no invitation: a link for the own account is for its password.
  const isInvited = account.invitation !== null && !own;
  const busyRole = change.isPending && act && "role" in act ? act.role : null;

  return (
    <article className="record person-account" aria-labelledby="person">
      <Breadcrumbs trail={[{ label: say("menu.people"), href: "/workbench/people" }]} current={account.name} />
      <header className="record-head">
        <div className="record-title">
          <h1 id="person">
            <bdi>{account.name}</bdi>
          </h1>
          <p className="record-meta">
            <StatePill state={stateOf(account)} />
            <a className="link break" href={`mailto:${account.email}`}>
              {account.email}
            </a>
          </p>
        </div>
        <div className="actions">
          {account.active ? (
            <ActiveActions
              own={own}
              isInvited={isInvited}
              name={account.name}
              isLinking={makeLink.isPending}
              onView={() => void calls.viewAs(account.id).then(() => window.location.assign("/"), fail)}
              onLink={() => makeLink.mutate()}
              onDeactivate={() => setDeactivating(true)}
            />
          ) : (
            <Button
              look="primary"
              busy={change.isPending}
              onClick={() => change.mutate({ act: { kind: "activate" }, message: say("person.activated") })}
            >
              {say("person.activate")}
            </Button>
          )}
        </div>
      </header>
      <div className="columns">
        <div className="record-body">
          {failure && <ProblemNote title={say("person.failed")} failure={failure} />}
          <AccountFields account={account} />
          <div className="people-part">
            <Roles
              help={say("person.roles.words")}
              roles={account.grantable}
              chosen={new Set(account.roles)}
              busy={busyRole}
              onChange={(role, holds) =>
                change.isPending ||
                change.mutate({
                  act: { kind: holds ? "grant" : "take", role },
                  message: say(holds ? "person.granted" : "person.taken", { role: roleWords.one(role) }),
                })
              }
            />
          </div>
          <DeputyList person={account.id} own={false} />
          <Sessions sessions={account.open}>
            {account.open.length + account.tokens.length > 0 && (
              <Button
                small
                busy={change.isPending && act?.kind === "end_sessions"}
                onClick={() => change.mutate({ act: { kind: "end_sessions" }, message: say("person.ended") })}
              >
                {say("person.end")}
              </Button>
            )}
          </Sessions>
          {account.tokens.length > 0 && (
            <Tokens tokens={account.tokens} onEnd={({ id }) => endToken.isPending || endToken.mutate(id)} />
          )}
        </div>
        <aside className="aside" aria-labelledby="history">
          <section>
            <h2 id="history">{say("history.title")}</h2>
            <ol className="history">
              {account.history.map((line) => (
                <Line key={`${line.at} ${line.action}`} line={line} />
              ))}
            </ol>
          </section>
        </aside>
      </div>
      {deactivating && (
        <DeactivateDialog
          name={account.name}
          isInvited={isInvited}
          onDeactivate={() => {
            setDeactivating(false);
            const message = say(isInvited ? "person.withdrawn" : "person.deactivated");
            change.mutate({ act: { kind: "deactivate" }, message });
          }}
          onClose={() => setDeactivating(false)}
        />
      )}
      {link && <LinkDialog name={account.name} link={link} onClose={() => setLink(null)} />}
    </article>
  );
};

const acts = {
  create: "act.create",
  activate: "act.activate",
  deactivate: "act.deactivate",
  grant: "act.grant",
  take: "act.take",
  password_link: "act.password_link",
  set_password: "act.set_password",
  end_sessions: "act.end_sessions",
  make_token: "act.make_token",
  end_token: "act.end_token",
  link_provider: "act.link_provider",
  look_as: "act.look_as",
  ask_for: "act.ask_for",
  export_retired: "act.export_retired",
  delete_retired: "act.delete_retired",
  remove_samples: "act.remove_samples",
} as const;

const Line = ({ line }: { line: AccountLine }) => {
  const { say, rich, show } = useWords();
  const roleWords = useRoleWords();
  const roles = roleWords.all([...line.granted, ...line.taken]);
  const act = line.action === "create" && line.person === null ? "act.create.itself" : acts[line.action];
  return (
    <li>
      <div>
        <p>
          {rich(act, {
            person: <bdi>{line.person?.label}</bdi>,
            roles: <b>{roles}</b>,
            token: <bdi>{line.token}</bdi>,
            retired: <code dir="ltr">{line.retired}</code>,
            removed: line.removed ?? 0,
          })}
        </p>
        {line.action === "create" && line.granted.length > 0 && (
          <p className="small-words">{say("person.roles.of", { roles })}</p>
        )}
        <p className="small-words history-when">
          <time dateTime={line.at}>{show.moment(line.at)}</time>
          <ClauseId of={line.clause} />
        </p>
      </div>
    </li>
  );
};
