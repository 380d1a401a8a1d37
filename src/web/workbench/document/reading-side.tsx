import type { PagePart } from "../../../core/document/rendered-page.ts";
import type { SourceJson } from "../../../core/wire/authoring/document.ts";
import { useDefaultTexts } from "../../i18n/default-texts.ts";
import { useWords } from "../../i18n/words.tsx";
import { SkipLink } from "../../ui/page/page.tsx";
import type { DraftSession, DraftState } from "../draft/draft-session.ts";
import type { CheckedText } from "../editor/editor-answers.ts";
import type { WriteMissing } from "../plan/data-changes.tsx";
import { PlanPane } from "../plan/plan-pane.tsx";
import { GuidePane } from "../start/guide-pane.tsx";
import { DocumentView } from "./document-view.tsx";
import { TEXT_PANE } from "./text-side.tsx";
import type { useDraftPlan } from "./use-draft-plan.ts";
import type { TextPlace } from "./use-editor-place.ts";

/** Panes beside the text, one at a time: the formatted document, the plan of the draft, the guide. */
export type SidePane = "sheet" | "plan" | "guide";

/** A file as it is formatted: the text that was checked, so that its clauses and findings fit it. */
export interface FormattedFile {
  readonly file: SourceJson;
  readonly parts: readonly PagePart[];
  readonly checked: CheckedText;
}

interface ReadingSideProps {
  readonly pane: SidePane;
  readonly drafting: DraftSession;
  readonly drafted: DraftState;
  readonly checked: CheckedText;
  readonly formatted: FormattedFile;
  readonly plan: ReturnType<typeof useDraftPlan>;
  /** Number of errors in the text. */
  readonly errors: number;
  /** The clause that the address names. */
  readonly linked: string | null;
  readonly place: TextPlace;
  /** Begins the answer to an open point. */
  readonly onAnswer: (point: number) => void;
  /** Writes a clause that makes stored data fit. */
  readonly onWrite: WriteMissing;
}

/** The chosen pane beside the text. */
export const ReadingSide = ({
  pane,
  drafting,
  drafted: { inForce, changed },
  checked,
  formatted,
  plan,
  errors,
  linked,
  place,
  onAnswer,
  onWrite,
}: ReadingSideProps) => {
  const { say } = useWords();
  const defaults = useDefaultTexts();
  const canChange = inForce.fixed === null;
  if (pane === "guide")
    return (
      <GuidePane
        text={place.file.text}
        checked={checked}
        canChange={canChange}
        changed={changed}
        onWrite={({ text, from, to }) => {
          drafting.change(place.file.file, text);
          place.setSelection({ from, to, quiet: true });
        }}
      />
    );
  if (pane === "plan")
    return (
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
          onAfter: ({ span }) => place.leadTo(span),
        }}
        onErrors={place.goToFirstError}
        onRename={canChange ? ({ file, text }) => drafting.change(file, text) : undefined}
        onWrite={canChange ? onWrite : undefined}
        onAnswer={canChange ? onAnswer : undefined}
      />
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls is reached by the keyboard
    <section className="sheet" tabIndex={0} aria-label={say("workbench.typeset")}>
      <SkipLink to={TEXT_PANE}>{say("workbench.skip")}</SkipLink>
      <DocumentView
        file={formatted.file.file}
        parts={formatted.parts}
        checked={formatted.checked}
        defaults={defaults}
        at={linked}
        onPlace={place.select}
        onAnswer={canChange ? onAnswer : null}
      />
    </section>
  );
};
