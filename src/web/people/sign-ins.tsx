import { useDeferredValue, useState } from "react";
import type { SignInsJson } from "../../core/wire/accounts/sign-ins.ts";
import { keys } from "../api/query-keys.ts";
import { useClient, useTitle } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { CheckBox } from "../ui/control/check-box.tsx";
import { Link } from "../ui/link.tsx";
import { Breadcrumbs } from "../ui/page/breadcrumbs.tsx";
import { ItemTable } from "../ui/page/item-table.tsx";
import { PagedRegion, SearchField, usePages } from "../ui/page/paged-list.tsx";
import { Progress } from "../ui/page/region-status.tsx";
import { useSignInWords } from "./recent-sign-ins.tsx";
import "./people.css";

type Line = SignInsJson["items"][number];

/** Lists sign-ins and refused attempts for administrators. */
const SignIns = () => {
  const { calls } = useClient();
  const { say, show } = useWords();
  const words = useSignInWords();
  const [typed, setTyped] = useState("");
  const [failed, setFailed] = useState(false);
  const search = useDeferredValue(typed.trim());
  useTitle(say("signins.title"));
  const list = usePages(keys.signIns(search, failed), (after, signal) => calls.signIns(search, failed, after, signal));
  return (
    <section className="list" aria-labelledby="sign-ins">
      <Progress shown={list.isRefreshing} />
      <Breadcrumbs trail={[{ label: say("menu.people"), href: "/workbench/people" }]} current={say("signins.title")} />
      <header className="page-head">
        <h1 id="sign-ins">{say("signins.title")}</h1>
      </header>
      <div className="filters">
        <SearchField label={say("signins.search")} value={typed} onChange={setTyped} />
        <CheckBox checked={failed} onTurn={setFailed}>
          {say("signins.failed")}
        </CheckBox>
      </div>
      <PagedRegion list={list} none={say(search === "" && !failed ? "signins.none.yet" : "signins.none")}>
        {(lines) => (
          <ItemTable
            caption={say("signins.title")}
            className="sign-ins"
            items={lines}
            columns={[
              { head: say("signins.when"), cell: ({ at }) => <time dateTime={at}>{show.moment(at)}</time> },
              {
                head: say("signins.who"),
                cell: (line) => <SignInPerson line={line} />,
                full: ({ account }) => account,
              },
              { head: say("signins.outcome"), cell: (line) => <Outcome line={line} /> },
              { head: say("signins.how"), cell: words.way },
              {
                head: say("signins.from"),
                cell: (line) => (
                  <>
                    {line.address} <span className="none">· {words.agent(line)}</span>
                  </>
                ),
                full: ({ agent }) => agent,
              },
            ]}
            lines={(line) => (
              <>
                <p>
                  <SignInPerson line={line} />
                </p>
                <p>
                  <Outcome line={line} /> <span className="none">· {words.way(line)}</span>
                </p>
                <p className="small-words">
                  <time dateTime={line.at}>{show.moment(line.at)}</time> · {line.address} · {words.agent(line)}
                </p>
              </>
            )}
          />
        )}
      </PagedRegion>
    </section>
  );
};

export default SignIns;

const SignInPerson = ({ line: { person, account } }: { line: Line }) => {
  const { say } = useWords();
  if (person === null)
    return (
      <span className={account === "" ? "cut none" : "cut"}>{account === "" ? say("signins.nobody") : account}</span>
    );
  return (
    <Link className="link cut" href={`/workbench/people/${person.id}`}>
      <bdi>{person.label}</bdi>
    </Link>
  );
};

const Outcome = ({ line }: { line: Line }) => {
  const { outcome } = useSignInWords();
  return line.refused === null ? <span>{outcome(line)}</span> : <b className="sign-in-refused">{outcome(line)}</b>;
};
