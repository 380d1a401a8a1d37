import { useMutation } from "@tanstack/react-query";
import type { UnsentJson } from "../../core/wire/unsent.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useClient, usePhone, useTitle } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { Breadcrumbs } from "../ui/page/breadcrumbs.tsx";
import { PagedRegion, usePages } from "../ui/page/paged-list.tsx";
import { ProblemNote } from "../ui/page/problem-note.tsx";
import { Progress } from "../ui/page/region-status.tsx";
import "./people.css";

/** Mails and calls to other programs that could not be sent, for administrators. */
const Unsent = () => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const phone = usePhone();
  const toast = useToast();
  useTitle(say("unsent.title"));
  const list = usePages(keys.unsent, (after, signal) => calls.unsent(after, signal));
  const again = useMutation({
    mutationFn: (id: string) => calls.resendMail(id),
    retry: false,
    onSuccess: () => toast(say("unsent.again.done")),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.unsent }),
  });
  const failure = again.error ? toFailure(again.error) : null;
  const sending: Sending = {
    busy: again.isPending ? again.variables : null,
    send: (id) => again.isPending || again.mutate(id),
  };
  return (
    <section className="list" aria-labelledby="unsent">
      <Progress shown={list.isRefreshing} />
      <Breadcrumbs trail={[{ label: say("people.title"), href: "/workbench/people" }]} current={say("unsent.title")} />
      <header className="page-head">
        <h1 id="unsent">{say("unsent.title")}</h1>
      </header>
      {failure && failure.kind !== "signed out" && <ProblemNote title={say("unsent.again.failed")} failure={failure} />}
      <PagedRegion list={list} none={say("unsent.none")}>
        {(items) => (phone ? <PhoneRows items={items} sending={sending} /> : <Table items={items} sending={sending} />)}
      </PagedRegion>
    </section>
  );
};

export default Unsent;

interface Sending {
  /** The message that is being made due again. */
  readonly busy: string | null;
  readonly send: (id: string) => unknown;
}

const kinds = { mail: "unsent.mail", call: "unsent.call" } as const;

/** Reasons without a text of the other side. */
const plainReasons = {
  timeout: "unsent.reason.timeout",
  unreachable: "unsent.reason.unreachable",
  removed: "unsent.reason.removed",
  restored: "unsent.reason.restored",
} as const;

const useUnsentWords = () => {
  const { say, show } = useWords();
  return {
    reason: ({ reason }: UnsentJson): string => {
      switch (reason.kind) {
        case "mail":
          return say("unsent.reason.mail", { said: reason.said });
        case "answered":
          return say("unsent.reason.answered", { status: reason.status });
        default:
          return say(plainReasons[reason.kind]);
      }
    },
    again: ({ again, tries }: UnsentJson): string =>
      again === null ? say("unsent.given.up", { tries }) : say("unsent.next", { tries, at: show.moment(again) }),
  };
};

const SendAgain = ({ item, sending }: { item: UnsentJson; sending: Sending }) => {
  const { say } = useWords();
  return (
    <Button
      small
      busy={sending.busy === item.id}
      aria-label={say("unsent.again.to", { to: item.to })}
      onClick={() => sending.send(item.id)}
    >
      {say("unsent.again")}
    </Button>
  );
};

interface ItemsProps {
  readonly items: readonly UnsentJson[];
  readonly sending: Sending;
}

const Table = ({ items, sending }: ItemsProps) => {
  const { say, show } = useWords();
  const words = useUnsentWords();
  return (
    <div className="table-wrap">
      <table className="grid unsent">
        <caption className="hidden-words">{say("unsent.title")}</caption>
        <thead>
          <tr>
            <th scope="col">{say("unsent.at")}</th>
            <th scope="col">{say("unsent.to")}</th>
            <th scope="col">{say("unsent.reason")}</th>
            <th scope="col">{say("unsent.state")}</th>
            <th scope="col">
              <span className="hidden-words">{say("unsent.again")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.id}>
              <td>
                <time dateTime={item.at} className="cut">
                  {show.moment(item.at)}
                </time>
              </td>
              <td title={item.to}>
                <span className="cut">
                  {item.to} <span className="none">· {say(kinds[item.kind])}</span>
                </span>
              </td>
              <td title={words.reason(item)}>
                <span className="cut">{words.reason(item)}</span>
              </td>
              <td>
                <span className="cut">{words.again(item)}</span>
              </td>
              <td>
                <SendAgain item={item} sending={sending} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

const PhoneRows = ({ items, sending }: ItemsProps) => {
  const { say, show } = useWords();
  const words = useUnsentWords();
  return (
    <ul className="sessions sign-in-rows">
      {items.map((item) => (
        <li key={item.id}>
          <div className="grow">
            <p>
              {item.to} <span className="none">· {say(kinds[item.kind])}</span>
            </p>
            <p>{words.reason(item)}</p>
            <p className="small-words">
              <time dateTime={item.at}>{show.moment(item.at)}</time> · {words.again(item)}
            </p>
          </div>
          <SendAgain item={item} sending={sending} />
        </li>
      ))}
    </ul>
  );
};
