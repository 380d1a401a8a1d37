import { Suspense, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import type { Compiled } from "../../../core/compile.ts";
import { applyEdits } from "../../../core/document/edits.ts";
import type { Clause } from "../../../core/model/clause.ts";
import type { Span } from "../../../core/source-text.ts";
import type { SourceJson } from "../../../core/wire/authoring/document.ts";
import { useAddress, useApplication, useClient, useKeys, usePerson, useStore } from "../../app/app-context.tsx";
import { useDefaultTexts } from "../../i18n/default-texts.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button, IconButton } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { lazyComponent, PageNotLoaded } from "../../ui/page/lazy.tsx";
import { ApplyDialog } from "../draft/apply-dialog.tsx";
import { DraftProvider } from "../draft/draft-provider.tsx";
import {
  answerPoint,
  type Drafted,
  type Drafting,
  type EditorSelection,
  haveSameText,
} from "../draft/draft-session.ts";
import { countChangedLines } from "../draft/lines-changed.ts";
import { WorkbenchFrame } from "../frame.tsx";
import { OpenMark } from "../marks.tsx";
import type { WriteMissing } from "../plan/data-changes.tsx";
import { PlanPane } from "../plan/plan-pane.tsx";
import { useComparison } from "../plan/use-comparison.ts";
import { usePlannedData } from "../plan/use-planned-data.ts";
import { useDraftReplay } from "../plan/use-replay.ts";
import { points } from "../point-titles.ts";
import { DocumentView, getHeadingId } from "./document-view.tsx";
import { FindingsPane, findingFrom } from "./findings-pane.tsx";

const TextEditor = lazyComponent(() => import("./text-editor.tsx"), PageNotLoaded);

const EDITOR_HELP = "text-keys";

type Compiler = typeof import("../draft/compiler.ts");

/**
 * The document: formatted on the left, its text on the right. Text is compiled while typing, and applied on request.
 */
const DocumentPage = () => {
  const { say } = useWords();
  return (
    <DraftProvider title={say("workbench.document.tab")}>
      {(drafting, compiler) => <Desk drafting={drafting} compiler={compiler} />}
    </DraftProvider>
  );
};

export default DocumentPage;

type Pane = "sheet" | "plan" | "text" | "findings";

/** Panes beside the text, one at a time. */
type Beside = "sheet" | "plan";

const Desk = ({ drafting, compiler }: { drafting: Drafting; compiler: Compiler }) => {
  const { say } = useWords();
  const toast = useToast();
  const { navigation, calls } = useClient();
  const { version } = useApplication();
  const address = useAddress();
  const drafted = useStore(drafting.store);
  const defaults = useDefaultTexts();
  const { inForce, newer, files, compiled, changed, proposal } = drafted;
  const searchParams = useMemo(() => new URLSearchParams(address.search), [address.search]);
  const [name, setName] = useState(files[0]?.file ?? "");
  // In the address too, so that people come back to the plan from a record that it named.
  const [beside, setShown] = useState<Beside>(searchParams.get("beside") === "plan" ? "plan" : "sheet");
  const [pane, setPane] = useState<Pane>(beside);
  const setBeside = useCallback(
    (chosen: Beside) => {
      setShown(chosen);
      const { path, search } = navigation.get();
      const params = new URLSearchParams(search);
      if ((params.get("beside") ?? "sheet") === chosen) return;
      if (chosen === "plan") params.set("beside", chosen);
      else params.delete("beside");
      navigation.go(params.size === 0 ? path : `${path}?${params}`, "replace");
    },
    [navigation],
  );
  const [selection, setSelection] = useState<EditorSelection | null>(null);
  const [applying, setApplying] = useState(false);
  const [isFinding, setFinding] = useState(false);
  const file = files.find((one) => one.file === name) ?? files[0] ?? { file: "", text: "" };

  // The formatted text may not delay a key either.
  const typeset = useDeferredValue(file);
  const parts = useMemo(() => compiler.renderPage(typeset), [compiler, typeset]);
  const clauses = useMemo<readonly Clause[]>(
    () => (compiled.model === undefined ? [] : compiler.collectClauses(compiled.model)),
    [compiler, compiled.model],
  );
  const typesetClauses = useDeferredValue(clauses);
  const typesetFindings = useDeferredValue(compiled);
  const found = useMemo(() => compiled.findings.filter(({ severity }) => severity !== "open"), [compiled]);
  const errors = found.filter(({ severity }) => severity === "error").length;
  // Counting may not delay a key.
  const counted = useDeferredValue(files);
  const lines = useMemo(() => countChangedLines(inForce.files, counted), [inForce.files, counted]);
  const runs = useRunning(drafted);
  const compared = useComparison(inForce.files, changed ? runs : inForce.files);
  const checked = changed && errors === 0 && newer === null ? runs : undefined;
  const data = usePlannedData(inForce.hash, checked);
  const replay = useDraftReplay(inForce.hash, checked);
  const hasEarlier = runs !== undefined && !haveSameText(runs, inForce.files);
  // Unknown until the draft was once without errors.
  const planned = changed && hasEarlier ? compared.comparison?.behaviour?.length : undefined;

  const clause = searchParams.get("clause");
  const led = useRef<string | null>(null);
  useEffect(() => {
    const span = clauses.find(({ id }) => id === clause)?.span;
    // Only once per linked clause: later edits must not scroll back to it.
    if (!span || led.current === clause) return;
    led.current = clause;
    setName(span.file);
    setSelection({ from: span.start, to: span.end, quiet: true });
  }, [clause, clauses]);

  const select = useCallback((from: number, to = from) => {
    setSelection({ from, to });
    setPane("text");
  }, []);
  const leadTo = useCallback(
    (span: Span) => {
      setName(span.file);
      select(span.start, span.end);
    },
    [select],
  );
  /** The place of the cursor. */
  const cursor = useRef({ file: file.file, start: 0 });
  const step = useCallback(
    (direction: 1 | -1) => {
      const next = findingFrom(found, files, cursor.current, direction);
      if (next) leadTo(next.span);
      return next !== undefined;
    },
    [found, files, leadTo],
  );
  const enterText = useCallback(() => {
    setPane("text");
    setSelection({ from: cursor.current.start, to: cursor.current.start });
  }, []);
  useKeys(
    useMemo(
      () => ({
        F8: ({ shiftKey }) => void step(shiftKey ? -1 : 1),
        e: (event) => {
          // The letter itself is not meant for the text.
          event.preventDefault();
          enterText();
        },
      }),
      [step, enterText],
    ),
  );
  const toFirstError = () => {
    const error = found.find(({ severity }) => severity === "error");
    if (error) leadTo(error.span);
  };
  const rights = usePerson()?.changes;
  const proposes = rights?.publish !== true && rights?.propose === true;
  const canChange = inForce.fixed === null;
  /** Writes a clause that makes stored data fit, and selects it. */
  const write: WriteMissing = (missing, value) => {
    const written = compiled.model && compiler.writeMissing(files, compiled.model, missing, value);
    if (written === undefined) {
      toast(say("plan.unwritten"));
      return;
    }
    drafting.change(written.file, written.text);
    leadTo(written.span);
  };
  const latest = useRef<{ readonly file: SourceJson; readonly parts: typeof parts | null }>({ file, parts });
  latest.current = { file, parts: typeset === file ? parts : null };
  // One function for all texts, so that a key does not draw the formatted text again.
  const answer = useCallback(
    (point: number) => {
      const { file, parts } = latest.current;
      const shown = parts ?? compiler.renderPage(file);
      const heading = shown.find((part) => part.kind === "heading" && part.level === 2 && part.point === point);
      if (heading?.kind !== "heading") return;
      const open = shown.flatMap((part) =>
        part.kind === "prose" && part.point === point
          ? part.sentences.filter((one) => one.open).map(({ span }) => ({ from: span.start, to: span.end }))
          : [],
      );
      const answered = answerPoint(file.text, point, heading.span.start, open);
      drafting.change(file.file, answered.text);
      setSelection(answered.selection);
      setPane("text");
      setBeside("sheet");
      // Scrolls the formatted view to the point being edited.
      document.getElementById(getHeadingId(point))?.scrollIntoView({ block: "start" });
    },
    [drafting, compiler, setBeside],
  );
  const discard = () => {
    toast(say("workbench.dropped"), drafting.drop());
  };
  const wanted = searchParams.get("answer");
  useEffect(() => {
    if (wanted === null || inForce.fixed !== null) return;
    navigation.go(address.path, "replace");
    answer(Number(wanted));
  }, [wanted, inForce.fixed, answer, navigation, address.path]);

  const opening = searchParams.get("proposal");
  useEffect(() => {
    if (opening === null) return;
    navigation.go(address.path, "replace");
    Promise.all([calls.proposal(Number(opening)), calls.document()]).then(
      ([one, live]) => {
        if (!one.may.edit) return toast(say("proposal.edit.closed"));
        const undo = drafting.open(one, live);
        return toast(say("proposal.edit.opened", { number: one.number }), undo ?? undefined);
      },
      () => toast(say("proposal.edit.closed")),
    );
  }, [opening, navigation, address.path, calls, drafting, toast, say]);

  const former = searchParams.get("version");
  useEffect(() => {
    if (former === null) return;
    navigation.go(`${address.path}?beside=plan`, "replace");
    if (inForce.fixed !== null) return;
    const number = Number(former);
    Promise.all([calls.version(number), calls.document()]).then(
      ([{ files }, live]) =>
        toast(say("versions.draft.opened", { number }), drafting.restore(files, live) ?? undefined),
      () => toast(say("versions.draft.failed", { number })),
    );
  }, [former, inForce.fixed, navigation, address.path, calls, drafting, toast, say]);

  const mend = useCallback((text: string) => say("workbench.mend", { text }), [say]);
  const sheetChoice = { pane: "sheet", words: say("workbench.document.tab"), count: null } as const;
  const planChoice = { pane: "plan", words: say("plan.title"), count: planned ?? null } as const;
  const panes: readonly PaneChoice[] = [
    sheetChoice,
    { pane: "text", words: say("workbench.text"), count: null },
    planChoice,
    { pane: "findings", words: say("workbench.pane.findings"), count: found.length },
  ];
  const choose = (chosen: Pane) => {
    setPane(chosen);
    if (chosen === "sheet" || chosen === "plan") setBeside(chosen);
  };
  const update = () => {
    const version = newer?.version ?? 0;
    const collisions = drafting.update();
    toast(say("plan.updated", { version, collisions }));
  };
  const own = found.filter(({ span }) => span.file === file.file);
  return (
    <WorkbenchFrame
      count={compiled.open.length}
      status={
        <>
          <span className="workbench-version from-tablet">
            {say("workbench.version", { version })}
            {proposal !== null && <> · {say("proposal.editing", { number: proposal.number })}</>}
            {changed && <b> · {say("workbench.draft", { lines, findings: errors })}</b>}
          </span>
          {changed && (
            <>
              <Button small look="quiet" onClick={discard}>
                {say("workbench.drop")}
              </Button>
              <Button
                small
                look={errors > 0 ? "plain" : "primary"}
                {...(errors > 0 && {
                  className: "refused",
                  "aria-disabled": true,
                  title: say("workbench.apply.errors", { findings: errors }),
                })}
                onClick={() => (errors > 0 ? toFirstError() : setApplying(true))}
              >
                {say(proposes ? "proposal.propose.draft" : "workbench.apply")}
              </Button>
            </>
          )}
        </>
      }
    >
      <h1 className="hidden-words">{say("workbench.document.tab")}</h1>
      <div className="panes desk" data-phone-pane={pane}>
        <PanesChoice className="pane-choice" choices={panes} chosen={pane} onChoose={choose} />
        <nav className="outline" aria-label={say("workbench.nine")}>
          {files.length > 1 ? (
            <label className="outline-file">
              <span className="hidden-words">{say("workbench.file")}</span>
              <select value={file.file} onChange={(event) => setName(event.target.value)}>
                {files.map((one) => (
                  <option key={one.file}>{one.file}</option>
                ))}
              </select>
            </label>
          ) : (
            <h2>{file.file}</h2>
          )}
          <ul>
            {[1, 2, 3, 4, 5, 6, 7, 8, 9].map((point) => {
              const open = compiled.open.filter((one) => one.point === point).length;
              return (
                <li key={point}>
                  <a href={`#${getHeadingId(point)}`}>
                    <span className="outline-number">{point}</span>
                    <span>{say(points[point] ?? "point.0")}</span>
                    {open > 0 && (
                      <span className="outline-count">
                        <OpenMark />
                        {open}
                      </span>
                    )}
                  </a>
                </li>
              );
            })}
          </ul>
        </nav>
        <div className="beside-pane">
          {newer !== null && (
            <div className="plan-notice" role="status">
              <Icon name="alert" />
              <p>{say("plan.outdated", { version: newer.version })}</p>
              <Button small onClick={update}>
                {say("plan.update")}
              </Button>
            </div>
          )}
          <PanesChoice className="pane-tabs" choices={[sheetChoice, planChoice]} chosen={beside} onChoose={choose} />
          {beside === "plan" ? (
            <PlanPane
              changed={changed}
              errors={errors}
              hasEarlier={hasEarlier}
              compared={compared}
              data={data}
              replay={replay}
              places={{
                before: (id) =>
                  `/workbench/compare?${new URLSearchParams({ from: String(inForce.version), to: "draft", clause: id })}`,
                onAfter: ({ span }) => leadTo(span),
              }}
              onErrors={toFirstError}
              onRename={canChange ? ({ file: changed, text }) => drafting.change(changed, text) : undefined}
              onWrite={canChange ? write : undefined}
            />
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls is reached by the keyboard
            <section className="sheet" tabIndex={0} aria-label={say("workbench.typeset")}>
              <DocumentView
                file={typeset}
                parts={parts}
                compiled={typesetFindings}
                clauses={typesetClauses}
                defaults={defaults}
                at={clause}
                onPlace={select}
                onAnswer={canChange ? answer : null}
              />
            </section>
          )}
        </div>
        <div className="side-pane">
          <div className="text-head">
            <span>{file.file}</span>
            {inForce.fixed !== null && (
              <span className="small-words">{say("workbench.fixed", { why: inForce.fixed })}</span>
            )}
            {inForce.fixed === null && (
              <span id={EDITOR_HELP} className="small-words">
                {say("workbench.text.keys")}
              </span>
            )}
            <IconButton
              small
              icon="search"
              label={say("find.title")}
              aria-pressed={isFinding}
              onClick={() => setFinding(!isFinding)}
            />
          </div>
          <section className="text-pane" aria-label={say("workbench.text")}>
            <Suspense fallback={null}>
              <TextEditor
                key={file.file}
                label={say("workbench.text.of", { file: file.file })}
                describedBy={EDITOR_HELP}
                text={file.text}
                findings={own}
                readOnly={inForce.fixed !== null}
                selection={selection}
                isFinding={isFinding}
                onFind={setFinding}
                mend={mend}
                onCursor={(start) => {
                  cursor.current = { file: file.file, start };
                }}
                onStep={step}
                onChange={(text) => drafting.change(file.file, text)}
              />
            </Suspense>
          </section>
          <FindingsPane
            found={found}
            sources={compiled.sources}
            canChange={canChange}
            onPlace={leadTo}
            onFix={(edit) => {
              for (const one of applyEdits(files, [edit]))
                if (!files.includes(one)) drafting.change(one.file, one.text);
            }}
          />
        </div>
      </div>
      {applying && (
        <ApplyDialog drafting={drafting} onWrite={canChange ? write : undefined} onClose={() => setApplying(false)} />
      )}
    </WorkbenchFrame>
  );
};

interface PaneChoice {
  readonly pane: Pane;
  readonly words: string;
  readonly count: number | null;
}

const PanesChoice = ({
  className,
  choices,
  chosen,
  onChoose,
}: {
  className: string;
  choices: readonly PaneChoice[];
  chosen: Pane;
  onChoose: (pane: Pane) => void;
}) => {
  const { say } = useWords();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a choice of panes
    <div className={className} role="group" aria-label={say("workbench.panes")}>
      {choices.map(({ pane, words, count }) => (
        <button key={pane} type="button" aria-pressed={chosen === pane} onClick={() => onChoose(pane)}>
          {words} {count !== null && <span className="tab-count">{count}</span>}
        </button>
      ))}
    </div>
  );
};

/** The newest text of the draft that has no errors; undefined before there is one. */
const useRunning = ({ compiled }: Drafted): Compiled["sources"] | undefined => {
  const last = useRef<Compiled["sources"]>(undefined);
  if (compiled.model !== undefined) last.current = compiled.sources;
  return last.current;
};
