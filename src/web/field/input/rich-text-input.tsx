import { type KeyboardEvent, useRef, useState } from "react";
import type { WordId } from "../../../core/i18n/catalogue.ts";
import { useWords } from "../../i18n/words.tsx";
import { IconButton } from "../../ui/control/button.tsx";
import type { IconName } from "../../ui/icon.tsx";
import { LoadingBoundary } from "../../util/loading-boundary.tsx";
import { MentionArea } from "../control/mention-area.tsx";
import { controlProps, enteredText, type InputProps } from "../field.ts";
import { Marked } from "../type/text/rich-text.tsx";

/** Marks that a button puts around the selection or before each line. */
interface Tool {
  readonly icon: IconName;
  readonly label: WordId;
  readonly key?: string;
  readonly around?: readonly [before: string, after: string];
  readonly before?: string;
}

const tools: readonly Tool[] = [
  { icon: "bold", label: "marks.bold", key: "b", around: ["**", "**"] },
  { icon: "italic", label: "marks.italic", key: "i", around: ["_", "_"] },
  { icon: "heading", label: "marks.heading", before: "## " },
  { icon: "list", label: "marks.list", before: "- " },
  { icon: "link", label: "marks.link", key: "k", around: ["[", "](https://)"] },
];

/** A plain text input with formatting buttons and a preview. */
export const RichTextInput = (props: InputProps) => {
  const { say } = useWords();
  const area = useRef<HTMLTextAreaElement>(null);
  const [isPreview, setPreview] = useState(false);
  const text = enteredText(props.entered);

  const insert = ({ around, before }: Tool) => {
    const box = area.current;
    if (!box) return;
    const { selectionStart: start, selectionEnd: end } = box;
    if (around) {
      const [open, close] = around;
      props.onEnter(`${text.slice(0, start)}${open}${text.slice(start, end)}${close}${text.slice(end)}`);
      select(start + open.length, end + open.length);
    } else if (before !== undefined) {
      const from = text.lastIndexOf("\n", start - 1) + 1;
      const marked = text.slice(from, end).replace(/^/gmu, before);
      props.onEnter(`${text.slice(0, from)}${marked}${text.slice(end)}`);
      select(from + marked.length, from + marked.length);
    }
  };
  const select = (start: number, end: number) =>
    requestAnimationFrame(() => {
      area.current?.focus();
      area.current?.setSelectionRange(start, end);
    });
  const handleKey = (event: KeyboardEvent) => {
    const tool = event.ctrlKey || event.metaKey ? tools.find(({ key }) => key === event.key) : undefined;
    if (tool === undefined || event.altKey || event.shiftKey) return;
    event.preventDefault();
    insert(tool);
  };

  return (
    <div className="box rich">
      <div className="rich-tools" role="toolbar" aria-label={say("marks.tools", { field: props.field.label })}>
        {tools.map((tool) => (
          <IconButton
            key={tool.icon}
            icon={tool.icon}
            label={say(tool.label)}
            small
            disabled={isPreview}
            // Keep the selection.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => insert(tool)}
          />
        ))}
        <button
          type="button"
          className="button quiet small rich-look"
          aria-pressed={isPreview}
          onClick={() => setPreview(!isPreview)}
        >
          {say("marks.look")}
        </button>
      </div>
      {isPreview ? (
        <div className="rich-shown">
          <LoadingBoundary fallback={null}>
            <Marked text={text} />
          </LoadingBoundary>
        </div>
      ) : (
        <MentionArea
          {...controlProps(props)}
          area={area}
          rows={6}
          text={text}
          onText={props.onEnter}
          mentions={props.field.mentions === true}
          onKeyDown={handleKey}
        />
      )}
    </div>
  );
};
