import { type KeyboardEvent, Suspense, useRef, useState } from "react";
import type { WordId } from "../../../../core/i18n/catalogue.ts";
import { useWords } from "../../../i18n/words.tsx";
import { IconButton } from "../../../ui/control/button.tsx";
import type { IconName } from "../../../ui/icon.tsx";
import "../../control/rendered-markdown.css";
import { lazyComponent } from "../../../ui/page/lazy.tsx";
import { MentionArea } from "../../control/mention-area.tsx";
import { controlProps, enteredText, type FieldView, type InputProps, never, type ShownProps } from "../../field.ts";

/** The unformatted text, if the renderer could not be loaded. */
const AsWritten = ({ text }: { text: string }) => <bdi>{text}</bdi>;

export const Marked = lazyComponent(
  async () => ({ default: (await import("../../control/rendered-markdown.tsx")).RenderedMarkdown }),
  AsWritten,
);
const PlainMarks = lazyComponent(async () => {
  const { plainMarks } = await import("../../../format/markdown-lite.ts");
  return { default: ({ text }: { text: string }) => <bdi>{plainMarks(text)}</bdi> };
}, AsWritten);

const Shown = ({ value, cell }: ShownProps) => (
  <Suspense fallback={null}>{cell ? <PlainMarks text={String(value)} /> : <Marked text={String(value)} />}</Suspense>
);

export const richText: FieldView = { Shown, wide: true, end: false, group: never };
