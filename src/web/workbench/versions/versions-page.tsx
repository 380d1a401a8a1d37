import { useState } from "react";
import type { VersionJson } from "../../../core/wire/authoring/versions.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient, useTitle } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Link } from "../../ui/link.tsx";
import { PagedRegion, usePages } from "../../ui/page/paged-list.tsx";
import { Progress } from "../../ui/page/region-status.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { PreviewList } from "../draft/try-on-copy.tsx";
import { WorkbenchFrame } from "../frame.tsx";
import { RestoreDialog } from "./restore-dialog.tsx";
import { VersionSummary } from "./version-summary.tsx";
import "./versions.css";

/** Every version that was published, newest first. */
const VersionsPage = () => {
  const { calls } = useClient();
  const { say } = useWords();
  useTitle(say("menu.workbench.versions"));
  const [restoring, setRestoring] = useState<VersionJson | null>(null);
  const list = usePages(keys.versions, async (after, signal) => {
    const { items, next } = await calls.versions(after, signal);
    return { items, next: next === null ? null : String(next) };
  });
  const live = list.pages?.[0]?.items[0];
  return (
    <WorkbenchFrame>
      <section className="workbench-page" aria-labelledby="versions">
        <Progress shown={list.isRefreshing} />
        <h1 id="versions">{say("menu.workbench.versions")}</h1>
        <p className="help-words">{say("versions.words")}</p>
        <p>
          <Link className="link" href="/workbench/retired">
            {say("retired.title")}
          </Link>
        </p>
        <PreviewList />
        <PagedRegion list={list} none={say("versions.none")}>
          {(versions) => (
            <ol className="versions">
              {versions.map((version) => (
                <Version key={version.number} version={version} live={live} onRestore={() => setRestoring(version)} />
              ))}
            </ol>
          )}
        </PagedRegion>
      </section>
      {restoring && live && <RestoreDialog version={restoring} live={live} onClose={() => setRestoring(null)} />}
    </WorkbenchFrame>
  );
};

export default VersionsPage;

/** The author of a version without a name. */
const authors = {
  person: "proposal.by.gone",
  file: "proposal.by.file",
  command: "proposal.by.operator",
  server: "versions.by.start",
} as const satisfies Record<VersionJson["source"], string>;

const Version = ({
  version: { number, at, author, source, approvers, proposal, note, restores, hash, steps },
  live,
  onRestore,
}: {
  version: VersionJson;
  live: VersionJson | undefined;
  onRestore: () => void;
}) => {
  const { say } = useWords();
  const name = say("versions.number", { number });
  return (
    <li className="version">
      <div className="version-head">
        <h2 id={`version-${number}`}>{name}</h2>
        {number === live?.number && <span className="version-live">{say("versions.live")}</span>}
        <span className="grow" />
        {number > 1 && (
          <Link
            className="button small"
            href={`/workbench/compare?from=${number - 1}&to=${number}`}
            aria-describedby={`version-${number}`}
          >
            {say("versions.compare")}
          </Link>
        )}
        {live && hash !== live.hash && (
          <Button small aria-describedby={`version-${number}`} onClick={onRestore}>
            {say("versions.restore")}
          </Button>
        )}
      </div>
      <p className="version-by">
        {author === null ? (
          say(authors[source])
        ) : (
          <Link className="link" href={`/workbench/people/${author.id}`}>
            <bdi>{author.label}</bdi>
          </Link>
        )}
        {" · "}
        <RelativeTime at={at} />
        {approvers.length > 0 && (
          <> · {say("versions.approved", { names: approvers.map(({ label }) => label).join(", ") })}</>
        )}
        {proposal !== null && (
          <>
            {" · "}
            <Link className="link" href={`/workbench/proposals/${proposal}`}>
              {say("proposal.number", { number: proposal })}
            </Link>
          </>
        )}
        {restores !== null && <> · {say("versions.restores", { number: restores })}</>}
      </p>
      {number > 1 && <VersionSummary number={number} />}
      {note !== "" && (
        <p className="version-note">
          <bdi>{note}</bdi>
        </p>
      )}
      {steps.length > 0 && (
        <details className="version-steps">
          <summary>{say("versions.steps", { count: steps.length })}</summary>
          <ul>
            {steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
};
