import "../../control/rendered-markdown.css";
import { lazyComponent } from "../../../ui/page/lazy.tsx";
import { LoadingBoundary } from "../../../util/loading-boundary.tsx";
import { type FieldView, never, type ShownProps } from "../../field.ts";

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
  <LoadingBoundary fallback={null}>
    {cell ? <PlainMarks text={String(value)} /> : <Marked text={String(value)} />}
  </LoadingBoundary>
);

export const richText: FieldView = { Shown, wide: true, end: false, group: never };
