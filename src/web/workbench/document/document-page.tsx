import { Suspense, useCallback, useDeferredValue, useMemo, useRef, useState } from "react";
import { applyEdits } from "../../../core/document/edits.ts";
import type { PagePart } from "../../../core/document/rendered-page.ts";
import type { Edit } from "../../../core/source-text.ts";
import type { SourceJson } from "../../../core/wire/authoring/document.ts";
import { useAddress, useClient, useStore } from "../../app/app-context.tsx";
import { useDefaultTexts } from "../../i18n/default-texts.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button, IconButton } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { lazyComponent, PageNotLoaded } from "../../ui/page/lazy.tsx";
import { SkipLink } from "../../ui/page/page.tsx";
import { ApplyDialog } from "../draft/apply-dialog.tsx";
import { DraftProvider } from "../draft/draft-provider.tsx";
import { answerPoint, type Drafting } from "../draft/draft-session.ts";
import type { EditorActions } from "../editor/assist.ts";
import type { CheckedText } from "../editor/editor-answers.ts";
import { useCheckedText } from "../editor/editor-thread.ts";
import { NamesPane } from "../editor/names-pane.tsx";
import { RenameBar } from "../editor/rename-bar.tsx";
import { TextMenu } from "../editor/text-menu.tsx";
import { useAssistance } from "../editor/use-assistance.ts";
import { useUndoKeys } from "../editor/use-undo-keys.ts";
import { WorkbenchFrame } from "../frame.tsx";
import type { WriteMissing } from "../plan/data-changes.tsx";
import { PlanPane } from "../plan/plan-pane.tsx";
import { PanesSkeleton } from "../skeleton.tsx";
import { GuidePane } from "../start/guide-pane.tsx";
import { DocumentOutline } from "./document-outline.tsx";
import { DocumentView, getHeadingId } from "./document-view.tsx";
import { DraftStatus } from "./draft-status.tsx";
import { FindingsPane } from "./findings-pane.tsx";
import { type Pane, PaneChoice, type PaneOption } from "./pane-choice.tsx";
import { useDraftPlan } from "./use-draft-plan.ts";
import { useEditorPlace } from "./use-editor-place.ts";
import { useLinkedText } from "./use-linked-text.ts";

const TextEditor = lazyComponent(() => import("./text-editor.tsx"), PageNotLoaded);

const EDITOR_HELP = "text-keys";

/** The id of the pane with the text, to which a link leads past the clauses. */
const TEXT = "text";

type Compiler = typeof import("../draft/compiler.ts");

/**
 * The document: formatted on the left, its text on the right. Text is compiled while typing, and applied on request.
 */
const DocumentPage = () => {
  const { say } = useWords();
  return (
    <DraftProvider title={say("workbench.document.tab")}>
      {(drafting, compiler) => <CheckedEditor drafting={drafting} compiler={compiler} />}
    </DraftProvider>
  );
};

export default DocumentPage;

/** Panes beside the text, one at a time. */
type SidePane = "sheet" | "plan" | "guide";

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

/** The text with a block that answers an open point; undefined if the text has no heading of the point. */
const answerIn = (text: string, parts: readonly PagePart[], point: number) => {
  const heading = parts.find((part) => part.kind === "heading" && part.level === 2 && part.point === point);
  if (heading?.kind !== "heading") return undefined;
  const open = parts.flatMap((part) =>
    part.kind === "prose" && part.point === point
      ? part.sentences.filter((sentence) => sentence.open).map(({ span }) => ({ from: span.start, to: span.end }))
      : [],
  );
  return answerPoint(text, point, heading.span.start, open);
};

