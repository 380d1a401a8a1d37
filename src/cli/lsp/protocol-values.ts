import {
  CompletionItemKind,
  type Diagnostic,
  DiagnosticSeverity,
  type Location,
  type Position,
  type Range,
  SemanticTokenModifiers,
  SemanticTokenTypes,
  SymbolKind,
  type TextEdit,
  type WorkspaceEdit,
} from "vscode-languageserver";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { findChangedRange } from "../../core/document/changed-range.ts";
import type { CompletionItem as Offered } from "../../core/editor/complete.ts";
import type { OutlineItem } from "../../core/editor/outline.ts";
import type { DocumentSymbol as DeclaredName } from "../../core/editor/symbols.ts";
import type { Finding, Severity } from "../../core/findings.ts";
import type { Source, Span } from "../../core/source-text.ts";
import type { Specification } from "./workspace.ts";

const severities: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  "not executed": DiagnosticSeverity.Warning,
  open: DiagnosticSeverity.Information,
};

export const itemKinds: Readonly<Record<Offered["kind"], CompletionItemKind>> = {
  key: CompletionItemKind.Property,
  word: CompletionItemKind.Keyword,
  entity: CompletionItemKind.Class,
  field: CompletionItemKind.Field,
  value: CompletionItemKind.EnumMember,
  role: CompletionItemKind.Interface,
  transition: CompletionItemKind.Method,
  error: CompletionItemKind.Event,
  limit: CompletionItemKind.Constant,
  type: CompletionItemKind.TypeParameter,
  function: CompletionItemKind.Function,
  snippet: CompletionItemKind.Snippet,
};

export const symbolKinds: Readonly<Record<OutlineItem["kind"], SymbolKind>> = {
  point: SymbolKind.Module,
  heading: SymbolKind.String,
  name: SymbolKind.Field,
};

export const declaredKinds: Readonly<Record<DeclaredName["of"], SymbolKind>> = {
  entity: SymbolKind.Class,
  field: SymbolKind.Field,
  value: SymbolKind.EnumMember,
  transition: SymbolKind.Method,
  record: SymbolKind.Object,
  role: SymbolKind.Interface,
  error: SymbolKind.Event,
  limit: SymbolKind.Constant,
  shape: SymbolKind.Struct,
};

/** How editors color the names of a kind. */
export const tokenTypes: Readonly<Record<DeclaredName["of"], SemanticTokenTypes>> = {
  entity: SemanticTokenTypes.class,
  field: SemanticTokenTypes.property,
  value: SemanticTokenTypes.enumMember,
  transition: SemanticTokenTypes.method,
  role: SemanticTokenTypes.interface,
  error: SemanticTokenTypes.event,
  limit: SemanticTokenTypes.variable,
  shape: SemanticTokenTypes.struct,
  record: SemanticTokenTypes.enumMember,
};

export const tokenLegend = {
  tokenTypes: Object.values(tokenTypes),
  tokenModifiers: [SemanticTokenModifiers.declaration, SemanticTokenModifiers.readonly],
};

/** An open file of a specification. */
export interface OpenFile {
  readonly document: TextDocument;
  /** Its name in the specification. */
  readonly file: string;
  readonly specification: Specification;
}

export const rangeOf = (document: TextDocument, { start, end }: Pick<Span, "start" | "end">): Range => ({
  start: document.positionAt(start),
  end: document.positionAt(end),
});

/** The smallest edit that turns one text into another; none if they are the same. */
export const editsBetween = (document: TextDocument, after: string): TextEdit[] => {
  const change = findChangedRange(document.getText(), after);
  return change === undefined
    ? []
    : [{ range: rangeOf(document, { start: change.from, end: change.to }), newText: change.insert }];
};

export const placeOf = ({ document, file }: OpenFile, position: Position) => ({
  file,
  offset: document.offsetAt(position),
});

export const locationOf = (specification: Specification, span: Span): Location => ({
  uri: specification.getUri(span.file),
  range: rangeOf(specification.getText(span.file), span),
});

/** The edits that turn the files of a specification into others. */
export const toWorkspaceEdit = (specification: Specification, sources: readonly Source[]): WorkspaceEdit => ({
  changes: Object.fromEntries(
    sources.flatMap(({ file, text }) => {
      const edits = editsBetween(specification.getText(file), text);
      return edits.length === 0 ? [] : [[specification.getUri(file), edits]];
    }),
  ),
});

export const toDiagnostic = (document: TextDocument, { span, severity, code, message, hint }: Finding): Diagnostic => ({
  range: rangeOf(document, span),
  severity: severities[severity],
  code,
  source: "ninefold",
  message: `${message} ${hint}`.trim(),
});
