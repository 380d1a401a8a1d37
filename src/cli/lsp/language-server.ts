import {
  type CodeAction,
  CodeActionKind,
  type CompletionItem,
  type Connection,
  DidChangeWatchedFilesNotification,
  DocumentDiagnosticReportKind,
  DocumentHighlightKind,
  type DocumentSymbol,
  type FullDocumentDiagnosticReport,
  InsertTextFormat,
  MarkupKind,
  ResponseError,
  SemanticTokensBuilder,
  TextDocumentSyncKind,
  TextDocuments,
  type WorkspaceSymbol,
} from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { applyFixes } from "../../core/autofix.ts";
import { buildOutline, findFolds, type OutlineItem } from "../../core/editor/outline.ts";
import { type LanguageReference, noReference } from "../../core/editor/reference.ts";
import { format } from "../../core/format.ts";
import {
  declaredKinds,
  editsBetween,
  itemKinds,
  locationOf,
  type OpenFile,
  placeOf,
  rangeOf,
  symbolKinds,
  toDiagnostic,
  tokenLegend,
  tokenTypes,
  toWorkspaceEdit,
} from "./protocol-values.ts";
import { type Specification, Workspace } from "./workspace.ts";

/** Error code of the protocol for a request that cannot be carried out. */
const REQUEST_FAILED = -32_803;

/** Finds an open file, with its specification as it is now. */
type FindFile = (document: { readonly uri: string }) => Promise<OpenFile | undefined>;

