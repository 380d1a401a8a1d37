import { useCallback, useDeferredValue, useMemo, useRef, useState } from "react";
import type { PagePart } from "../../../core/document/rendered-page.ts";
import type { Unanswered } from "../../../core/editor/answer-point.ts";
import type { WordId } from "../../../core/i18n/catalogue.ts";
import { placesIn } from "../../../core/source-text.ts";
import type { SourceJson } from "../../../core/wire/authoring/document.ts";
import { useAddress, useClient, useStore } from "../../app/app-context.tsx";
import { useWords, type Words } from "../../i18n/words.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { PageNotLoaded } from "../../ui/page/lazy.tsx";
import { LoadingBoundary } from "../../util/loading-boundary.tsx";
import { ApplyDialog } from "../draft/apply-dialog.tsx";
import { useDiscard } from "../draft/discard-draft.tsx";
import { DraftProvider } from "../draft/draft-provider.tsx";
import type { DraftSession, EditorSelection } from "../draft/draft-session.ts";
import { OutdatedNotice } from "../draft/outdated-notice.tsx";
import type { CheckedText } from "../editor/editor-answers.ts";
import { useCheckedText } from "../editor/editor-thread.ts";
import { WorkbenchFrame } from "../frame.tsx";
import type { WriteMissing } from "../plan/data-changes.tsx";
import { PanesSkeleton } from "../skeleton.tsx";
import { useOpenSteps } from "../start/open-steps.ts";
import { DocumentOutline } from "./document-outline.tsx";
import { getHeadingId } from "./document-view.tsx";
import { DraftStatus } from "./draft-status.tsx";
import { type Pane, PaneChoice, type PaneOption } from "./pane-choice.tsx";
import { type FormattedFile, ReadingSide, type SidePane } from "./reading-side.tsx";
import { TextSide } from "./text-side.tsx";
import { useDraftPlan } from "./use-draft-plan.ts";
import { useEditorPlace } from "./use-editor-place.ts";
import { useLinkedText } from "./use-linked-text.ts";
import { useRegions } from "./use-regions.ts";

type Compiler = typeof import("../draft/compiler.ts");

/**
 * The document: formatted on the left, its text on the right. Text is compiled while typing, and applied on request.
 */
const DocumentPage = () => {
  const { say } = useWords();
  return (
    <DraftProvider title={say("menu.workbench.document")}>
      {(drafting, compiler) => <CheckedEditor drafting={drafting} compiler={compiler} />}
    </DraftProvider>
  );
};

export default DocumentPage;

const sidePanes: ReadonlySet<string> = new Set<SidePane>(["sheet", "plan", "guide"]);

const isSidePane = (pane: string | null): pane is SidePane => pane !== null && sidePanes.has(pane);

/** The chosen pane. It is in the address too, so that people come back to the plan from a record that it named. */
const useSidePane = (): readonly [SidePane, (chosen: SidePane) => void] => {
  const { navigation } = useClient();
  const { search } = useAddress();
  const beside = new URLSearchParams(search).get("beside");
  const [chosen, setChosen] = useState<SidePane>(isSidePane(beside) ? beside : "sheet");
  const choose = useCallback(
    (next: SidePane) => {
      setChosen(next);
      const { path, search } = navigation.get();
      const params = new URLSearchParams(search);
      if ((params.get("beside") ?? "sheet") === next) return;
      if (next === "sheet") params.delete("beside");
      else params.set("beside", next);
      navigation.go(params.size === 0 ? path : `${path}?${params}`, "replace");
    },
    [navigation],
  );
  return [chosen, choose];
};

const CheckedEditor = ({ drafting, compiler }: { drafting: DraftSession; compiler: Compiler }) => {
  const { files } = useStore(drafting.store);
  const { checked, failed, retry } = useCheckedText(files);
  if (checked !== undefined) return <DraftEditor drafting={drafting} compiler={compiler} checked={checked} />;
  return (
    <WorkbenchFrame>
      {failed ? (
        <div className="region">
          <PageNotLoaded onRetry={retry} />
        </div>
      ) : (
        <PanesSkeleton />
      )}
    </WorkbenchFrame>
  );
};

