import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { defaults } from "../../../core/model/defaults.ts";
import type { Clause } from "../../../core/model/model.ts";
import { useAddress, useApplication, useClient, useStore } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { later, NotCome } from "../../ui/page/lazy.tsx";
import { ApplyDialog } from "../draft/apply-dialog.tsx";
import { WithDrafting } from "../draft/draft-provider.tsx";
import { answerPoint, type Drafting, type EditorSelection, linesChanged } from "../draft/draft-session.ts";
import { WorkbenchFrame } from "../frame.tsx";
import { FindingMark, OpenMark } from "../marks.tsx";
import { points } from "../point-titles.ts";
import { headingOf, Sheet } from "./document-view.tsx";

const TextEditor = later(() => import("./text-editor.tsx"), NotCome);

type Compiler = typeof import("../draft/compiler.ts");

/**
 * The document: formatted on the left, its text on the right. Text is compiled while typing, and applied on request.
 */
const DocumentPage = () => {
  const { say } = useWords();
  return (
    <WithDrafting title={say("workbench.document.tab")}>
      {(drafting, compiler) => <Desk key={drafting.store.get().inForce.hash} drafting={drafting} compiler={compiler} />}
    </WithDrafting>
  );
};

export default DocumentPage;

type Pane = "sheet" | "text" | "findings";

const Desk = ({ drafting, compiler }: { drafting: Drafting; compiler: Compiler }) => {
  const { say } = useWords();
  const toast = useToast();
  const { navigation } = useClient();
  const { version } = useApplication();
  const address = useAddress();
  const drafted = useStore(drafting.store);
  const { inForce, files, compiled, changed } = drafted;
  const asked = useMemo(() => new URLSearchParams(address.search), [address.search]);
  const [name, setName] = useState(files[0]?.file ?? "");
  const [pane, setPane] = useState<Pane>("sheet");
  const [selection, setSelection] = useState<EditorSelection | null>(null);
  const [applying, setApplying] = useState(false);
  const file = files.find((one) => one.file === name) ?? files[0] ?? { file: "", text: "" };

  const parts = useMemo(() => compiler.renderPage(file), [compiler, file]);
  const clauses = useMemo<readonly Clause[]>(
    () => (compiled.model === undefined ? [] : compiler.collectClauses(compiled.model)),
    [compiler, compiled.model],
  );
  const found = useMemo(() => compiled.findings.filter(({ severity }) => severity !== "open"), [compiled]);
  const errors = found.filter(({ severity }) => severity === "error").length;
  const lines = useMemo(() => linesChanged({ inForce, files }), [inForce, files]);

  const clause = asked.get("clause");
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
  const answer = useCallback(
    (point: number) => {
      const heading = parts.find((part) => part.kind === "heading" && part.level === 2 && part.point === point);
      if (heading?.kind !== "heading") return;
      const open = parts.flatMap((part) =>
        part.kind === "prose" && part.point === point
          ? part.sentences.filter((one) => one.open).map(({ span }) => ({ from: span.start, to: span.end }))
          : [],
      );
      const answered = answerPoint(file.text, point, heading.span.start, open);
      drafting.change(file.file, answered.text);
      setSelection(answered.selection);
      setPane("text");
      // Scrolls the formatted view to the point being edited.
      document.getElementById(headingOf(point))?.scrollIntoView({ block: "start" });
    },
    [drafting, file, parts],
  );
  const discard = () => {
    drafting.drop();
    toast(say("workbench.dropped"), () => {
      for (const one of files) drafting.change(one.file, one.text);
    });
  };
  const wanted = asked.get("answer");
  useEffect(() => {
    if (wanted === null || inForce.fixed !== null) return;
    navigation.go(address.path, "replace");
    answer(Number(wanted));
  }, [wanted, inForce.fixed, answer, navigation, address.path]);

  const mend = useCallback((text: string) => say("workbench.mend", { text }), [say]);
  const counts = { findings: found.length };
  const panes: readonly { readonly pane: Pane; readonly words: string }[] = [
    { pane: "sheet", words: say("workbench.document.tab") },
    { pane: "text", words: say("workbench.text") },
    { pane: "findings", words: say("workbench.pane.findings") },
  ];
  const own = found.filter(({ span }) => span.file === file.file);
  return (
    <WorkbenchFrame
      count={compiled.open.length}
      status={
        <>
          <span className="workbench-version from-tablet">
            {say("workbench.version", { version })}
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
                onClick={() => (errors > 0 ? setPane("findings") : setApplying(true))}
              >
                {say("workbench.apply")}
              </Button>
            </>
          )}
        </>
      }
    >
      <h1 className="hidden-words">{say("workbench.document.tab")}</h1>
      <div className="panes desk" data-phone-pane={pane}>
        {/* biome-ignore lint/a11y/useSemanticElements: a choice of panes, on the phone alone */}
        <div className="pane-choice" role="group" aria-label={say("workbench.panes")}>
          {panes.map((one) => (
            <button key={one.pane} type="button" aria-pressed={pane === one.pane} onClick={() => setPane(one.pane)}>
              {one.words} {one.pane === "findings" && <span className="tab-count">{counts.findings}</span>}
            </button>
          ))}
        </div>
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
                  <a href={`#${headingOf(point)}`}>
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
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls is reached by the keyboard */}
        <section className="sheet" tabIndex={0} aria-label={say("workbench.typeset")}>
          <Sheet
            file={file}
            parts={parts}
            compiled={compiled}
            clauses={clauses}
            defaults={defaults}
            at={clause}
            onPlace={select}
            onAnswer={inForce.fixed === null ? answer : null}
          />
        </section>
        <div className="side-pane">
          <div className="text-head">
            <span>{file.file}</span>
            {inForce.fixed !== null && (
              <span className="small-words">{say("workbench.fixed", { why: inForce.fixed })}</span>
            )}
          </div>
          <section className="text-pane" aria-label={say("workbench.text")}>
            <Suspense fallback={null}>
              <TextEditor
                key={file.file}
                label={say("workbench.text.of", { file: file.file })}
                text={file.text}
                findings={own}
                readOnly={inForce.fixed !== null}
                selection={selection}
                mend={mend}
                onChange={(text) => drafting.change(file.file, text)}
              />
            </Suspense>
          </section>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls is reached by the keyboard */}
          <section className="found-pane" tabIndex={0} aria-label={say("workbench.pane.findings")}>
            {found.length === 0 ? (
              <p className="pane-empty">{say("workbench.findings.none")}</p>
            ) : (
              <ul className="findings">
                {found.map((one) => (
                  <li key={`${one.code} ${one.span.file} ${one.span.start} ${one.message}`}>
                    <span className="open-mark">
                      <FindingMark severity={one.severity} />
                    </span>
                    <button
                      type="button"
                      className="finding-link"
                      onClick={() => {
                        setName(one.span.file);
                        select(one.span.start, one.span.end);
                      }}
                    >
                      <span>{one.message}</span>
                      <span className="pane-second">{one.hint}</span>
                      <code className="clause">{one.clause ?? one.code}</code>
                    </button>
                  </li>
                ))}
              </ul>
            )}
          </section>
        </div>
      </div>
      {applying && <ApplyDialog drafting={drafting} onClose={() => setApplying(false)} />}
    </WorkbenchFrame>
  );
};
