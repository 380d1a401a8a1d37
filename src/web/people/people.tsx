import { useDeferredValue, useState } from "react";
import type { AccountJson } from "../../core/wire/accounts/people.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useAddress, useClient, usePhone, useTitle } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { Button, buttonClass } from "../ui/control/button.tsx";
import { Link } from "../ui/link.tsx";
import { PagedRegion, SearchField, usePages } from "../ui/page/paged-list.tsx";
import { Progress } from "../ui/page/region-status.tsx";
import { StateWord } from "../ui/state-mark.tsx";
import { useRoleWords } from "../ui/use-role-names.ts";
import { useAccountState } from "./account-status.ts";
import { InviteDialog } from "./invite-dialog.tsx";
import { InviteSeveralDialog } from "./invite-several-dialog.tsx";
import { OutboundHold } from "./outbound-hold.tsx";
import { Registrations } from "./registrations.tsx";
import { RemoveSamples, SampleMark } from "./samples.tsx";
import "./people.css";

/** All accounts, for administrators. */
const People = () => {
  const { calls, queries } = useClient();
  const { search: address } = useAddress();
  const { say } = useWords();
  const phone = usePhone();
  const chosen = new URLSearchParams(address);
  const roles = chosen.getAll("role");
  const samples = chosen.has("sample");
  const [typed, setTyped] = useState("");
  const [inviting, setInviting] = useState<"one" | "several" | null>(null);
  const search = useDeferredValue(typed.trim());
  useTitle(say("menu.people"));
  const filter = { search, roles, samples };
  const list = usePages(keys.peopleFound(filter), (after, signal) => calls.people(filter, after, signal));
  const people = list.pages?.flatMap(({ items }) => items) ?? [];
  const [first] = list.pages ?? [];
  const close = () => {
    setInviting(null);
    // Meanwhile, emails were sent or not, and links used.
    void reload(queries, { queryKey: keys.people });
  };
  // A pasted list has names and addresses alone.
  const asksMore = first?.fields.some(({ name, optional }) => !optional && name !== "name" && name !== "email");
  const others = (
    <>
      <Link href="/workbench/sign-ins" className={buttonClass("plain", phone ? "small" : "")}>
        {say("signins.title")}
      </Link>
      <UnsentLink />
      {first && !asksMore && (
        <Button small={phone} aria-haspopup="dialog" onClick={() => setInviting("several")}>
          {say("several.open")}
        </Button>
      )}
    </>
  );

  return (
    <section className="list" aria-labelledby="people">
      <Progress shown={list.isRefreshing} />
      <header className="page-head">
        <h1 id="people">{say("menu.people")}</h1>
        {first && search === "" && roles.length === 0 && !samples && (
          <span className="count">
            {say("people.count", { count: people.length, more: list.query.hasNextPage ? "yes" : "no" })}
          </span>
        )}
        <span className="grow" />
        {!phone && others}
        {first && (
          <Button look="primary" icon="plus" aria-haspopup="dialog" onClick={() => setInviting("one")}>
            {say("people.invite")}
          </Button>
        )}
      </header>
      <div className="filters">
        <SearchField label={say("people.search")} value={typed} onChange={setTyped} />
      </div>
      {first && (first.roles.length > 1 || first.samples > 0) && (
        <RoleLinks roles={first.roles} chosen={roles} samples={samples} hasSamples={first.samples > 0} />
      )}
      {first && samples && first.samples > 0 && <RemoveSamples count={first.samples} />}
      {phone && <div className="people-others">{others}</div>}
      <OutboundHold />
      <Registrations />
      <PagedRegion
        list={list}
        none={
          samples
            ? say("people.none.sample")
            : roles.length === 0
              ? say("people.none", { search })
              : say("people.none.role")
        }
      >
        {(found) => (phone ? <PhoneRows people={found} /> : <Table people={found} />)}
      </PagedRegion>
      {inviting === "one" && first && (
        <InviteDialog fields={first.fields} roles={first.roles} mails={first.mails} onClose={close} />
      )}
      {inviting === "several" && first && <InviteSeveralDialog roles={first.roles} onClose={close} />}
    </section>
  );
};