/** The formatted file. It is the checked text, and drawing it may not delay a key. */
const useFormattedFile = (compiler: Compiler, checkedText: CheckedText, open: SourceJson): FormattedFile => {
  const checked = useDeferredValue(checkedText);
  const file = checked.sources.find((source) => source.file === open.file) ?? open;
  const parts = useMemo(() => compiler.renderPage(file), [compiler, file]);
  return useMemo(() => ({ file, parts, checked }), [file, parts, checked]);
};

/** Shows the heading of a point in the text, as the outline does in the formatted view. One function for all texts. */
const useShowPoint = (
  { parts }: FormattedFile,
  setSelection: (selection: EditorSelection) => void,
): ((point: number) => void) => {
  const latest = useRef(parts);
  latest.current = parts;
  return useCallback(
    (point) => {
      for (const part of latest.current)
        if (part.kind === "heading" && part.level === 2 && part.point === point)
          setSelection({ from: part.span.start, to: part.span.start, quiet: true });
    },
    [setSelection],
  );
};

const unansweredWords = {
  errors: "guide.broken",
  "no entity": "workbench.answer.entity",
  "nothing to add": "workbench.answer.none",
} as const satisfies Record<Unanswered, WordId>;

interface AnswerInput {
  readonly drafting: DraftSession;
  readonly compiler: Compiler;
  readonly file: SourceJson;
  readonly formatted: FormattedFile;
  /** Shows the answer in the text. */
  readonly onAnswered: (selection: EditorSelection) => void;
  /** There is no example for the point. */
  readonly onUnanswered: (why: Unanswered) => void;
}

/** Begins the answer to an open point. One function for all texts, so that a key does not draw the formatted text again. */
const useAnswer = ({
  drafting,
  compiler,
  file,
  formatted,
  onAnswered,
  onUnanswered,
}: AnswerInput): ((point: number) => void) => {
  const latest = useRef<{ readonly file: SourceJson; readonly parts: readonly PagePart[] | null } | null>(null);
  latest.current = { file, parts: formatted.file.text === file.text ? formatted.parts : null };
  return useCallback(
    (point) => {
      if (latest.current === null) return;
      const { file, parts } = latest.current;
      const { files } = drafting.store.get();
      const page = parts ?? compiler.renderPage(file);
      const answered = compiler.answerPoint(files, file, page, point, compiler.createCompiler());
      if (typeof answered === "string") {
        onUnanswered(answered);
        return;
      }
      for (const source of answered.sources) if (!files.includes(source)) drafting.change(source.file, source.text);
      onAnswered({ from: answered.from, to: answered.to });
      // Scrolls the formatted view to the point being edited.
      document.getElementById(getHeadingId(point))?.scrollIntoView({ block: "start" });
    },
    [drafting, compiler, onAnswered, onUnanswered],
  );
};

interface PaneCounts {
  /** Lines of the plan, once it is known. */
  readonly changes: number | null;
  readonly findings: number;
  /** First steps that are open. */
  readonly steps: number;
}

/** The panes to choose from: beside the text, and on a phone, which shows one pane at a time. */
const listPanes = (say: Words["say"], canChange: boolean, { changes, findings, steps }: PaneCounts) => {
  const sheet: PaneOption = { pane: "sheet", words: say("menu.workbench.document"), count: null };
  const text: PaneOption = { pane: "text", words: say("workbench.text"), count: null };
  const plan: PaneOption = { pane: "plan", words: say("plan.title"), count: changes };
  const left = { count: steps === 0 ? null : steps, countWords: say("guide.left", { count: steps }) };
  const guide: readonly PaneOption[] = canChange ? [{ pane: "guide", words: say("guide.title"), ...left }] : [];
  const found: PaneOption = { pane: "findings", words: say("workbench.pane.findings"), count: findings };
  return { side: [sheet, plan, ...guide], phone: [sheet, text, plan, ...guide, found] };
};

interface DraftEditorProps {
  readonly drafting: DraftSession;
  readonly compiler: Compiler;
  readonly checked: CheckedText;
}

