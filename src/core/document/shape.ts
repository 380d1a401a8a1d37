import type { Finding } from "../findings.ts";
import type { Span } from "../source-text.ts";
import type { Tree } from "./tree.ts";

/**
 * The syntax of a place in the document. Every point describes its blocks with shapes; reading one yields plain typed
 * values with their spans, and reports all mistakes, not only the first.
 */
export interface Shape<T> {
  /** Completes "takes …" in a finding: "a list of names". */
  readonly expected: string;
  /** The syntax as data, for JSON Schema and the formatter. */
  readonly form: ShapeForm;
  /** Reads a tree. `expectation` describes the place if this shape is one of several alternatives. */
  readonly read: (tree: Tree, report: ReportFinding, expectation?: string) => T | undefined;
  /** The default in force if the value is not shown, unless the key itself determines it. */
  readonly open?: string;
  /** The placeholder for a value that is not shown, if a declared name depends on it. */
  readonly undecided?: (span: Span) => T | undefined;
}

/** The syntax of a shape as data. JSON Schemas are generated from it. */
export type ShapeForm =
  | { readonly kind: "text" | "expression" | "whole number" | "nothing" }
  | { readonly kind: "word"; readonly words: readonly string[] }
  | { readonly kind: "name"; readonly pattern: RegExp }
  | { readonly kind: "list"; readonly of: Shape<unknown> }
  /** Keys chosen by the author; each kind of key has its own values. Editors suggest the keys of `offers`. */
  | {
      readonly kind: "mapping";
      readonly entries: readonly EntryForm[];
      readonly single?: true;
      readonly offers?: readonly string[];
    }
  /** Keys of the language. A value without keys is taken for the main one. */
  | { readonly kind: "keys"; readonly parts: Parts; readonly main?: string }
  | { readonly kind: "one of"; readonly shapes: readonly Shape<unknown>[] }
  /** A shape created on demand, because it is recursive. */
  | { readonly kind: "later"; readonly of: () => Shape<unknown> };

export interface EntryForm {
  /** Pattern of the keys; any text if absent. */
  readonly keys?: RegExp;
  readonly of: Shape<unknown>;
}

export type ReportFinding = (finding: Finding) => void;

/** The type of the values that a shape reads. */
export type ShapeValue<S> = S extends Shape<infer T> ? T : never;

/** A leaf with its span. */
export interface Spanned<T> {
  readonly value: T;
  readonly span: Span;
}

/** A definition that the author named, with the span of its name. */
export interface Named<T> {
  readonly name: string;
  readonly key: Span;
  readonly value: T;
}

export interface KeyShape<T, Need extends "required" | "optional"> {
  readonly shape: Shape<T>;
  readonly need: Need;
}

export type Parts = { readonly [key: string]: KeyShape<unknown, "required" | "optional"> };