export default People;

/** The page of messages that were not sent, with their number: a wrong mail server is noticed nowhere else. */
const UnsentLink = () => {
  const { calls } = useClient();
  const { say } = useWords();
  const phone = usePhone();
  const { pages, query } = usePages(keys.unsent, (after, signal) => calls.unsent(after, signal));
  const count = pages?.flatMap(({ items }) => items).length ?? 0;
  return (
    <Link href="/workbench/unsent" className={buttonClass("plain", phone ? "small" : "")}>
      {say("unsent.title")}
      {count > 0 && (
        <span className="people-unsent">{say("people.count", { count, more: query.hasNextPage ? "yes" : "no" })}</span>
      )}
    </Link>
  );
};

interface RoleLinksProps {
  readonly roles: readonly string[];
  readonly chosen: readonly string[];
  /** True if the list shows sample people only. */
  readonly samples: boolean;
  readonly hasSamples: boolean;
}

/** Leads to the accounts with one role, and to sample people. The address says which. */
const RoleLinks = ({ roles, chosen, samples, hasSamples }: RoleLinksProps) => {
  const { path } = useAddress();
  const { say } = useWords();
  const roleWords = useRoleWords();
  const link = (name: string, href: string, isChosen: boolean) => (
    <Link key={href} className="button small" href={href} aria-current={isChosen ? "page" : undefined}>
      {name}
    </Link>
  );
  return (
    <nav className="people-roles" aria-label={say("people.by.role")}>
      {link(say("people.all"), path, chosen.length === 0 && !samples)}
      {roles.map((role) =>
        link(roleWords.one(role), `${path}?${new URLSearchParams({ role })}`, chosen.includes(role)),
      )}
      {(hasSamples || samples) && link(say("people.samples"), `${path}?sample=true`, samples)}
    </nav>
  );
};

const getPersonPath = (id: string): string => `/workbench/people/${id}`;

const Table = ({ people }: { people: readonly AccountJson[] }) => {
  const { say } = useWords();
  const stateOf = useAccountState();
  const roleWords = useRoleWords();
  return (
    <div className="table-wrap">
      <table className="grid">
        <caption className="hidden-words">{say("menu.people")}</caption>
        <thead>
          <tr>
            <th scope="col">{say("people.name")}</th>
            <th scope="col">{say("people.email")}</th>
            <th scope="col">{say("people.roles")}</th>
            <th scope="col" className="people-account">
              {say("people.account")}
            </th>
          </tr>
        </thead>
        <tbody>
          {people.map((person) => (
            <tr key={person.id}>
              <td>
                <Link className="row-link who" href={getPersonPath(person.id)}>
                  <Avatar name={person.name} of={person.id} />
                  <bdi className="cut">{person.name}</bdi>
                  {person.sample && <SampleMark />}
                </Link>
              </td>
              <td title={person.email}>
                <span className="cut">{person.email}</span>
              </td>
              <td>
                <span className={person.roles.length === 0 ? "cut none" : "cut"}>
                  {person.roles.length === 0 ? say("people.roles.none") : roleWords.all(person.roles)}
                </span>
              </td>
              <td>
                <StateWord state={stateOf(person)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

const PhoneRows = ({ people }: { people: readonly AccountJson[] }) => {
  const stateOf = useAccountState();
  const roleWords = useRoleWords();
  return (
    <ul className="rows">
      {people.map((person) => (
        <li key={person.id}>
          <Link className="phone-row with-avatar" href={getPersonPath(person.id)}>
            <Avatar name={person.name} of={person.id} large />
            <span className="row-line">
              <b className="cut row-title">
                <bdi>{person.name}</bdi>
                {person.sample && <SampleMark />}
              </b>
              <span className="row-state">
                <StateWord state={stateOf(person)} />
              </span>
            </span>
            <span className="row-second cut">
              {person.roles.length === 0 ? person.email : roleWords.all(person.roles)}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
};
