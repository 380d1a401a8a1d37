import { findChangedRange } from "../document/changed-range.ts";
import { parsePointNumber } from "../document/read.ts";
import { renderPage } from "../document/rendered-page.ts";
import { addBlock } from "../draft/write-step.ts";
import type { Edit, Source } from "../source-text.ts";

/** TOO_HOT: "Too hot." */
const toMessage = (code: string): string => {
  const words = code.toLowerCase().replaceAll("_", " ").trim();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
};

/** An entry of point 8, with the code's own words as its message unless another one is given. */
const toErrorEntry = (code: string, message = toMessage(code)): string =>
  `${code}: { status: 422, message: "${message}" }`;

/** Adds a line to the last block of point 8 in a text. Undefined if it has none whose entries are lines of their own. */
const addToBlock = (source: Source, line: string): string | undefined => {
  const block = renderPage(source).findLast((part) => part.kind === "block" && part.runs && part.point === 8);
  if (block?.kind !== "block") return undefined;
  const entries = block.lines.filter(({ text }) => text.trim() !== "" && !text.trimStart().startsWith("#"));
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined || !/^[A-Z][\w.]*:/u.test(first.text)) return undefined;
  const end = last.start + last.text.length;
  const { text } = source;
  return `${text.slice(0, end)}${text.includes("\r\n") ? "\r\n" : "\n"}${line}${text.slice(end)}`;
};

/** True if a source has the heading of a point. */
export const hasPoint = (source: Source, point: number): boolean =>
  renderPage(source).some(
    (part) => part.kind === "heading" && part.level === 2 && parsePointNumber(part.text) === point,
  );

/**
 * The edit that adds an error to point 8, which it creates if there is none; `file` is where it is created. Undefined if
 * the code can’t be one.
 */
export const addError = (
  sources: readonly Source[],
  file: string,
  code: string,
  message?: string,
): Edit | undefined => {
  const source = sources.find((own) => hasPoint(own, 8)) ?? sources.find((own) => own.file === file);
  if (source === undefined || !/^[A-Z][A-Z0-9_]*$/u.test(code)) return undefined;
  const entry = toErrorEntry(code, message);
  return toEdit(source, addToBlock(source, entry) ?? addBlock(source.text, 8, entry).text);
};

/** The edit that gives a source another text. */
export const toEdit = ({ file, text: before }: Source, text: string): Edit => {
  const { from, to, insert } = findChangedRange(before, text) ?? { from: 0, to: 0, insert: "" };
  return { span: { file, start: from, end: to }, text: insert };
};
