import { useCallback, useMemo, useState } from "react";
import { applyEdits } from "../../../core/document/edits.ts";
import { type FindingFix, listFixes } from "../../../core/editor/list-fixes.ts";
import type { Finding } from "../../../core/findings.ts";
import type { Edit } from "../../../core/source-text.ts";
import { useWords, type Words } from "../../i18n/words.tsx";
import { IconButton } from "../../ui/control/button.tsx";
import { lazyComponent, PageNotLoaded } from "../../ui/page/lazy.tsx";
import { LoadingBoundary } from "../../util/loading-boundary.tsx";
import type { DraftSession, DraftState } from "../draft/draft-session.ts";
import type { EditorActions } from "../editor/assist.ts";
import type { CheckedText } from "../editor/editor-answers.ts";
import { NamesPane } from "../editor/names-pane.tsx";
import { RenameBar } from "../editor/rename-bar.tsx";
import { TextMenu } from "../editor/text-menu.tsx";
import { useAssistance } from "../editor/use-assistance.ts";
import { useUndoKeys } from "../editor/use-undo-keys.ts";
import { FindingsPane, type LabelledFix } from "./findings-pane.tsx";
import type { TextPlace } from "./use-editor-place.ts";

const TextEditor = lazyComponent(() => import("./text-editor.tsx"), PageNotLoaded);

const EDITOR_HELP = "text-keys";

/** The id of the pane with the text, to which a link leads past the clauses. */
export const TEXT_PANE = "text";

/** An edit that only adds or removes white space has no text to show. */
const labelFix = (say: Words["say"], { text }: Edit, adds: FindingFix["adds"]): string => {
  if (adds !== undefined) return say("workbench.mend.add", adds);
  if (text === "") return say("workbench.mend.remove");
  return text.trim() === "" ? say("workbench.mend.spaces") : say("workbench.mend", { text });
};

interface TextSideProps {
  readonly drafting: DraftSession;
  readonly drafted: DraftState;
  readonly checked: CheckedText;
  readonly findings: readonly Finding[];
  readonly place: TextPlace;
}

/** The text of one file, with its findings or the list of names that the author asked for below it. */
export const TextSide = ({ drafting, drafted: { inForce, files }, checked, findings, place }: TextSideProps) => {
  const { say } = useWords();
  const { file, leadTo } = place;
  const canChange = inForce.fixed === null;
  const [isFinding, setFinding] = useState(false);
  const [actions, setActions] = useState<EditorActions | null>(null);
  useUndoKeys(actions);
  const [histories] = useState(() => new Map<string, unknown>());
  const help = useAssistance({ drafting, file, readOnly: !canChange, onPlace: leadTo });
  const ownFindings = useMemo(() => findings.filter(({ span }) => span.file === file.file), [findings, file.file]);
  const fixesOf = useCallback(
    (finding: Finding): readonly LabelledFix[] =>
      listFixes(checked.sources, finding).flatMap(({ adds, edits: [edit, ...more] }) =>
        edit === undefined || more.length > 0 ? [] : [{ label: labelFix(say, edit, adds), edit }],
      ),
    [checked, say],
  );
  const getText = useCallback(
    () => drafting.store.get().files.find((source) => source.file === file.file)?.text ?? file.text,
    [drafting, file],
  );
  const fix = useCallback(
    (edit: Edit) => {
      const { files } = drafting.store.get();
      for (const source of applyEdits(files, [edit]))
        if (!files.includes(source)) drafting.change(source.file, source.text);
    },
    [drafting],
  );

  return (
    <div className="side-pane">
      <div className="text-head">
        <span>{file.file}</span>
        {inForce.fixed !== null && (
          <span className="small-words">{say("workbench.fixed", { why: inForce.fixed })}</span>
        )}
        {canChange && (
          <span id={EDITOR_HELP} className="small-words from-tablet">
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
        id={TEXT_PANE}
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
        <LoadingBoundary fallback={null}>
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
            fixesOf={fixesOf}
            onCursor={place.saveCursor}
            onStep={place.step}
            onChange={(text) => drafting.type(file.file, text)}
            onLeave={drafting.flush}
            getText={getText}
          />
        </LoadingBoundary>
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
          fixesOf={fixesOf}
        />
      )}
    </div>
  );
};
