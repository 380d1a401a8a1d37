import type { Span } from "../source-text.ts";

/**
 * A parsed block: scalars, lists and mappings with their spans. Every scalar is text, whatever type YAML would give it
 * (`01234`, `no`, `1.10`); its place determines its type.
 */
export type Tree = Scalar | List | Mapping;

export interface Scalar {
  readonly kind: "scalar";
  readonly text: string;
  /** Covers the value as written, including quotes. */
  readonly span: Span;
  readonly quoted: boolean;
  /** The quotes around it, if any. */
  readonly quotes?: '"' | "'";
  /** Set if the text could not be read reliably. That was reported and need not be reported again. */
  readonly unread?: true;
  /** The offset in the file at which `text` begins, if the file has it as it is; otherwise the place of each offset. */
  readonly origin: number | ((offset: number) => number);
}

/** Maps an offset in the text of a scalar to the file, through quotes, escapes and indentation. */
export const locate = ({ origin }: Scalar, offset: number): number =>
  typeof origin === "number" ? origin + offset : origin(offset);

export interface List {
  readonly kind: "list";
  readonly items: readonly Tree[];
  readonly span: Span;
  /** The source text of a one-line list in brackets. */
  readonly written: string | undefined;
}

export interface Mapping {
  readonly kind: "mapping";
  readonly entries: readonly Entry[];
  readonly span: Span;
  /** The source text of a one-line mapping in braces. */
  readonly written: string | undefined;
  /** Set if the mapping was merged from several places. */
  readonly merged?: true;
}

export interface Entry {
  readonly key: Scalar;
  readonly value: Tree;
  /** A key without a colon, in braces: `{ name, avatar }`. */
  readonly alone?: true;
}

/** True for `not shown`, which marks an open point. */
export const isNotShown = (tree: Tree): boolean => tree.kind === "scalar" && !tree.quoted && tree.text === "not shown";
export const isNone = (tree: Tree): boolean => tree.kind === "scalar" && !tree.quoted && tree.text === "none";
