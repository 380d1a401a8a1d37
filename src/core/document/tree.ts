import type { Span } from "../source-text.ts";

/**
 * YAML as the language sees it: text, lists and mappings, each with its place. Every scalar is text, whatever YAML
 * would make of it (`01234`, `no`, `1.10`); the place it stands in gives it its type.
 */
export type Tree = Scalar | List | Mapping;

export interface Scalar {
  readonly kind: "scalar";
  readonly text: string;
  /** Covers the value as written, quotes included. */
  readonly span: Span;
  readonly quoted: boolean;
  /** The quotes around it, where it has some. */
  readonly quotes?: '"' | "'";
  /** Set when what stands here could not be read for certain, which was said: nobody has to say it again. */
  readonly unread?: true;
  /** The offset in the file of the character at `offset` of `text`, through quotes, escapes and indentation. */
  readonly locate: (offset: number) => number;
}

export interface List {
  readonly kind: "list";
  readonly items: readonly Tree[];
  readonly span: Span;
  /** As it was written, where it stands in brackets on one line. */
  readonly written: string | undefined;
}

export interface Mapping {
  readonly kind: "mapping";
  readonly entries: readonly Entry[];
  readonly span: Span;
  /** As it was written, where it stands in braces on one line. */
  readonly written: string | undefined;
  /** Set when it stands in several places that are read as one. */
  readonly merged?: true;
}

export interface Entry {
  readonly key: Scalar;
  readonly value: Tree;
  /** A key without a colon, in braces: `{ name, avatar }`. */
  readonly alone?: true;
}

/** The values of the language that say nothing: an open point, and absence on purpose. */
export const isNotShown = (tree: Tree): boolean => tree.kind === "scalar" && !tree.quoted && tree.text === "not shown";
export const isNone = (tree: Tree): boolean => tree.kind === "scalar" && !tree.quoted && tree.text === "none";
