import { type List, locate, type Mapping, type Scalar, type Tree } from "../../document/tree.ts";
import type { Span } from "../../source-text.ts";

/* Trees that the author did not write. Their span is that of the text from which they are derived. */

export const buildScalar = (text: string, span: Span): Scalar => ({
  kind: "scalar",
  text,
  span,
  quoted: false,
  origin: () => span.start,
});

export const buildMapping = (span: Span, entries: Readonly<Record<string, Tree>>): Mapping => ({
  kind: "mapping",
  span,
  written: undefined,
  entries: Object.entries(entries).map(([key, value]) => ({ key: buildScalar(key, span), value })),
});

export const buildList = (span: Span, items: readonly Tree[]): List => ({
  kind: "list",
  items,
  span,
  written: undefined,
});

/** Composes an expression from texts and from the author's expressions, which keep their positions. */
export const composeExpression = (span: Span, ...parts: readonly (string | Scalar)[]): Scalar => {
  const places: { readonly start: number; readonly part: Scalar }[] = [];
  let text = "";
  for (const part of parts) {
    if (typeof part === "string") text += part;
    else {
      places.push({ start: text.length, part });
      text += part.text;
    }
  }
  return {
    ...buildScalar(text, span),
    origin: (offset) => {
      const place = places.findLast(({ start }) => start <= offset);
      const within = place === undefined ? -1 : offset - place.start;
      return place === undefined || within > place.part.text.length ? span.start : locate(place.part, within);
    },
  };
};
