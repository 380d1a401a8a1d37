import { useState } from "react";
import type { OutlineItem } from "../../../core/editor/outline.ts";
import type { Span } from "../../../core/source-text.ts";
import { useWords } from "../../i18n/words.tsx";
import { IconButton } from "../../ui/control/button.tsx";
import { SearchInput } from "../../ui/control/search-input.tsx";
import type { Use } from "./editor-answers.ts";
import "./names-pane.css";

/** A list of places in the text: the uses of a name, or the names of a file. */
export type Listed =
  | { readonly kind: "uses"; readonly name: string; readonly uses: readonly Use[] }
  | { readonly kind: "names"; readonly items: readonly OutlineItem[] };

interface Row {
  readonly key: string;
  readonly span: Span;
  readonly text: string;
  readonly depth: number;
  readonly line: number | null;
}

const toRows = (items: readonly OutlineItem[], depth = 0): readonly Row[] =>
  items.flatMap(({ name, span, children }) => [
    { key: `${span.start}`, span: { ...span, end: span.start }, text: name, depth, line: null },
    ...toRows(children, depth + 1),
  ]);

/** A list of places below the text. Each leads there. */
export const NamesPane = ({
  listed,
  showsFile,
  onPlace,
  onClose,
}: {
  readonly listed: Listed;
  readonly showsFile: boolean;
  readonly onPlace: (span: Span) => void;
  readonly onClose: () => void;
}) => {
  const { say } = useWords();
  const [words, setWords] = useState("");
  const title =
    listed.kind === "uses"
      ? say("editor.uses.of", { name: listed.name, count: listed.uses.length })
      : say("editor.names");
  const all: readonly Row[] =
    listed.kind === "uses"
      ? listed.uses.map(({ span, line, text }) => ({ key: `${span.file} ${span.start}`, span, text, depth: 0, line }))
      : toRows(listed.items);
  const wanted = words.trim().toLowerCase();
  const rows = wanted === "" ? all : all.filter(({ text }) => text.toLowerCase().includes(wanted));
  const [first] = rows;
  return (
    <section
      className="found-pane names-pane"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      <div className="names-head">
        <h2>{title}</h2>
        {listed.kind === "names" && (
          <span className="box">
            <SearchInput
              autoFocus
              aria-label={say("editor.names.find")}
              placeholder={say("editor.names.find")}
              value={words}
              spellCheck={false}
              onChange={(event) => setWords(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === "Enter" && first !== undefined) onPlace(first.span);
              }}
            />
          </span>
        )}
        <IconButton small icon="close" label={say("close")} onClick={onClose} />
      </div>
      {rows.length === 0 ? (
        <p className="pane-empty">{say("editor.names.none")}</p>
      ) : (
        <ul className="name-rows">
          {rows.map(({ key, span, text, depth, line }, at) => (
            <li key={key} data-depth={depth}>
              <button
                type="button"
                // biome-ignore lint/a11y/noAutofocus: the list opens by a key, and the next key chooses
                autoFocus={listed.kind === "uses" && at === 0}
                onClick={() => onPlace(span)}
              >
                <code>{text}</code>
                {line !== null && (
                  <span className="pane-second">
                    {showsFile ? say("workbench.line.of", { file: span.file, line }) : say("workbench.line", { line })}
                  </span>
                )}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};
