import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import type { DefaultTexts } from "../../../core/i18n/catalogue.ts";
import type { DefaultJson, OpenPointJson, OpenPointsJson } from "../../../core/wire/authoring/open-points.ts";
import { toFailureOf } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient, useTitle } from "../../app/app-context.tsx";
import { findDefaultText, useDefaultTexts } from "../../i18n/default-texts.ts";
import { useWords } from "../../i18n/words.tsx";
import { ClauseId } from "../../ui/clause.tsx";
import { Link } from "../../ui/link.tsx";
import { FailedRegion } from "../../ui/page/region-status.tsx";
import { LoadingBoundary } from "../../util/loading-boundary.tsx";
import { WorkbenchFrame } from "../frame.tsx";
import { FindingMark, OpenMark } from "../marks.tsx";
import { byPoint, points } from "../point-titles.ts";
import { PanesSkeleton } from "../skeleton.tsx";
import { Questions } from "./questions.tsx";

type Pane = "sheet" | "defaults" | "findings";

/** Open points of the document, with the defaults in use. */
const Workbench = () => {
  const { calls } = useClient();
  const { say } = useWords();
  useTitle(say("menu.workbench.open"));
  const query = useQuery({ queryKey: keys.openPoints, queryFn: ({ signal }) => calls.openPoints(signal) });
  const failure = toFailureOf(query);

  return (
    <WorkbenchFrame count={query.data?.open.length}>
      <h1 className="hidden-words">{say("menu.workbench.open")}</h1>
      {query.data ? (
        <LoadingBoundary fallback={<PanesSkeleton />}>
          <Panes points={query.data} />
        </LoadingBoundary>
      ) : failure ? (
        <div className="region">
          <FailedRegion failure={failure} retry={() => void query.refetch()} />
        </div>
      ) : (
        <PanesSkeleton />
      )}
    </WorkbenchFrame>
  );
};

export default Workbench;

const Panes = ({ points: data }: { points: OpenPointsJson }) => {
  const { say } = useWords();
  // Without open points, the defaults are the main content.
  const decided = data.open.length === 0;
  const [pane, setPane] = useState<Pane>(data.findings.length > 0 || decided ? "findings" : "defaults");
  const [phonePane, setPhonePane] = useState<Pane>("sheet");
  const counts = { sheet: data.open.length, defaults: data.defaults.length, findings: data.findings.length };
  const names = {
    sheet: say("workbench.pane.open"),
    defaults: say("workbench.pane.defaults"),
    findings: say("workbench.pane.findings"),
  };
  return (
    <div className="panes" data-phone-pane={phonePane}>
      {/* biome-ignore lint/a11y/useSemanticElements: a choice of panes, on the phone alone */}
      <div className="pane-choice" role="group" aria-label={say("workbench.panes")}>
        {(decided ? (["sheet", "findings"] as const) : (["sheet", "defaults", "findings"] as const)).map((item) => (
          <button key={item} type="button" aria-pressed={phonePane === item} onClick={() => setPhonePane(item)}>
            {item === "defaults" ? say("workbench.pane.defaults.short") : names[item]}{" "}
            <span className="tab-count">{counts[item]}</span>
          </button>
        ))}
      </div>
      <Outline data={data} />
      <Sheet data={data} />
      <div className="side-pane">
        {/* biome-ignore lint/a11y/useSemanticElements: a choice of what stands below */}
        <div className="pane-tabs" role="group" aria-label={say("workbench.panes")}>
          {(decided ? (["findings"] as const) : (["defaults", "findings"] as const)).map((item) => (
            <button key={item} type="button" aria-pressed={pane === item} onClick={() => setPane(item)}>
              {item === "findings" && counts.findings > 0 && <FindingMark severity="error" />}
              {item === "defaults" && <OpenMark />}
              {names[item]} <span className="tab-count">{counts[item]}</span>
            </button>
          ))}
        </div>
        {!decided && (
          <PaneBody pane="defaults" shown={pane} name={names.defaults}>
            <Defaults defaults={data.defaults} />
          </PaneBody>
        )}
        <PaneBody pane="findings" shown={pane} name={names.findings}>
          <Findings data={data} />
        </PaneBody>
      </div>
    </div>
  );
};

interface PaneBodyProps {
  readonly pane: Pane;
  readonly shown: Pane;
  readonly name: string;
  readonly children: ReactNode;
}

const PaneBody = ({ pane, shown, name, children }: PaneBodyProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls must be reachable by keyboard
  <section className="pane-body" data-pane={pane} hidden={pane !== shown} tabIndex={0} aria-label={name}>
    {children}
  </section>
);

const usePointName = () => {
  const { say } = useWords();
  return (point: number) => say(points[point] ?? "point.0");
};

const Outline = ({ data }: { data: OpenPointsJson }) => {
  const { say } = useWords();
  const name = usePointName();
  const open = byPoint(data.open);
  return (
    <nav className="outline" aria-label={say("workbench.nine")}>
      <h2>{data.document.file}</h2>
      <ul>
        {[1, 2, 3, 4, 5, 6, 7, 8, 9].map((point) => {
          const count = open.get(point)?.length ?? 0;
          const inside = (
            <>
              <span className="outline-number">{point}</span>
              <span>{name(point)}</span>
              {count > 0 && (
                <span className="outline-count">
                  <OpenMark />
                  {count}
                </span>
              )}
            </>
          );
          return (
            <li key={point}>
              {count > 0 ? <a href={`#point-${point}`}>{inside}</a> : <span className="outline-shown">{inside}</span>}
            </li>
          );
        })}
      </ul>
      <p className="small-words outline-foot">
        {say("workbench.document", { version: data.document.version })}{" "}
        <ClauseId of={data.document.hash.slice(0, 12)} />
      </p>
    </nav>
  );
};

