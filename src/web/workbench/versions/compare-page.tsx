import { useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode, useMemo, useState } from "react";
import { placesIn } from "../../../core/source-text.ts";
import type { SourceJson } from "../../../core/wire/authoring/document.ts";
import { toLastFailure } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { useAddress, useApplication, useClient, useTitle } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { FailedRegion, RegionNote } from "../../ui/page/region-status.tsx";
import { readStoredDraft } from "../draft/draft-session.ts";
import { useCompiler } from "../draft/use-compiler.ts";
import { WorkbenchFrame } from "../frame.tsx";
import { ComparedBehaviour } from "../plan/behaviour-lines.tsx";
import { useComparison } from "../plan/use-comparison.ts";
import { PanesSkeleton } from "../skeleton.tsx";
import { compareFiles, type DiffLine, type DiffSection, type FileDiff } from "./text-diff.ts";
import { useVersion } from "./use-version.ts";
import "./versions.css";

const numberIn = (query: URLSearchParams, name: string, otherwise: number): number => {
  const number = Number(query.get(name));
  return Number.isSafeInteger(number) && number > 0 ? number : otherwise;
};

/** The number of a version, or the draft of this device. */
type SideName = number | typeof DRAFT;

const DRAFT = "draft";

const sideIn = (query: URLSearchParams, name: string, otherwise: number): SideName =>
  query.get(name) === DRAFT ? DRAFT : numberIn(query, name, otherwise);

/** One text of a comparison. */
interface CompareSide {
  readonly title: string;
  readonly files: readonly SourceJson[];
}

/** The draft of this device; null if there is none. */
const useStoredDraft = (): readonly SourceJson[] | null | undefined => {
  const { calls } = useClient();
  const { data } = useQuery({ queryKey: keys.document, queryFn: ({ signal }) => calls.document(signal) });
  return useMemo(
    () => (data === undefined ? undefined : (readStoredDraft(data, () => window.localStorage)?.files ?? null)),
    [data],
  );
};

/** A version, or the draft of this device. */
const useSide = (name: SideName) => {
  const { say } = useWords();
  const { version: newest } = useApplication();
  const draft = useStoredDraft();
  const version = useVersion(name === DRAFT ? newest : name);
  const files = name === DRAFT ? (draft ?? undefined) : version.data?.files;
  const title = name === DRAFT ? say("compare.draft") : say("versions.number", { number: name });
  const side = useMemo<CompareSide | undefined>(() => files && { title, files }, [title, files]);
  return { side, error: version.error, retry: version.refetch };
};

/**
 * Two versions side by side, or a version and the draft. The address names them, and perhaps a clause of the earlier
 * one: `?from=3&to=5`, `?from=5&to=draft&clause=6.Loan.read`.
 */
const ComparePage = () => {
  const { navigation } = useClient();
  const { say } = useWords();
  const { search } = useAddress();
  const { version: newest } = useApplication();
  useTitle(say("compare.title"));
  const query = new URLSearchParams(search);
  const to = sideIn(query, "to", newest);
  const from = sideIn(query, "from", Math.max(1, (to === DRAFT ? newest + 1 : to) - 1));
  const draft = useStoredDraft();
  const [earlier, later] = [useSide(from), useSide(to)];
  const [before, after] = [earlier.side, later.side];
  const failed = [earlier, later].find((item) => item.error !== null);
  const compare = (old: SideName, now: SideName) =>
    navigation.go(`/workbench/compare?from=${old}&to=${now}`, "replace");
  const hasDraft = draft !== null || to === DRAFT || from === DRAFT;
  return (
    <WorkbenchFrame>
      <section className="workbench-page wide" aria-labelledby="compare">
        <h1 id="compare">{say("compare.title")}</h1>
        <div className="compare-choice">
          <VersionChoice
            label={say("compare.from")}
            value={from}
            newest={newest}
            hasDraft={hasDraft}
            onChange={(side) => compare(side, to)}
          />
          <VersionChoice
            label={say("compare.to")}
            value={to}
            newest={newest}
            hasDraft={hasDraft}
            onChange={(side) => compare(from, side)}
          />
          <Button onClick={() => compare(to, from)}>{say("compare.swap")}</Button>
        </div>
        {failed ? (
          <FailedRegion
            failure={toLastFailure(failed.error)}
            retry={() => void Promise.all([earlier.retry(), later.retry()])}
          />
        ) : draft === null && (from === DRAFT || to === DRAFT) ? (
          <RegionNote icon="document" title={say("compare.draft.none")} />
        ) : before && after ? (
          <Comparison before={before} after={after} clause={query.get("clause")} />
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
  hasDraft,
  onChange,
}: {
  label: string;
  value: SideName;
  newest: number;
  hasDraft: boolean;
  onChange: (side: SideName) => void;
}) => {
  const { say } = useWords();
  const last = value === DRAFT ? newest : Math.max(newest, value);
  const numbers = Array.from({ length: last }, (_, i) => last - i);
  return (
    <label>
      <span>{label}</span>
      <select
        className="box"
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value === DRAFT ? DRAFT : Number(currentTarget.value))}
      >
        {hasDraft && <option value={DRAFT}>{say("compare.draft")}</option>}
        {numbers.map((number) => (
          <option key={number} value={number}>
            {say("versions.number", { number })}
          </option>
        ))}
      </select>
    </label>
  );
};

