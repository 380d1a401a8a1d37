import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import type { AccountJson, PeopleJson } from "../../core/wire/people.ts";
import { failureOf } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useClient, useLasting, usePhone, useTitle } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { Bone, FailedRegion, Progress, RegionNote } from "../ui/region-status.tsx";
import { SearchInput } from "../ui/search-input.tsx";
import { StateWord } from "../ui/state-mark.tsx";
import { useRoleWords } from "../ui/use-role-names.ts";
import { standingOf } from "./account-status.ts";
import { InviteDialog } from "./invite-dialog.tsx";
import { Held } from "./outbound-hold.tsx";
import { Registrations } from "./registrations.tsx";
import "./people.css";

/** Everybody who has an account, for administrators. */
const People = () => {
  const { calls } = useClient();
  const { say } = useWords();
  const phone = usePhone();
  const [typed, setTyped] = useState("");
  const [inviting, setInviting] = useState(false);
  const search = useDeferredValue(typed.trim());
  useTitle(say("people.title"));
  const query = useInfiniteQuery({
    queryKey: keys.peopleFound(search),
    queryFn: ({ pageParam, signal }) => calls.people(search, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }: PeopleJson) => next,
    placeholderData: keepPreviousData,
  });
  const refreshing = useLasting(query.isFetching && !query.isPending, 400);
  const loading = useLasting(query.isPending);
  const failure = query.error ? failureOf(query.error) : query.failureReason ? failureOf(query.failureReason) : null;
  const people = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const [first] = query.data?.pages ?? [];

  return (
    <section className="list" aria-labelledby="people">
      <Progress shown={refreshing} />
      <header className="page-head">
        <h1 id="people">{say("people.title")}</h1>
        {first && search === "" && (
          <span className="count">
            {say("people.count", { count: people.length, more: query.hasNextPage ? "yes" : "no" })}
          </span>
        )}
        <span className="grow" />
        <Link href="/workbench/sign-ins" className={buttonClass("plain")}>
          {say("signins.title")}
        </Link>
        {first && (
          <Button look="primary" icon="plus" aria-haspopup="dialog" onClick={() => setInviting(true)}>
            {say("people.invite")}
          </Button>
        )}
      </header>
      <div className="filters">
        <div className="box search-box">
          <Icon name="search" />
          <SearchInput
            type="search"
            aria-label={say("people.search")}
            value={typed}
            placeholder={say("people.search")}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </div>
      </div>
      <Held />
      <Registrations />
      {first ? (
        <>
          {people.length === 0 ? (
            <RegionNote icon="empty" title={say("people.none", { search })} />
          ) : phone ? (
            <PhoneRows people={people} />
          ) : (
            <Table people={people} />
          )}
          {query.hasNextPage && (
            <footer className="list-foot">
              <Button small busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                {say("people.more")}
              </Button>
            </footer>
          )}
          {inviting && <InviteDialog fields={first.fields} roles={first.roles} onClose={() => setInviting(false)} />}
        </>
      ) : failure ? (
        <div className="region">
          <FailedRegion failure={failure} retry={() => void query.refetch()} />
        </div>
      ) : (
        loading && <Skeleton />
      )}
    </section>
  );
};

export default People;

const addressOf = (id: string): string => `/workbench/people/${id}`;

const Table = ({ people }: { people: readonly AccountJson[] }) => {
  const words = useWords();
  const { say } = words;
  const roleWords = useRoleWords();
  return (
    <div className="table-wrap">
      <table className="grid">
        <caption className="hidden-words">{say("people.title")}</caption>
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
          {people.map((one) => (
            <tr key={one.id}>
              <td>
                <Link className="row-link who" href={addressOf(one.id)}>
                  <Avatar name={one.name} of={one.id} />
                  <bdi className="cut">{one.name}</bdi>
                </Link>
              </td>
              <td title={one.email}>
                <span className="cut">{one.email}</span>
              </td>
              <td>
                <span className={one.roles.length === 0 ? "cut none" : "cut"}>
                  {one.roles.length === 0 ? say("value.none") : roleWords.all(one.roles)}
                </span>
              </td>
              <td>
                <StateWord state={standingOf(one, words)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

const PhoneRows = ({ people }: { people: readonly AccountJson[] }) => {
  const words = useWords();
  const roleWords = useRoleWords();
  return (
    <ul className="rows">
      {people.map((one) => (
        <li key={one.id}>
          <Link className="phone-row with-avatar" href={addressOf(one.id)}>
            <Avatar name={one.name} of={one.id} large />
            <b className="cut row-title">
              <bdi>{one.name}</bdi>
            </b>
            <span className="row-state">
              <StateWord state={standingOf(one, words)} />
            </span>
            <span className="row-second cut">{one.roles.length === 0 ? one.email : roleWords.all(one.roles)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
};

const Skeleton = () => (
  <div className="rows skeleton" aria-busy="true">
    <p className="hidden-words" role="status">
      {useWords().say("loading")}
    </p>
    {["62%", "44%", "70%", "52%", "58%"].map((width) => (
      <div key={width} className="phone-row">
        <Bone width={width} />
      </div>
    ))}
  </div>
);
