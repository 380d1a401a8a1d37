import { basename } from "node:path";
import {
  type CodeAction,
  CodeActionKind,
  type CompletionItem,
  CompletionItemKind,
  type Connection,
  type Diagnostic,
  DiagnosticSeverity,
  type DocumentSymbol,
  InsertTextFormat,
  MarkupKind,
  type Position,
  type Range,
  ResponseError,
  SymbolKind,
  TextDocumentSyncKind,
  TextDocuments,
  type TextEdit,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { findChangedRange } from "../../core/document/changed-range.ts";
import type { CompletionItem as Offered } from "../../core/editor/complete.ts";
import { createEditor, type Editor } from "../../core/editor/editor.ts";
import { buildOutline, findFolds, type OutlineItem } from "../../core/editor/outline.ts";
import { type LanguageReference, noReference } from "../../core/editor/reference.ts";
import type { Finding, Severity } from "../../core/findings.ts";
import { format } from "../../core/format.ts";
import type { Source, Span } from "../../core/source-text.ts";

const severities: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  "not executed": DiagnosticSeverity.Warning,
  open: DiagnosticSeverity.Information,
};

const itemKinds: Readonly<Record<Offered["kind"], CompletionItemKind>> = {
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

const symbolKinds: Readonly<Record<OutlineItem["kind"], SymbolKind>> = {
  point: SymbolKind.Module,
  heading: SymbolKind.String,
  name: SymbolKind.Field,
};

/** Error code of the protocol for a request that cannot be carried out. */
const REQUEST_FAILED = -32_803;

/** An open file, which is one document, and what an editor knows about it. */
interface OpenFile {
  readonly document: TextDocument;
  readonly editor: Editor;
  readonly findings: readonly Finding[];
}

const rangeOf = (document: TextDocument, { start, end }: Pick<Span, "start" | "end">): Range => ({
  start: document.positionAt(start),
  end: document.positionAt(end),
});

/** The smallest edit that turns one text into another; none if they are the same. */
const editsBetween = (document: TextDocument, after: string): TextEdit[] => {
  const change = findChangedRange(document.getText(), after);
  return change === undefined
    ? []
    : [{ range: rangeOf(document, { start: change.from, end: change.to }), newText: change.insert }];
};

/** Answers an editor by the Language Server Protocol until the connection ends. Each Markdown file is a document of its own. */
export const serveEditor = (connection: Connection, reference: LanguageReference = noReference): void => {
  const documents = new TextDocuments(TextDocument);
  const open = new Map<string, OpenFile>();

  const read = (document: TextDocument): OpenFile => {
    const known = open.get(document.uri);
    if (known?.document === document) {
      const { version } = document;
      if (versions.get(document.uri) === version) return known;
    }
    const editor = known?.editor ?? createEditor(() => reference);
    editor.open([{ file: fileOf(document), text: document.getText() }]);
    const { findings } = editor.compile();
    const fresh = { document, editor, findings };
    open.set(document.uri, fresh);
    versions.set(document.uri, document.version);
    return fresh;
  };
  const versions = new Map<string, number>();

  const fileOf = ({ uri }: TextDocument): string => decodeURIComponent(basename(uri));

  const find = ({ uri }: { readonly uri: string }): OpenFile | undefined => {
    const document = documents.get(uri);
    return document === undefined ? undefined : read(document);
  };

  const placeOf = ({ document }: OpenFile, position: Position) => ({
    file: fileOf(document),
    offset: document.offsetAt(position),
  });

  const textIn = (sources: readonly Source[], document: TextDocument): string =>
    sources.find(({ file }) => file === fileOf(document))?.text ?? document.getText();

  const toDiagnostic = (document: TextDocument, { span, severity, code, message, hint }: Finding): Diagnostic => ({
    range: rangeOf(document, span),
    severity: severities[severity],
    code,
    source: "ninefold",
    message: `${message} ${hint}`.trim(),
  });

  connection.onInitialize(() => ({
    serverInfo: { name: "ninefold" },
    capabilities: {
      textDocumentSync: TextDocumentSyncKind.Incremental,
      completionProvider: { triggerCharacters: [".", " ", ":", "[", "{", ","] },
      hoverProvider: true,
      definitionProvider: true,
      referencesProvider: true,
      renameProvider: { prepareProvider: true },
      codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
      documentSymbolProvider: true,
      foldingRangeProvider: true,
      documentFormattingProvider: true,
    },
  }));

  documents.onDidChangeContent(({ document }) => {
    const { findings } = read(document);
    void connection.sendDiagnostics({
      uri: document.uri,
      version: document.version,
      diagnostics: findings.map((finding) => toDiagnostic(document, finding)),
    });
  });
  documents.onDidClose(({ document }) => {
    open.delete(document.uri);
    versions.delete(document.uri);
    void connection.sendDiagnostics({ uri: document.uri, diagnostics: [] });
  });

  connection.onCompletion(({ textDocument, position }): CompletionItem[] => {
    const file = find(textDocument);
    if (file === undefined) return [];
    const { from, items } = file.editor.complete(placeOf(file, position));
    const range = { start: file.document.positionAt(from), end: position };
    return items.map(({ label, kind, detail, insert }, at) => ({
      label,
      kind: itemKinds[kind],
      detail,
      // Editors sort by text, and the order says what fits best.
      sortText: String(at).padStart(4, "0"),
      insertTextFormat: insert.includes("${") ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
      textEdit: { range, newText: insert },
    }));
  });

  connection.onHover(({ textDocument, position }) => {
    const file = find(textDocument);
    const hover = file?.editor.hover(placeOf(file, position));
    return file === undefined || hover === undefined
      ? null
      : {
          range: rangeOf(file.document, hover.span),
          contents: {
            kind: MarkupKind.Markdown,
            value: [
              ...hover.lines,
              ...(hover.reference === undefined ? [] : [`Language reference, ${hover.reference.id}.`]),
            ].join("\n\n"),
          },
        };
  });

  connection.onDefinition(({ textDocument, position }) => {
    const file = find(textDocument);
    const span = file?.editor.findDefinition(placeOf(file, position));
    return file === undefined || span === undefined
      ? null
      : { uri: textDocument.uri, range: rangeOf(file.document, span) };
  });

  connection.onReferences(({ textDocument, position }) => {
    const file = find(textDocument);
    if (file === undefined) return [];
    return file.editor
      .findReferences(placeOf(file, position))
      .map((span) => ({ uri: textDocument.uri, range: rangeOf(file.document, span) }));
  });

  connection.onPrepareRename(({ textDocument, position }) => {
    const file = find(textDocument);
    const found = file?.editor.findName(placeOf(file, position));
    return file === undefined || found === undefined
      ? null
      : { range: rangeOf(file.document, found.span), placeholder: found.symbol.name };
  });

  connection.onRenameRequest(({ textDocument, position, newName }) => {
    const file = find(textDocument);
    if (file === undefined) return null;
    const renamed = file.editor.rename(placeOf(file, position), newName);
    if ("refusal" in renamed) return new ResponseError(REQUEST_FAILED, renamed.refusal);
    return { changes: { [textDocument.uri]: editsBetween(file.document, textIn(renamed.sources, file.document)) } };
  });

  connection.onCodeAction(({ textDocument, range }): CodeAction[] => {
    const file = find(textDocument);
    if (file === undefined) return [];
    const { document, editor } = file;
    const span = { file: fileOf(document), start: document.offsetAt(range.start), end: document.offsetAt(range.end) };
    return editor.fixes(span).map(({ finding, sources }) => ({
      title: finding.hint === "" ? `Fix ${finding.code}` : finding.hint,
      kind: CodeActionKind.QuickFix,
      isPreferred: true,
      diagnostics: [toDiagnostic(document, finding)],
      edit: { changes: { [document.uri]: editsBetween(document, textIn(sources, document)) } },
    }));
  });

  connection.onDocumentSymbol(({ textDocument }) => {
    const file = find(textDocument);
    if (file === undefined) return [];
    const toSymbol = ({ name, kind, span, children }: OutlineItem): DocumentSymbol => {
      const range = rangeOf(file.document, span);
      const firstLine = { start: range.start, end: { line: range.start.line + 1, character: 0 } };
      const inner = children.map(toSymbol);
      const last = inner.at(-1)?.range.end;
      const end = last !== undefined && last.line > range.end.line ? last : range.end;
      return {
        name,
        kind: symbolKinds[kind],
        range: { start: range.start, end },
        selectionRange: kind === "name" || range.end.line === range.start.line ? range : firstLine,
        children: inner,
      };
    };
    return buildOutline({ file: fileOf(file.document), text: file.document.getText() }).map(toSymbol);
  });

  connection.onFoldingRanges(({ textDocument }) => {
    const file = find(textDocument);
    if (file === undefined) return [];
    const { document } = file;
    return findFolds({ file: fileOf(document), text: document.getText() }).map(({ start, end }) => ({
      startLine: document.positionAt(start).line,
      endLine: document.positionAt(end).line,
    }));
  });

  connection.onDocumentFormatting(({ textDocument }) => {
    const file = find(textDocument);
    if (file === undefined) return [];
    const { document } = file;
    return editsBetween(
      document,
      textIn(format([{ file: fileOf(document), text: document.getText() }]).sources, document),
    );
  });

  documents.listen(connection);
  connection.listen();
};