const Sheet = ({ data }: { data: OpenPointsJson }) => {
  const { say } = useWords();
  const name = usePointName();
  const grouped = [...byPoint(data.open)];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls must be reachable by keyboard
    <section className="sheet" tabIndex={0} aria-label={say("workbench.pane.open")}>
      <Questions />
      {grouped.length === 0 ? (
        <article className="decided">
          <h2>{say("workbench.none")}</h2>
          <p className="small-words">{say("workbench.none.words")}</p>
          {data.defaults.length > 0 && (
            <section className="sheet-defaults" aria-label={say("workbench.pane.defaults")}>
              <h2>{say("workbench.pane.defaults")}</h2>
              <Defaults defaults={data.defaults} />
            </section>
          )}
        </article>
      ) : (
        <article>
          {grouped.map(([point, open]) => (
            <section key={point} id={`point-${point}`} aria-labelledby={`heading-${point}`}>
              <h2 id={`heading-${point}`}>
                {point === 0 ? name(point) : say("workbench.point", { number: point, name: name(point) })}
              </h2>
              {open.map((openPoint) => (
                <OpenPoint
                  key={`${openPoint.file} ${openPoint.line} ${openPoint.default.code} ${openPoint.statement}`}
                  open={openPoint}
                />
              ))}
            </section>
          ))}
        </article>
      )}
    </section>
  );
};

/** The texts of a default in the reader's language; those of the server for a code that this page does not know. */
const getDefaultTexts = (texts: DefaultTexts, one: DefaultJson): Pick<DefaultJson, "silent" | "inForce"> =>
  findDefaultText(texts, one.code) ?? one;

const OpenPoint = ({ open }: { open: OpenPointJson }) => {
  const { say } = useWords();
  const { silent, inForce } = getDefaultTexts(useDefaultTexts(), open.default);
  return (
    <div className="open-point">
      <span className="open-mark" role="img" aria-label={say("workbench.not.shown")}>
        <OpenMark />
      </span>
      <div>
        <p className="statement">
          {open.statement === "" ? <span className="none silent">{silent}</span> : open.statement}
        </p>
        <p className="in-force">
          {say("workbench.in.force", { words: inForce })} <ClauseId of={open.default.code} />
        </p>
      </div>
      <span className="open-point-end">
        <span className="line-number">
          {open.file === null
            ? say("workbench.line", { line: open.line })
            : say("workbench.line.of", { file: open.file, line: open.line })}
        </span>
        <Link className="answer" href={`/workbench/document?answer=${open.point}`}>
          {say("workbench.answer")}
        </Link>
      </span>
    </div>
  );
};

const Defaults = ({ defaults }: { defaults: readonly DefaultJson[] }) => {
  const { say } = useWords();
  const texts = useDefaultTexts();
  const name = usePointName();
  if (defaults.length === 0) return <p className="pane-empty">{say("workbench.defaults.none")}</p>;
  return [...byPoint(defaults)].map(([point, some]) => (
    <section key={point} className="pane-group">
      <h3>{point === 0 ? name(point) : say("workbench.point", { number: point, name: name(point) })}</h3>
      <ul>
        {some.map((item) => (
          <li key={`${item.code} ${item.silent}`}>
            <span className="open-mark">
              <OpenMark />
            </span>
            <div>
              <p className="silent">{getDefaultTexts(texts, item).silent}</p>
              <p className="pane-second">{getDefaultTexts(texts, item).inForce}</p>
              <ClauseId of={item.code} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  ));
};

const severityWords = {
  error: "severity.error",
  warning: "severity.warning",
  open: "severity.open",
  "not executed": "severity.not.executed",
} as const;

const Findings = ({ data }: { data: OpenPointsJson }) => {
  const { say } = useWords();
  if (data.findings.length === 0) return <p className="pane-empty">{say("workbench.findings.none")}</p>;
  return (
    <ul className="findings">
      {data.findings.map((finding) => (
        <Finding
          key={`${finding.code} ${finding.file} ${finding.line} ${finding.column} ${finding.message}`}
          finding={finding}
        />
      ))}
    </ul>
  );
};

const Finding = ({ finding }: { finding: OpenPointsJson["findings"][number] }): ReactNode => {
  const { say } = useWords();
  const id = useId();
  const { file, line, column } = finding;
  const place = { line, column };
  const severity = severityWords[finding.severity as keyof typeof severityWords] ?? "severity.error";
  return (
    <li aria-labelledby={id}>
      <span className="open-mark" role="img" aria-label={say(severity)}>
        <FindingMark severity={finding.severity} />
      </span>
      <div>
        <p id={id}>{finding.message}</p>
        <p className="pane-second">{finding.hint}</p>
        <p className="finding-foot">
          <ClauseId of={finding.clause ?? finding.code} />
          {finding.clause !== null && <ClauseId of={finding.code} />}
          <span className="line-number">
            {file === null ? say("workbench.place", place) : say("workbench.place.of", { file, ...place })}
          </span>
        </p>
      </div>
    </li>
  );
};
