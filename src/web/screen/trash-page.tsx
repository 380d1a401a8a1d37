import { useMutation } from "@tanstack/react-query";
import type { TrashedJson } from "../../core/wire/trash.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useAddress, useApplication, useClient, usePhone, useTitle } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { findListScreen } from "../routing/routes.ts";
import { Button } from "../ui/control/button.tsx";
import { Link } from "../ui/link.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { NotFound } from "../ui/page/not-found.tsx";
import { PagedRegion, usePages } from "../ui/page/paged-list.tsx";
import { ProblemNote } from "../ui/page/problem-note.tsx";
import { Progress } from "../ui/page/region-status.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import "./trash-page.css";

/** Deleted records that the person can bring back. */
const TrashPage = () => {
  const { calls, queries } = useClient();
  const { trash, entities, screens } = useApplication();
  const { search } = useAddress();
  const { say } = useWords();
  const phone = usePhone();
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
  const failure = back.error ? toFailure(back.error) : null;
  const returning: Returning = {
    busy: back.isPending ? back.variables.id : null,
    bringBack: (item) => back.isPending || back.mutate(item),
  };
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
      {failure && failure.kind !== "signed out" && (
        <ProblemNote title={say("trash.back.failed", { label: back.variables?.label ?? "" })} failure={failure} />
      )}
      <PagedRegion list={list} none={say("trash.none")}>
        {(items) =>
          phone ? <PhoneRows items={items} returning={returning} /> : <Table items={items} returning={returning} />
        }
      </PagedRegion>
    </section>
  );
};

export default TrashPage;

interface Returning {
  /** The record that is being brought back. */
  readonly busy: string | null;
  readonly bringBack: (item: TrashedJson) => unknown;
}

interface ItemsProps {
  readonly items: readonly TrashedJson[];
  readonly returning: Returning;
}

const BringBack = ({ item, returning }: { item: TrashedJson; returning: Returning }) => {
  const { say } = useWords();
  return (
    <Button
      small
      icon="retry"
      busy={returning.busy === item.id}
      aria-label={say("trash.back.label", { label: item.label })}
      onClick={() => returning.bringBack(item)}
    >
      {say("trash.back")}
    </Button>
  );
};

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

const Table = ({ items, returning }: ItemsProps) => {
  const { say } = useWords();
  return (
    <div className="table-wrap">
      <table className="grid trash-table">
        <caption className="hidden-words">{say("trash.title")}</caption>
        <thead>
          <tr>
            <th scope="col">{say("trash.record")}</th>
            <th scope="col">{say("trash.at")}</th>
            <th scope="col">{say("trash.by")}</th>
            <th scope="col">
              <span className="hidden-words">{say("trash.back")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.id}>
              <td title={item.label}>
                <span className="cut">
                  <Deleted item={item} />
                </span>
              </td>
              <td>
                <span className="cut">
                  <RelativeTime at={item.at} />
                </span>
              </td>
              <td>
                <bdi className="cut">{item.person?.label ?? ""}</bdi>
              </td>
              <td>
                <BringBack item={item} returning={returning} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

const PhoneRows = ({ items, returning }: ItemsProps) => {
  const { say } = useWords();
  return (
    <ul className="trash-rows">
      {items.map((item) => (
        <li key={item.id}>
          <div className="grow">
            <p>
              <Deleted item={item} />
            </p>
            <p className="small-words">
              <RelativeTime at={item.at} />
              {item.person ? ` ${say("trash.by.person", { person: item.person.label })}` : ""}
            </p>
          </div>
          <BringBack item={item} returning={returning} />
        </li>
      ))}
    </ul>
  );
};