/** Completion and hover. */
const serveExplanations = (connection: Connection, find: FindFile): void => {
  connection.onCompletion(async ({ textDocument, position }): Promise<CompletionItem[]> => {
    const file = await find(textDocument);
    if (file === undefined) return [];
    const place = placeOf(file, position);
    const { from, items } = file.specification.editor.complete(place);
    const range = { start: file.document.positionAt(from), end: position };
    return items.map(({ label, kind, detail, insert }, at) => ({
      label,
      kind: itemKinds[kind],
      detail,
      // Editors sort by text, and the order says what fits best.
      sortText: String(at).padStart(4, "0"),
      insertTextFormat: insert.includes("${") ? InsertTextFormat.Snippet : InsertTextFormat.PlainText,
      textEdit: { range, newText: insert },
      ...(kind === "key" ? { data: { uri: textDocument.uri, offset: place.offset } } : {}),
    }));
  });

  connection.onCompletionResolve(async (item): Promise<CompletionItem> => {
    const { uri = "", offset = 0 } = (item.data ?? {}) as { readonly uri?: string; readonly offset?: number };
    const file = await find({ uri });
    const lines = file?.specification.editor.describeKey({ file: file.file, offset }, item.label) ?? [];
    return lines.length === 0
      ? item
      : { ...item, documentation: { kind: MarkupKind.Markdown, value: lines.join("\n\n") } };
  });

  connection.onHover(async ({ textDocument, position }) => {
    const file = await find(textDocument);
    const hover = file?.specification.editor.hover(placeOf(file, position));
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
};

/** Definitions and uses of names, and renaming. */
const serveNames = (connection: Connection, find: FindFile, workspace: Workspace): void => {
  connection.onDefinition(async ({ textDocument, position }) => {
    const file = await find(textDocument);
    const span = file?.specification.editor.findDefinition(placeOf(file, position));
    return file === undefined || span === undefined ? null : locationOf(file.specification, span);
  });

  connection.onReferences(async ({ textDocument, position }) => {
    const file = await find(textDocument);
    if (file === undefined) return [];
    const { specification } = file;
    return specification.editor.findReferences(placeOf(file, position)).map((span) => locationOf(specification, span));
  });

  connection.onDocumentHighlight(async ({ textDocument, position }) => {
    const file = await find(textDocument);
    if (file === undefined) return [];
    return file.specification.editor
      .findReferences(placeOf(file, position))
      .filter((span) => span.file === file.file)
      .map((span) => ({ range: rangeOf(file.document, span), kind: DocumentHighlightKind.Text }));
  });

  connection.onPrepareRename(async ({ textDocument, position }) => {
    const file = await find(textDocument);
    const found = file?.specification.editor.findName(placeOf(file, position));
    return file === undefined || found === undefined
      ? null
      : { range: rangeOf(file.document, found.span), placeholder: found.symbol.name };
  });

  connection.onRenameRequest(async ({ textDocument, position, newName }) => {
    const file = await find(textDocument);
    if (file === undefined) return null;
    const renamed = file.specification.editor.rename(placeOf(file, position), newName);
    if ("refusal" in renamed) return new ResponseError(REQUEST_FAILED, renamed.refusal);
    return toWorkspaceEdit(file.specification, renamed.sources);
  });

  connection.onWorkspaceSymbol(async ({ query }): Promise<WorkspaceSymbol[]> => {
    const wanted = query.toLowerCase();
    const specifications = await workspace.all();
    return specifications.flatMap((specification) => {
      specification.refresh();
      return specification.editor
        .findDeclarations()
        .filter(({ symbol }) => symbol.name.toLowerCase().includes(wanted))
        .map(({ symbol, span }) => ({
          name: symbol.name,
          kind: declaredKinds[symbol.of],
          ...(symbol.entity === null ? {} : { containerName: symbol.entity }),
          location: locationOf(specification, span),
        }));
    });
  });
};

/** Fixes and formatting. */
const serveCorrections = (connection: Connection, find: FindFile): void => {
  connection.onCodeAction(async ({ textDocument, range, context: { only } }): Promise<CodeAction[]> => {
    const file = await find(textDocument);
    if (file === undefined) return [];
    const { document, specification } = file;
    const { editor } = specification;
    if (only?.some((kind) => kind === CodeActionKind.Source || kind === CodeActionKind.SourceFixAll) === true) {
      const { compiled, done } = applyFixes(specification.sources);
      if (done.length === 0) return [];
      const title = done.length === 1 ? "Fix 1 finding" : `Fix ${done.length} findings`;
      return [{ title, kind: CodeActionKind.SourceFixAll, edit: toWorkspaceEdit(specification, compiled.sources) }];
    }
    const span = { file: file.file, start: document.offsetAt(range.start), end: document.offsetAt(range.end) };
    return editor.fixes(span).map(({ finding, label, sources }, at, all) => ({
      title: label,
      kind: CodeActionKind.QuickFix,
      isPreferred: finding !== all[at - 1]?.finding,
      diagnostics: [toDiagnostic(document, finding)],
      edit: toWorkspaceEdit(specification, sources),
    }));
  });

  connection.onDocumentFormatting(async ({ textDocument }) => {
    const file = await find(textDocument);
    if (file === undefined) return [];
    const { document } = file;
    const [formatted] = format([{ file: file.file, text: document.getText() }]).sources;
    return editsBetween(document, formatted?.text ?? document.getText());
  });
};

/** The outline, and lines that can be hidden. */
const serveOutline = (connection: Connection, find: FindFile): void => {
  connection.onDocumentSymbol(async ({ textDocument }) => {
    const file = await find(textDocument);
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
    return buildOutline({ file: file.file, text: file.document.getText() }).map(toSymbol);
  });

  connection.onFoldingRanges(async ({ textDocument }) => {
    const file = await find(textDocument);
    if (file === undefined) return [];
    const { document } = file;
    return findFolds({ file: file.file, text: document.getText() }).map(({ start, end }) => ({
      startLine: document.positionAt(start).line,
      endLine: document.positionAt(end).line,
    }));
  });
};

/** The kind of each name, by which editors color it, also inside of expressions. */
const serveColors = (connection: Connection, find: FindFile): void => {
  connection.languages.semanticTokens.on(async ({ textDocument }) => {
    const file = await find(textDocument);
    const tokens = new SemanticTokensBuilder();
    for (const { span, symbol, isDefinition } of file?.specification.editor.findNames(file.file) ?? []) {
      const { line, character } = file?.document.positionAt(span.start) ?? { line: 0, character: 0 };
      const type = tokenLegend.tokenTypes.indexOf(tokenTypes[symbol.of]);
      const modifiers = (isDefinition ? 1 : 0) + (symbol.of === "limit" ? 2 : 0);
      tokens.push(line, character, span.end - span.start, type, modifiers);
    }
    return tokens.build();
  });
};

/** Findings for editors that ask for them, file by file or for all files of the open specifications. */
const servePulledFindings = (connection: Connection, find: FindFile, workspace: Workspace): void => {
  const reportOf = (specification: Specification, uri: string): FullDocumentDiagnosticReport => {
    const file = specification.getFile(uri);
    const text = specification.getText(file);
    const items = specification
      .compile()
      .filter(({ span }) => span.file === file)
      .map((finding) => toDiagnostic(text, finding));
    return { kind: DocumentDiagnosticReportKind.Full, items };
  };

  connection.languages.diagnostics.on(async ({ textDocument: { uri } }) => {
    const file = await find({ uri });
    return file === undefined
      ? { kind: DocumentDiagnosticReportKind.Full, items: [] }
      : reportOf(file.specification, uri);
  });

  connection.languages.diagnostics.onWorkspace(async () => ({
    items: (await workspace.all()).flatMap((specification) =>
      specification.uris.map((uri) => ({ ...reportOf(specification, uri), uri, version: null })),
    ),
  }));
};

/** Answers an editor by the Language Server Protocol until the connection ends. */
export const serveEditor = (connection: Connection, reference: LanguageReference = noReference): void => {
  const documents = new TextDocuments(TextDocument);
  const workspace = new Workspace(documents, reference);
  let canRegister = false;
  let canRefresh = false;
  /** The editor asks for findings, so none are sent unasked. */
  let isPulling = false;

  const find: FindFile = async ({ uri }) => {
    if (documents.get(uri) === undefined) return undefined;
    const specification = await workspace.find(uri);
    const document = documents.get(uri);
    if (document === undefined) return undefined;
    specification.refresh();
    return { document, file: specification.getFile(uri), specification };
  };

  /** Files of which the editor has findings. */
  const withFindings = new Set<string>();
  const sendFindings = (specification: Specification): void => {
    if (isPulling) return;
    const findings = specification.compile();
    for (const uri of specification.uris) {
      const file = specification.getFile(uri);
      const own = findings.filter(({ span }) => span.file === file);
      const open = documents.get(uri);
      // Files that are not open and have no findings are none of the editor's business.
      if (open === undefined && own.length === 0 && !withFindings.has(uri)) continue;
      if (own.length === 0) withFindings.delete(uri);
      else withFindings.add(uri);
      const diagnostics = own.map((finding) => toDiagnostic(specification.getText(file), finding));
      void connection.sendDiagnostics({ uri, ...(open === undefined ? {} : { version: open.version }), diagnostics });
    }
  };

  connection.onInitialize(async ({ workspaceFolders, rootUri, capabilities }) => {
    isPulling = capabilities.textDocument?.diagnostic !== undefined;
    canRefresh = capabilities.workspace?.diagnostics?.refreshSupport === true;
    canRegister = capabilities.workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
    await workspace.setRoots(workspaceFolders?.map(({ uri }) => uri) ?? (rootUri == null ? [] : [rootUri]));
    return {
      serverInfo: { name: "ninefold" },
      capabilities: {
        textDocumentSync: TextDocumentSyncKind.Incremental,
        completionProvider: { triggerCharacters: [".", " ", ":", "[", "{", ","], resolveProvider: true },
        hoverProvider: true,
        definitionProvider: true,
        referencesProvider: true,
        documentHighlightProvider: true,
        renameProvider: { prepareProvider: true },
        codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, CodeActionKind.SourceFixAll] },
        documentSymbolProvider: true,
        workspaceSymbolProvider: true,
        foldingRangeProvider: true,
        documentFormattingProvider: true,
        semanticTokensProvider: { legend: tokenLegend, full: true },
        diagnosticProvider: { identifier: "ninefold", interFileDependencies: true, workspaceDiagnostics: true },
      },
    };
  });

  connection.onInitialized(() => {
    const watchers = [{ globPattern: "**/*.md" }];
    if (canRegister) void connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
  });

  documents.onDidChangeContent(async ({ document: { uri } }) => {
    const file = await find({ uri });
    if (file !== undefined) sendFindings(file.specification);
  });
  documents.onDidClose(async ({ document: { uri } }) => {
    const { uris } = await workspace.find(uri);
    withFindings.delete(uri);
    if (!isPulling) void connection.sendDiagnostics({ uri, diagnostics: [] });
    // The stored text of the file counts now.
    workspace.forget();
    const other = uris.find((one) => documents.get(one) !== undefined);
    if (other !== undefined) sendFindings(await workspace.find(other));
  });
  connection.onDidChangeWatchedFiles(async () => {
    workspace.forget();
    for (const uri of documents.keys()) await workspace.find(uri);
    for (const specification of await workspace.all()) sendFindings(specification);
    if (isPulling && canRefresh) connection.languages.diagnostics.refresh();
  });

  serveExplanations(connection, find);
  serveNames(connection, find, workspace);
  serveCorrections(connection, find);
  serveOutline(connection, find);
  serveColors(connection, find);
  servePulledFindings(connection, find, workspace);
  documents.listen(connection);
  connection.listen();
};
