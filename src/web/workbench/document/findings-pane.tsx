import { memo, useMemo } from "react";
import type { Finding } from "../../../core/findings.ts";
import { type Edit, orderIn, placesIn, type Source, type Span } from "../../../core/source-text.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { FindingMark } from "../marks.tsx";

/** The finding after a place in the document, or before it, around the ends. Undefined if there are none. */
export const findingFrom = (
  found: readonly Finding[],
  sources: readonly Source[],
  at: Pick<Span, "file" | "start">,
  direction: 1 | -1,
): Finding | undefined => {
  const order = orderIn(sources);
  const place = { ...at, end: at.start };
  const sorted = found.toSorted((a, b) => order(a.span, b.span));
  return direction === 1
    ? (sorted.find(({ span }) => order(span, place) > 0) ?? sorted[0])
    : (sorted.findLast(({ span }) => order(span, place) < 0) ?? sorted.at(-1));
};

/** A fix of one edit, with the words of its button. */
export interface LabelledFix {
  readonly label: string;
  readonly edit: Edit;
}

/** All findings of a draft. Each leads to its place; one with a single fix offers it. */
export const FindingsPane = memo(
  ({
    found,
    sources,
    canChange,
    onPlace,
    onFix,
    fixesOf,
  }: {
    readonly found: readonly Finding[];
    /** The text with these findings. */
    readonly sources: readonly Source[];
    readonly canChange: boolean;
    readonly onPlace: (span: Span) => void;
    readonly onFix: (edit: Edit) => void;
    readonly fixesOf: (finding: Finding) => readonly LabelledFix[];
  }) => {
    const { say } = useWords();
    const placeOf = useMemo(() => placesIn(sources), [sources]);
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls is reached by the keyboard
      <section className="found-pane" tabIndex={0} aria-label={say("workbench.pane.findings")}>
        {found.length === 0 ? (
          <p className="pane-empty">{say("workbench.findings.none")}</p>
        ) : (
          <>
            <ul className="findings">
              {found.map((finding) => {
                const { file, line } = placeOf(finding.span);
                return (
                  <li key={`${finding.code} ${finding.span.file} ${finding.span.start} ${finding.message}`}>
                    <span className="open-mark">
                      <FindingMark severity={finding.severity} />
                    </span>
                    <div>
                      <button type="button" className="finding-link" onClick={() => onPlace(finding.span)}>
                        <span>{finding.message}</span>
                        <span className="pane-second">{finding.hint}</span>
                        <span className="pane-second">
                          {sources.length > 1
                            ? say("workbench.line.of", { file, line })
                            : say("workbench.line", { line })}
                          {" · "}
                          <code className="clause">{finding.clause ?? finding.code}</code>
                        </span>
                      </button>
                      {canChange &&
                        fixesOf(finding).map(({ label, edit }) => (
                          <Button key={label} small icon="edit" onClick={() => onFix(edit)}>
                            {label}
                          </Button>
                        ))}
                    </div>
                  </li>
                );
              })}
            </ul>
            <p className="pane-second found-keys">{say("workbench.findings.keys")}</p>
          </>
        )}
      </section>
    );
  },
);
