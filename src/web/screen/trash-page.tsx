import { useMutation } from "@tanstack/react-query";
import type { TrashedJson } from "../../core/wire/trash.ts";
import { keys } from "../api/query-keys.ts";
import { useAddress, useApplication, useClient, useTitle } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { findListScreen } from "../routing/routes.ts";
import { Button } from "../ui/control/button.tsx";
import { Link } from "../ui/link.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { ItemTable } from "../ui/page/item-table.tsx";
import { NotFound } from "../ui/page/not-found.tsx";
import { PagedRegion, usePages } from "../ui/page/paged-list.tsx";
import { FailureNote } from "../ui/page/problem-note.tsx";
import { Progress } from "../ui/page/region-status.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import "./trash-page.css";

/** Deleted records that the person can bring back. */
const TrashPage = () => {
  const { calls, queries } = useClient();
  const { trash, entities, screens } = useApplication();
  const { search } = useAddress();
  const { say } = useWords();
  const toast = useToast();
  useTitle(say("trash.title"));
  const wanted = new URLSearchParams(search).get("of");
  const of = trash?.of.find((name) => name === wanted) ?? null;
  const list = usePages(keys.trash(of), (after, signal) => calls.trash(of, after, signal));
  const back = useMutation({
    mutationFn: ({ entity, id }: TrashedJson) => calls.restoreFromTrash(entity, id),
    retry: false,
    onSuccess: (_, { entity: name, label }) => {
      toast(say("trash.back.done", { label }));
      const entity = entities[name];
      if (entity) void queries.invalidateQueries({ queryKey: keys.of(entity.calls) });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["trash"] }),
  });
  if (!trash) return <NotFound />;
  return (
    <section className="list trash" aria-labelledby="trash">
      <Progress shown={list.isRefreshing} />
      <header className="page-head">
        <h1 id="trash">{say("trash.title")}</h1>
      </header>
      <p className="trash-lead">{say("trash.lead", { days: trash.days })}</p>
      {trash.of.length > 1 && (
        <nav className="trash-kinds" aria-label={say("trash.kinds")}>
          {[null, ...trash.of].map((name) => (
            <Link
              key={name ?? ""}
              className="button small"
              href={name === null ? "/sign-in/trash" : `/sign-in/trash?of=${name}`}
              aria-current={name === of ? "page" : undefined}
            >
              {name === null
                ? say("trash.all")
                : (findListScreen(screens, name)?.title ?? entities[name]?.many ?? name)}
            </Link>
          ))}
        </nav>
      )}
      <FailureNote title={say("trash.back.failed", { label: back.variables?.label ?? "" })} error={back.error} />
      <PagedRegion list={list} none={say("trash.none")}>
        {(items) => (
          <ItemTable
            caption={say("trash.title")}
            className="trash-table"
            items={items}
            columns={[
              { head: say("trash.record"), cell: (item) => <Deleted item={item} />, full: ({ label }) => label },
              { head: say("trash.at"), cell: ({ at }) => <RelativeTime at={at} /> },
              { head: say("trash.by"), cell: ({ person }) => <bdi>{person?.label ?? ""}</bdi> },
            ]}
            lines={(item) => (
              <>
                <p>
                  <Deleted item={item} />
                </p>
                <p className="small-words">
                  <RelativeTime at={item.at} />
                  {item.person ? ` ${say("trash.by.person", { person: item.person.label })}` : ""}
                </p>
              </>
            )}
            act={{
              head: say("trash.back"),
              button: (item) => (
                <Button
                  small
                  icon="retry"
                  busy={back.isPending && back.variables.id === item.id}
                  aria-label={say("trash.back.label", { label: item.label })}
                  onClick={() => back.isPending || back.mutate(item)}
                >
                  {say("trash.back")}
                </Button>
              ),
            }}
          />
        )}
      </PagedRegion>
    </section>
  );
};

export default TrashPage;

/** The record with its kind, and how many parts come back with it. */
const Deleted = ({ item }: { item: TrashedJson }) => {
  const { entities } = useApplication();
  const { say } = useWords();
  return (
    <>
      <bdi>{item.label}</bdi>{" "}
      <span className="none">
        · {entities[item.entity]?.one ?? item.entity}
        {item.parts > 0 && ` ${say("trash.parts", { count: item.parts })}`}
      </span>
    </>
  );
};
