import { Fragment, type ReactNode, useMemo, useState } from "react";
import type { VersionTextJson } from "../../../core/wire/authoring/versions.ts";
import { failureOf } from "../../api/api-error.ts";
import { useAddress, useApplication, useClient, useTitle } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { FailedRegion, RegionNote } from "../../ui/page/region-status.tsx";
import { BehaviourLines } from "../draft/behaviour-lines.tsx";
import { useBehaviour } from "../draft/use-behaviour.ts";
import { WorkbenchFrame } from "../frame.tsx";
import { PanesSkeleton } from "../skeleton.tsx";
import { compareFiles, type DiffLine, type DiffSection, type FileDiff } from "./text-diff.ts";
import { useVersion } from "./use-version.ts";
import "./versions.css";

const numberIn = (query: URLSearchParams, name: string, otherwise: number): number => {
  const given = Number(query.get(name));
  return Number.isSafeInteger(given) && given > 0 ? given : otherwise;
};

/** Two versions side by side. The address names them: `?from=3&to=5`. */
const ComparePage = () => {
  const { navigation } = useClient();
  const { say } = useWords();
  const { search } = useAddress();
  const { version: newest } = useApplication();
  useTitle(say("compare.title"));
  const query = new URLSearchParams(search);
  const to = numberIn(query, "to", newest);
  const from = numberIn(query, "from", Math.max(1, to - 1));
  const [before, after] = [useVersion(from), useVersion(to)];
  const failed = [before, after].find((one) => one.error);
  const compare = (earlier: number, later: number) =>
    navigation.go(`/workbench/compare?from=${earlier}&to=${later}`, "replace");
  return (
    <WorkbenchFrame>
      <section className="workbench-page wide" aria-labelledby="compare">
        <h1 id="compare">{say("compare.title")}</h1>
        <div className="compare-choice">
          <VersionChoice
            label={say("compare.from")}
            value={from}
            newest={newest}
            onChange={(one) => compare(one, to)}
          />
          <VersionChoice label={say("compare.to")} value={to} newest={newest} onChange={(one) => compare(from, one)} />
          <Button onClick={() => compare(to, from)}>{say("compare.swap")}</Button>
        </div>
        {failed ? (
          <FailedRegion
            failure={failureOf(failed.error)}
            retry={() => void Promise.all([before.refetch(), after.refetch()])}
          />
        ) : before.data && after.data ? (
          <Comparison before={before.data} after={after.data} />
        ) : (
          <PanesSkeleton />
        )}
      </section>
    </WorkbenchFrame>
  );
};

export default ComparePage;

const VersionChoice = ({
  label,
  value,
  newest,
  onChange,
}: {
  label: string;
  value: number;
  newest: number;
  onChange: (number: number) => void;
}) => {
  const { say } = useWords();
  const numbers = Array.from({ length: Math.max(newest, value) }, (_, i) => Math.max(newest, value) - i);
  return (
    <label>
      <span>{label}</span>
      <select className="box" value={value} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        {numbers.map((number) => (
          <option key={number} value={number}>
            {say("versions.number", { number })}
          </option>
        ))}
      </select>
    </label>
  );
};

const Comparison = ({ before, after }: { before: VersionTextJson; after: VersionTextJson }) => {
  const { say } = useWords();
  const files = useMemo(() => compareFiles(before.files, after.files), [before, after]);
  const behaviour = useBehaviour(before.files, after.files);
  if (files.length === 0) return <RegionNote icon="check" title={say("compare.same")} />;
  return (
    <>
      <section className="compare-part" aria-labelledby="compare-behaviour">
        <h2 id="compare-behaviour">{say("behaviour.title")}</h2>
        {behaviour ? (
          <BehaviourLines lines={behaviour} />
        ) : (
          <p aria-busy={behaviour === undefined}>
            {say(behaviour === null ? "behaviour.broken" : "behaviour.comparing")}
          </p>
        )}
      </section>
      <section className="compare-part" aria-labelledby="compare-text">
        <h2 id="compare-text">{say("workbench.text")}</h2>
        {files.map((one) => (
          <FileComparison
            key={`${before.number} ${after.number} ${one.file}`}
            diff={one}
            before={before}
            after={after}
          />
        ))}
      </section>
    </>
  );
};

const FileComparison = ({
  diff: { file, added, removed, sections },
  before,
  after,
}: {
  diff: FileDiff;
  before: VersionTextJson;
  after: VersionTextJson;
}) => {
  const { say } = useWords();
  return (
    <section className="compare-file" aria-label={file}>
      <header>
        <h3>{file}</h3>
        <span className="compare-added">{say("compare.added", { count: added })}</span>
        <span className="compare-removed">{say("compare.removed", { count: removed })}</span>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is reached by the keyboard */}
      <div className="compare-scroll" tabIndex={0}>
        <table className="compare-lines">
          <caption className="hidden-words">{file}</caption>
          <colgroup>
            <col className="compare-number" />
            <col />
            <col className="compare-number" />
            <col />
          </colgroup>
          <thead>
            <tr>
              <th scope="colgroup" colSpan={2}>
                {say("versions.number", { number: before.number })}
              </th>
              <th scope="colgroup" colSpan={2}>
                {say("versions.number", { number: after.number })}
              </th>
            </tr>
          </thead>
          {sections.map((section) => (
            <Section
              key={`${section.kind} ${section.rows[0]?.before?.number} ${section.rows[0]?.after?.number}`}
              section={section}
            />
          ))}
        </table>
      </div>
    </section>
  );
};

const Section = ({ section: { kind, rows } }: { section: DiffSection }) => {
  const { say } = useWords();
  const [open, setOpen] = useState(kind === "shown");
  if (!open)
    return (
      <tbody className="compare-folded">
        <tr>
          <td colSpan={4}>
            <button type="button" onClick={() => setOpen(true)}>
              {say("compare.unchanged", { count: rows.length })}
            </button>
          </td>
        </tr>
      </tbody>
    );
  return (
    <tbody>
      {rows.map((row) => (
        <tr key={`${row.before?.number} ${row.after?.number}`} className={row.kind === "changed" ? "changed" : ""}>
          <Side line={row.before} of={row.kind === "changed" ? "removed" : "same"} />
          <Side line={row.after} of={row.kind === "changed" ? "added" : "same"} />
        </tr>
      ))}
    </tbody>
  );
};

const Side = ({ line, of }: { line: DiffLine | null; of: "same" | "added" | "removed" }): ReactNode => {
  const { say } = useWords();
  if (line === null)
    return (
      <>
        <td className="compare-none" />
        <td className="compare-none" />
      </>
    );
  const Mark = of === "added" ? "ins" : "del";
  return (
    <>
      <td className={`compare-number ${of}`}>{line.number}</td>
      <td className={`compare-text ${of}`}>
        {of !== "same" && (
          <span className="hidden-words">{say(of === "added" ? "compare.line.added" : "compare.line.removed")}</span>
        )}
        {line.pieces.map(({ text, changed }, i) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line do not move
          changed ? <Mark key={i}>{text}</Mark> : <Fragment key={i}>{text}</Fragment>,
        )}
      </td>
    </>
  );
};
