/** A piece of a line of a block, with its look: a key, a quoted text, or a comment. */
export interface StyledText {
  readonly text: string;
  /** Null for the rest of the line. */
  readonly look: "word-key" | "word-text" | "word-note" | null;
}

const COMMENT = /(?:^|\s)#.*$/u;
const WORDS = /("(?:\\.|[^"\\])*"|'(?:''|[^'])*'|[\w/{}.$-]+(?: [a-z]+)?(?=:(?:\s|$)))/u;

/** Splits a line into keys, quoted texts and comments, without parsing YAML. */
export const splitLine = (line: string): readonly StyledText[] => {
  const comment = COMMENT.exec(line);
  const code = comment === null ? line : line.slice(0, comment.index);
  const pieces = code.split(WORDS).flatMap((text, at): readonly StyledText[] => {
    if (text === "") return [];
    if (at % 2 === 0) return [{ text, look: null }];
    return [{ text, look: /^["']/u.test(text) ? "word-text" : "word-key" }];
  });
  return comment === null ? pieces : [...pieces, { text: comment[0], look: "word-note" }];
};
