import { splitNumbers } from "../format/format.ts";

/** Words in which no line breaks within a number such as PR-2026-00029. */
export const UnbrokenNumbers = ({ words }: { words: string }) =>
  splitNumbers(words).map(({ part, isNumber }, at) =>
    isNumber ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: words can have a number twice
      <span key={at} className="unbroken">
        {part}
      </span>
    ) : (
      part
    ),
  );
