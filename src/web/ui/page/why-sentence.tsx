import { type ReactNode, useId } from "react";
import { LoadingBoundary } from "../../util/loading-boundary.tsx";
import type { WhyButtonProps } from "../overlay/why-button.tsx";
import { lazyComponent } from "./lazy.tsx";

/** Absent if its code cannot be loaded: the sentence says what happened. */
const LoadedButton = lazyComponent<WhyButtonProps>(
  async () => ({ default: (await import("../overlay/why-button.tsx")).WhyButton }),
  () => null,
);

/** "Why?", whose code is loaded with the first refusal. */
export const LazyWhyButton = (props: WhyButtonProps) => (
  <LoadingBoundary fallback={null}>
    <LoadedButton {...props} />
  </LoadingBoundary>
);

/**
 * The sentence of a refusal, followed by "Why?", which names the deciding clause. Contains block elements: not for
 * paragraphs.
 */
export const WhySentence = ({
  words,
  clause,
  isAtField = false,
  children = words,
}: {
  words: string;
  clause: string | null | undefined;
  /** True for an error of a field. */
  isAtField?: boolean;
  /** The sentence as shown, such as a link; by default the plain words. */
  children?: ReactNode;
}) => {
  const sentence = useId();
  if (!clause) return <span>{children}</span>;
  return (
    <>
      <span id={sentence}>{children}</span>{" "}
      <LazyWhyButton words={words} clause={clause} describedBy={sentence} isAtField={isAtField} />
    </>
  );
};