/** A line of the earlier text. */
interface LinePlace {
  readonly file: string;
  readonly line: number;
}

/** The line of a clause in a text; undefined if it has none. */
const useClausePlace = (files: readonly SourceJson[], clause: string | null): LinePlace | undefined => {
  const { data: compiler } = useCompiler();
  return useMemo(() => {
    if (compiler === undefined || clause === null) return undefined;
    const { model } = compiler.createCompiler()(files);
    const span = model && compiler.collectClauses(model).find(({ id }) => id === clause)?.span;
    return span === undefined ? undefined : { file: span.file, line: placesIn(files)(span).line };
  }, [compiler, files, clause]);
};

const Comparison = ({ before, after, clause }: { before: CompareSide; after: CompareSide; clause: string | null }) => {
  const { say } = useWords();
  const files = useMemo(() => compareFiles(before.files, after.files), [before, after]);
  const { comparison, isCurrent, isRetrying, retry } = useComparison(before.files, after.files);
  const place = useClausePlace(before.files, clause);
  if (files.length === 0) return <RegionNote icon="check" title={say("compare.same")} />;
  return (
    <>
      <section className="compare-part" aria-labelledby="compare-behaviour">
        <h2 id="compare-behaviour">{say("behaviour.title")}</h2>
        <ComparedBehaviour comparison={isCurrent ? comparison : undefined} isRetrying={isRetrying} retry={retry} />
      </section>
      <section className="compare-part" aria-labelledby="compare-text">
        <h2 id="compare-text">{say("workbench.text")}</h2>
        {files.map((file) => (
          <FileComparison
            key={`${before.title} ${after.title} ${file.file}`}
            diff={file}
            before={before.title}
            after={after.title}
            line={place?.file === file.file ? place.line : undefined}
          />
        ))}
      </section>
    </>
  );
};

/** The lines of one file, before and after. */
export const FileComparison = ({
  diff: { file, added, removed, sections },
  before,
  after,
  line,
}: {
  diff: FileDiff;
  before: string;
  after: string;
  /** The line of the earlier text to show. */
  line: number | undefined;
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
                {before}
              </th>
              <th scope="colgroup" colSpan={2}>
                {after}
              </th>
            </tr>
          </thead>
          {sections.map((section) => (
            <Section
              key={`${section.kind} ${section.rows[0]?.before?.number} ${section.rows[0]?.after?.number}`}
              section={section}
              line={line}
            />
          ))}
        </table>
      </div>
    </section>
  );
};

const Section = ({ section: { kind, rows }, line }: { section: DiffSection; line: number | undefined }) => {
  const { say } = useWords();
  const [isOpened, setOpen] = useState(false);
  const hasLine = line !== undefined && rows.some(({ before }) => before?.number === line);
  if (kind === "folded" && !isOpened && !hasLine)
    return (
      <tbody className="compare-folded">
        <tr>
          <td colSpan={4}>
            <button
              type="button"
              onClick={({ currentTarget }) => {
                // The lines take the place of the button.
                currentTarget.closest<HTMLElement>(".compare-scroll")?.focus({ preventScroll: true });
                setOpen(true);
              }}
            >
              {say("compare.unchanged", { count: rows.length })}
            </button>
          </td>
        </tr>
      </tbody>
    );
  return (
    <tbody>
      {rows.map((row) => (
        <tr
          key={`${row.before?.number} ${row.after?.number}`}
          className={[row.kind === "changed" && "changed", row.before?.number === line && "at"]
            .filter(Boolean)
            .join(" ")}
          {...(row.before !== null &&
            row.before.number === line && {
              ref: (shown: HTMLTableRowElement | null) => shown?.scrollIntoView({ block: "center" }),
            })}
        >
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