const DraftEditor = ({ drafting, compiler, checked }: DraftEditorProps) => {
  const { say } = useWords();
  const toast = useToast();
  const address = useAddress();
  const drafted = useStore(drafting.store);
  const { inForce, newer, files } = drafted;
  const canChange = inForce.fixed === null;
  const linked = new URLSearchParams(address.search).get("clause");
  const [isPublishing, setPublishing] = useState(false);
  const [sidePane, setSidePane] = useSidePane();
  /** The pane that a phone shows. */
  const [pane, setPane] = useState<Pane>(sidePane);
  const choose = (chosen: Pane) => {
    setPane(chosen);
    if (isSidePane(chosen)) setSidePane(chosen);
  };

  const findings = useMemo(() => checked.findings.filter(({ severity }) => severity !== "open"), [checked]);
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const plan = useDraftPlan(drafted, checked, errors);
  const steps = useOpenSteps(checked).length;
  const panes = listPanes(say, canChange, { changes: plan.changes ?? null, findings: findings.length, steps });
  useRegions(panes.phone, choose);
  const fileNames = useMemo(() => checked.sources.map((source) => source.file), [checked]);

  const showText = useCallback(() => setPane("text"), []);
  const getFiles = useCallback(() => drafting.store.get().files, [drafting]);
  const place = useEditorPlace({ files, getFiles, checked, found: findings, linked, onText: showText });
  const { file, leadTo, setSelection } = place;
  const formatted = useFormattedFile(compiler, checked, file);
  const showPoint = useShowPoint(formatted, setSelection);
  const outlined = { files: fileNames, file: file.file, open: checked.open, onFile: place.openFile };

  const showAnswer = useCallback(
    (selection: EditorSelection) => {
      setSelection(selection);
      setPane("text");
      setSidePane("sheet");
    },
    [setSelection, setSidePane],
  );
  const showSteps = useCallback(
    (why: Unanswered) => {
      if (why === "nothing to add") setPane("text");
      else {
        setSidePane("guide");
        setPane("guide");
      }
      toast(say(unansweredWords[why]));
    },
    [setSidePane, toast, say],
  );
  const answer = useAnswer({ drafting, compiler, file, formatted, onAnswered: showAnswer, onUnanswered: showSteps });
  useLinkedText(drafting, canChange, answer);

  const discarding = useDiscard(drafting, drafted);

  /** Writes a clause that makes stored data fit, and selects it. */
  const write: WriteMissing = (missing, value) => {
    const written = compiler.writeMissing(files, missing, value);
    if (written === undefined) {
      toast(say("plan.unwritten"));
      return undefined;
    }
    const { file, text, span } = written;
    drafting.change(file, text);
    leadTo(span);
    const { line } = placesIn(written)(span);
    return { line, text: text.split("\n")[line - 1]?.trim() ?? "", isWhole: written.isWhole };
  };

  return (
    <WorkbenchFrame
      count={checked.open.length}
      status={
        <DraftStatus
          drafted={drafted}
          lines={plan.lines}
          errors={errors}
          onDiscard={discarding.ask}
          onErrors={place.goToFirstError}
          onPublish={() => setPublishing(true)}
        />
      }
    >
      <h1 className="hidden-words">{say("menu.workbench.document")}</h1>
      <div className="panes desk" data-phone-pane={pane}>
        <PaneChoice className="pane-choice" options={panes.phone} chosen={pane} onChoose={choose} />
        <DocumentOutline {...outlined} onPoint={showPoint} />
        <div className="beside-pane">
          {newer !== null && <OutdatedNotice drafting={drafting} version={newer.version} />}
          <PaneChoice className="pane-tabs" options={panes.side} chosen={sidePane} onChoose={choose} />
          <LoadingBoundary fallback={<div className="sheet" aria-busy="true" />}>
            <ReadingSide
              pane={sidePane}
              drafting={drafting}
              drafted={drafted}
              checked={checked}
              formatted={formatted}
              plan={plan}
              errors={errors}
              linked={linked}
              place={place}
              onAnswer={answer}
              onWrite={write}
            />
          </LoadingBoundary>
        </div>
        <TextSide drafting={drafting} drafted={drafted} checked={checked} findings={findings} place={place} />
      </div>
      {discarding.question}
      {isPublishing && (
        <ApplyDialog drafting={drafting} onWrite={canChange ? write : undefined} onClose={() => setPublishing(false)} />
      )}
    </WorkbenchFrame>
  );
};
