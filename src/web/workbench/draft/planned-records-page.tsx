import type { SourceJson } from "../../../core/wire/authoring/document.ts";
import { keys } from "../../api/query-keys.ts";
import { useAddress, useClient, useTitle } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Link } from "../../ui/link.tsx";
import { PagedRegion, usePages } from "../../ui/page/paged-list.tsx";
import { Progress } from "../../ui/page/region-status.tsx";
import { RecordLink } from "../../ui/record-link.tsx";
import { WorkbenchFrame } from "../frame.tsx";
import { readStoredDraft } from "./draft-session.ts";

/** The text that an address names: an earlier version, a proposal, or the draft of this device. */
const usePlannedText = (query: URLSearchParams) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const [version, proposal] = [query.get("version"), query.get("proposal")];
  const loadFiles = async (signal: AbortSignal): Promise<readonly SourceJson[] | null> => {
    if (version !== null) return (await calls.version(Number(version), signal)).files;
    if (proposal !== null) return (await calls.proposal(Number(proposal), signal)).files;
    const live = await queries.fetchQuery({ queryKey: keys.document, queryFn: () => calls.document() });
    return readStoredDraft(live, () => window.localStorage)?.files ?? null;
  };
  const back =
    version !== null
      ? { href: "/workbench/versions", title: say("menu.workbench.versions") }
      : proposal !== null
        ? { href: `/workbench/proposals/${proposal}`, title: say("proposal.number", { number: Number(proposal) }) }
        : { href: "/workbench/document?beside=plan", title: say("compare.draft") };
  return { name: version ?? proposal ?? "draft", loadFiles, back };
};

/** All records that a plan counts at one point, such as those that do not fit a rule, as far as the author can read them. */
const PlannedRecordsPage = () => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const query = new URLSearchParams(useAddress().search);
  const point = query.get("at") ?? "";
  const { name, loadFiles, back } = usePlannedText(query);
  useTitle(say("plan.records.title"));
  const list = usePages(["document", "plan", "records", name, point], async (after, signal) => {
    const files = await loadFiles(signal);
    if (files === null) return { items: [], next: null, planned: null };
    // A proposal and a version are planned on top of the version that is live.
    const { hash: base } = await queries.fetchQuery({ queryKey: keys.document, queryFn: () => calls.document() });
    const planned = await calls.plannedRecords({ base, files }, point, after, signal);
    return { items: planned.records, next: planned.next, planned };
  });
  const pages = list.pages ?? [];
  const planned = pages.at(-1)?.planned;
  const unreadable = pages.reduce((sum, page) => sum + (page.planned?.unreadable ?? 0), 0);
  const hasRecords = pages.some(({ items }) => items.length > 0);
  return (
    <WorkbenchFrame>
      <section className="workbench-page" aria-labelledby="planned-records">
        <Progress shown={list.isRefreshing} />
        <p>
          <Link className="link" href={back.href}>
            {back.title}
          </Link>
        </p>
        <h1 id="planned-records">{say("plan.records.title")}</h1>
        {planned?.says && (
          <p className="planned-says">
            <bdi>{planned.says}</bdi>
          </p>
        )}
        {hasRecords && <p className="help-words">{say("plan.records.words")}</p>}
        {unreadable > 0 && hasRecords && (
          <p className="plan-hidden">
            {say("plan.misfits.unread", { count: unreadable })}{" "}
            <Link className="link" href="/workbench/who">
              {say("plan.misfits.permissions")}
            </Link>
          </p>
        )}
        <PagedRegion list={list} none={say(planned === null ? "plan.records.lost" : "plan.records.none", { point })}>
          {(records) => (
            <ol className="planned-records">
              {records.map(({ entity, id, label }) => (
                <li key={id}>
                  <RecordLink entity={entity} id={id} label={label} />
                </li>
              ))}
            </ol>
          )}
        </PagedRegion>
      </section>
    </WorkbenchFrame>
  );
};

export default PlannedRecordsPage;
