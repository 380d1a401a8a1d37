import type { ProposalJson } from "../../../core/wire/authoring/proposals.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient, useTitle } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Link } from "../../ui/link.tsx";
import { PagedRegion, usePages } from "../../ui/page/paged-list.tsx";
import { Progress } from "../../ui/page/region-status.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { WorkbenchFrame } from "../frame.tsx";
import { ProposalAuthor, ProposalStateLabel } from "./proposal-parts.tsx";
import "../versions/versions.css";

/** Every proposed version, newest first. */
const ProposalsPage = () => {
  const { calls } = useClient();
  const { say } = useWords();
  useTitle(say("menu.workbench.proposals"));
  const list = usePages(keys.proposals, async (after, signal) => {
    const { items, next } = await calls.proposals(after, signal);
    return { items, next: next === null ? null : String(next) };
  });
  return (
    <WorkbenchFrame>
      <section className="workbench-page" aria-labelledby="proposals">
        <Progress shown={list.isRefreshing} />
        <h1 id="proposals">{say("menu.workbench.proposals")}</h1>
        <p className="help-words">{say("proposals.words")}</p>
        <PagedRegion list={list} none={say("proposals.none")}>
          {(proposals) => (
            <ol className="versions">
              {proposals.map((proposal) => (
                <Proposal key={proposal.number} proposal={proposal} />
              ))}
            </ol>
          )}
        </PagedRegion>
      </section>
    </WorkbenchFrame>
  );
};

export default ProposalsPage;

const Proposal = ({ proposal }: { proposal: ProposalJson }) => {
  const { say } = useWords();
  const { number, note, at, approvers, needs, state } = proposal;
  return (
    <li className="version">
      <div className="version-head">
        <h2>
          <Link className="link" href={`/workbench/proposals/${number}`}>
            {say("proposal.number", { number })}
          </Link>
        </h2>
        <ProposalStateLabel proposal={proposal} />
      </div>
      <p className="version-by">
        <ProposalAuthor proposal={proposal} />
        {" · "}
        <RelativeTime at={at} />
        {(state === "open" || state === "approved") && (
          <> · {say("proposal.approvals", { count: approvers.length, needs })}</>
        )}
      </p>
      {note !== "" && (
        <p className="version-note">
          <bdi>{note}</bdi>
        </p>
      )}
    </li>
  );
};