const CheckedEditor = ({ drafting, compiler }: { drafting: Drafting; compiler: Compiler }) => {
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

const DraftEditor = ({
  drafting,
  compiler,
  checked,
}: {
  drafting: Drafting;
  compiler: Compiler;
  checked: CheckedText;
}) => {
  const { say } = useWords();
  const toast = useToast();
  const address = useAddress();
  const drafted = useStore(drafting.store);
  const defaults = useDefaultTexts();
  const { inForce, newer, files, changed } = drafted;
  const canChange = inForce.fixed === null;
  const linked = new URLSearchParams(address.search).get("clause");
  const [sidePane, setSidePane] = useSidePane();
  /** The pane that a phone shows. */
  const [pane, setPane] = useState<Pane>(sidePane);
  const [isPublishing, setPublishing] = useState(false);
  const [isFinding, setFinding] = useState(false);

  const findings = useMemo(() => checked.findings.filter(({ severity }) => severity !== "open"), [checked]);
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const plan = useDraftPlan(drafted, checked, errors);

  const showText = useCallback(() => setPane("text"), []);
  const getFiles = useCallback(() => drafting.store.get().files, [drafting]);
  const place = useEditorPlace({ files, getFiles, checked, found: findings, linked, onText: showText });
  const { file, leadTo, setSelection } = place;

  // The formatted text is the one that was checked, so that its clauses and findings fit it, and it may not delay a key.
  const shown = useDeferredValue(checked);
  const shownFile = shown.sources.find((source) => source.file === file.file) ?? file;
  const parts = useMemo(() => compiler.renderPage(shownFile), [compiler, shownFile]);

  const latest = useRef<{ readonly file: SourceJson; readonly parts: readonly PagePart[] | null }>({ file, parts });
  latest.current = { file, parts: shownFile.text === file.text ? parts : null };
  // One function for all texts, so that a key does not draw the formatted text again.
  const answer = useCallback(
    (point: number) => {
      const { file, parts } = latest.current;
      const answered = answerIn(file.text, parts ?? compiler.renderPage(file), point);
      if (answered === undefined) return;
      drafting.change(file.file, answered.text);
      setSelection(answered.selection);
      setPane("text");
      setSidePane("sheet");
      // Scrolls the formatted view to the point being edited.
      document.getElementById(getHeadingId(point))?.scrollIntoView({ block: "start" });
    },
    [drafting, compiler, setSelection, setSidePane],
  );
  useLinkedText(drafting, canChange, answer);

  /** Writes a clause that makes stored data fit, and selects it. */
  const write: WriteMissing = (missing, value) => {
    const written = compiler.writeMissing(files, missing, value);
    if (written === undefined) {
      toast(say("plan.unwritten"));
      return;
    }
    drafting.change(written.file, written.text);
    leadTo(written.span);
  };
  const update = () => {
    const version = newer?.version ?? 0;
    const collisions = drafting.update();
    toast(say("plan.updated", { version, collisions }));
  };

  const sheetOption: PaneOption = { pane: "sheet", words: say("workbench.document.tab"), count: null };
  const planOption: PaneOption = { pane: "plan", words: say("plan.title"), count: plan.changes ?? null };
  const guideOption: PaneOption = { pane: "guide", words: say("guide.title"), count: null };
  const sideOptions = [sheetOption, planOption, ...(canChange ? [guideOption] : [])];
  const phoneOptions: readonly PaneOption[] = [
    sheetOption,
    { pane: "text", words: say("workbench.text"), count: null },
    planOption,
    ...(canChange ? [guideOption] : []),
    { pane: "findings", words: say("workbench.pane.findings"), count: findings.length },
  ];
  const choose = (chosen: Pane) => {
    setPane(chosen);
    if (isSidePane(chosen)) setSidePane(chosen);
  };
  const fix = useCallback(
    (edit: Edit) => {
      const { files } = drafting.store.get();
      for (const source of applyEdits(files, [edit]))
        if (!files.includes(source)) drafting.change(source.file, source.text);
    },
    [drafting],
  );
  const fileNames = useMemo(() => checked.sources.map((source) => source.file), [checked]);
  const ownFindings = useMemo(() => findings.filter(({ span }) => span.file === file.file), [findings, file.file]);
  const help = useAssistance({ drafting, file, readOnly: !canChange, onPlace: leadTo });
  const [actions, setActions] = useState<EditorActions | null>(null);
  useUndoKeys(actions);
  const [histories] = useState(() => new Map<string, unknown>());
  const fixLabel = useCallback((text: string) => say("workbench.mend", { text }), [say]);

  return (
    <WorkbenchFrame
      count={checked.open.length}
      status={
        <DraftStatus
          drafted={drafted}
          lines={plan.lines}
          errors={errors}
          onDiscard={() => toast(say("workbench.dropped"), drafting.drop())}
          onErrors={place.goToFirstError}
          onPublish={() => setPublishing(true)}
        />
      }
    >
      <h1 className="hidden-words">{say("workbench.document.tab")}</h1>
      <div className="panes desk" data-phone-pane={pane}>
        <PaneChoice className="pane-choice" options={phoneOptions} chosen={pane} onChoose={choose} />
        <DocumentOutline files={fileNames} file={file.file} open={checked.open} onFile={place.openFile} />
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
          <PaneChoice className="pane-tabs" options={sideOptions} chosen={sidePane} onChoose={choose} />
          {sidePane === "guide" ? (
            <GuidePane
              text={file.text}
              checked={checked}
              canChange={canChange}
              changed={changed}
              onWrite={({ text, from, to }) => {
                drafting.change(file.file, text);
                setSelection({ from, to, quiet: true });
              }}
            />
          ) : sidePane === "plan" ? (
            <PlanPane
              changed={changed}
              errors={errors}
              hasEarlier={plan.hasEarlier}
              compared={plan.compared}
              data={plan.data}
              replay={plan.replay}
              places={{
                before: (id) =>
                  `/workbench/compare?${new URLSearchParams({ from: String(inForce.version), to: "draft", clause: id })}`,
                onAfter: ({ span }) => leadTo(span),
              }}
              onErrors={place.goToFirstError}
              onRename={canChange ? ({ file: changed, text }) => drafting.change(changed, text) : undefined}
              onWrite={canChange ? write : undefined}
            />
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls is reached by the keyboard
            <section className="sheet" tabIndex={0} aria-label={say("workbench.typeset")}>
              <SkipLink to={TEXT}>{say("workbench.skip")}</SkipLink>
              <DocumentView
                file={shownFile.file}
                parts={parts}
                checked={shown}
                defaults={defaults}
                at={linked}
                onPlace={place.select}
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
            {canChange && (
              <span id={EDITOR_HELP} className="small-words">
                {say("workbench.text.keys")}
              </span>
            )}
            <TextMenu actions={actions} canChange={canChange} />
            <IconButton
              small
              icon="search"
              label={say("find.title")}
              aria-pressed={isFinding}
              onClick={() => setFinding(!isFinding)}
            />
          </div>
          <section
            id={TEXT}
            className={`text-pane${help.renaming === null ? "" : " with-bar"}`}
            tabIndex={-1}
            aria-label={say("workbench.text")}
          >
            {help.renaming !== null && (
              <RenameBar
                key={help.renaming.offset}
                name={help.renaming.name}
                onRename={async (to) => {
                  const refusal = await help.rename(to);
                  if (refusal === undefined) actions?.focus();
                  return refusal;
                }}
                onClose={() => {
                  help.closeRenaming();
                  actions?.focus();
                }}
              />
            )}
            <Suspense fallback={null}>
              <TextEditor
                key={file.file}
                label={say("workbench.text.of", { file: file.file })}
                describedBy={EDITOR_HELP}
                text={file.text}
                histories={histories}
                findings={ownFindings}
                folds={help.folds}
                assistance={help.assistance}
                onActions={setActions}
                readOnly={!canChange}
                selection={place.selection}
                isFinding={isFinding}
                onFind={setFinding}
                fixLabel={fixLabel}
                onCursor={place.saveCursor}
                onStep={place.step}
                onChange={(text) => drafting.change(file.file, text)}
              />
            </Suspense>
          </section>
          {help.listed !== null ? (
            <NamesPane
              key={help.listed.kind}
              listed={help.listed}
              showsFile={files.length > 1}
              onPlace={leadTo}
              onClose={() => {
                help.closeListed();
                actions?.focus();
              }}
            />
          ) : (
            <FindingsPane
              found={findings}
              sources={checked.sources}
              canChange={canChange}
              onPlace={leadTo}
              onFix={fix}
            />
          )}
        </div>
      </div>
      {isPublishing && (
        <ApplyDialog drafting={drafting} onWrite={canChange ? write : undefined} onClose={() => setPublishing(false)} />
      )}
    </WorkbenchFrame>
  );
};
