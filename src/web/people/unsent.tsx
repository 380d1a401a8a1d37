import { useMutation } from "@tanstack/react-query";
import type { UnsentJson } from "../../core/wire/unsent.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useClient, useTitle } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { Breadcrumbs } from "../ui/page/breadcrumbs.tsx";
import { ItemTable } from "../ui/page/item-table.tsx";
import { PagedRegion, usePages } from "../ui/page/paged-list.tsx";
import { FailureNote } from "../ui/page/problem-note.tsx";
import { Progress } from "../ui/page/region-status.tsx";
import { useUnsentReason } from "./unsent-reason.ts";
import "./people.css";

/** Milliseconds after which the page looks for the outcome of new attempts. */
const SOON = 5_000;

/** Mails and calls to other programs that could not be sent, for administrators. */
const Unsent = () => {
  const { calls, queries } = useClient();
  const { say, show } = useWords();
  const sayReason = useUnsentReason();
  const words = {
    reason: ({ reason }: UnsentJson): string => sayReason(reason),
    again: ({ again, tries }: UnsentJson): string =>
      again === null ? say("unsent.given.up", { tries }) : say("unsent.next", { tries, at: show.moment(again) }),
  };
  const toast = useToast();
  useTitle(say("unsent.title"));
  const list = usePages(keys.unsent, (after, signal) => calls.unsent(after, signal), SOON);
  const again = useMutation({
    mutationFn: (id: string | null) => calls.resend(id),
    retry: false,
    onSuccess: (_, id) => toast(say(id === null ? "unsent.all.done" : "unsent.again.done")),
    onSettled: () => reload(queries, { queryKey: keys.unsent }),
  });
  const failed = list.pages?.flatMap(({ items }) => items).filter(({ reason }) => !isDropped(reason)) ?? [];
  return (
    <section className="list" aria-labelledby="unsent">
      <Progress shown={list.isRefreshing} />
      <Breadcrumbs trail={[{ label: say("menu.people"), href: "/workbench/people" }]} current={say("unsent.title")} />
      <header className="page-head">
        <h1 id="unsent">{say("unsent.title")}</h1>
        <span className="grow" />
        {failed.length > 1 && (
          <Button
            busy={again.isPending && again.variables === null}
            onClick={() => again.isPending || again.mutate(null)}
          >
            {say("unsent.all")}
          </Button>
        )}
      </header>
      <FailureNote title={say("unsent.again.failed")} error={again.error} />
      <PagedRegion list={list} none={say("unsent.none")}>
        {(items) => (
          <ItemTable
            caption={say("unsent.title")}
            className="unsent"
            items={items}
            columns={[
              { head: say("unsent.at"), cell: ({ at }) => <time dateTime={at}>{show.moment(at)}</time> },
              { head: say("unsent.to"), cell: (item) => <Recipient item={item} />, full: ({ to }) => to },
              { head: say("unsent.reason"), cell: words.reason, full: words.reason },
              { head: say("unsent.state"), cell: words.again },
            ]}
            lines={(item) => (
              <>
                <p>
                  <Recipient item={item} />
                </p>
                <p>{words.reason(item)}</p>
                <p className="small-words">
                  <time dateTime={item.at}>{show.moment(item.at)}</time> · {words.again(item)}
                </p>
              </>
            )}
            act={{
              head: say("unsent.again"),
              button: (item) => (
                <Button
                  small
                  busy={again.isPending && again.variables === item.id}
                  aria-label={say("unsent.again.to", { to: item.to })}
                  onClick={() => again.isPending || again.mutate(item.id)}
                >
                  {say("unsent.again")}
                </Button>
              ),
            }}
          />
        )}
      </PagedRegion>
    </section>
  );
};

export default Unsent;

/** Reasons that a new attempt does not change: these messages are sent again one by one only. */
const isDropped = ({ kind }: UnsentJson["reason"]): boolean => kind === "removed" || kind === "restored";

const kinds = { mail: "unsent.mail", call: "unsent.call" } as const;

const Recipient = ({ item }: { item: UnsentJson }) => {
  const { say } = useWords();
  return (
    <>
      {item.to} <span className="none">· {say(kinds[item.kind])}</span>
    </>
  );
};
