import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createConnection,
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import { serveEditor } from "../../src/cli/lsp/language-server.ts";

/** An editor that speaks to the server over streams, as VS Code does over a process. */
const [toServer, toEditor] = [new PassThrough(), new PassThrough()];
const client = createProtocolConnection(new StreamMessageReader(toEditor), new StreamMessageWriter(toServer));
const uri = "file:///desk/lending.md";
const textDocument = { uri };
const lending = readFileSync(new URL("../../examples/lending.md", import.meta.url), "utf8");
let text = lending;
let version = 1;

interface Diagnostic {
  readonly code: string;
  readonly severity: number;
  readonly range: object;
}
/** The version whose diagnostics are awaited. */
let awaited = { version: 0, resolve: (_: readonly Diagnostic[]): void => undefined };

const change = (to: string): Promise<readonly Diagnostic[]> => {
  const answer = new Promise<readonly Diagnostic[]>((resolve) => {
    awaited = { version: version + 1, resolve };
  });
  text = to;
  void client.sendNotification("textDocument/didChange", {
    textDocument: { uri, version: ++version },
    contentChanges: [{ text }],
  });
  return answer;
};

/** The position after a text of the document. */
const after = (words: string) => {
  const lines = text.slice(0, text.indexOf(words) + words.length).split("\n");
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
};

beforeAll(async () => {
  serveEditor(createConnection(new StreamMessageReader(toServer), new StreamMessageWriter(toEditor)));
  client.listen();
  client.onNotification(
    "textDocument/publishDiagnostics",
    (params: { readonly version: number; readonly diagnostics: readonly Diagnostic[] }) => {
      if (params.version === awaited.version) awaited.resolve(params.diagnostics);
    },
  );
  const { capabilities } = await client.sendRequest<{ capabilities: object }>("initialize", {
    processId: null,
    rootUri: null,
    capabilities: {},
  });
  expect(capabilities).toMatchObject({ renameProvider: { prepareProvider: true }, hoverProvider: true });
  await client.sendNotification("initialized", {});
  await client.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "markdown", version, text },
  });
});
afterAll(() => {
  client.dispose();
});

test("findings are diagnostics, and a fix is a code action", async () => {
  const found = await change(lending.replace("  initial:", "  inital:"));
  const mistake = found.find(({ code }) => code === "UNKNOWN_KEY");
  expect(mistake?.severity).toBe(1);
  const actions = await client.sendRequest<{ edit: { changes: Record<string, { newText: string }[]> } }[]>(
    "textDocument/codeAction",
    { textDocument, range: mistake?.range, context: { diagnostics: [] } },
  );
  expect(actions[0]?.edit.changes[uri]?.[0]?.newText).toBe("i");
  expect((await change(lending)).filter(({ severity }) => severity === 1)).toEqual([]);
});

test("completion, hover, definition and references answer at a position", async () => {
  await change(lending.replace("  initial:", "  initia"));
  const items = await client.sendRequest<{ label: string; textEdit: { newText: string } }[]>(
    "textDocument/completion",
    {
      textDocument,
      position: after("  initia"),
    },
  );
  expect(items.map(({ label }) => label)).toContain("initial");
  await change(lending);
  const position = after("  list: Loan");
  const hover = await client.sendRequest<{ contents: { value: string } }>("textDocument/hover", {
    textDocument,
    position,
  });
  expect(hover.contents.value).toContain("**Loan** is an entity.");
  const definition = await client.sendRequest<{ range: { start: { line: number } } }>("textDocument/definition", {
    textDocument,
    position,
  });
  expect(text.split("\n")[definition.range.start.line]).toBe("Loan:");
  const references = await client.sendRequest<object[]>("textDocument/references", {
    textDocument,
    position,
    context: { includeDeclaration: true },
  });
  expect(references.length).toBeGreaterThan(3);
});

test("a rename writes was, and one that is impossible says why", async () => {
  const position = after("  list: Loan");
  expect(await client.sendRequest("textDocument/prepareRename", { textDocument, position })).toMatchObject({
    placeholder: "Loan",
  });
  const renamed = await client.sendRequest<{ changes: Record<string, { newText: string }[]> }>("textDocument/rename", {
    textDocument,
    position,
    newName: "Borrowing",
  });
  expect(renamed.changes[uri]?.[0]?.newText).toContain("was: Loan");
  await expect(client.sendRequest("textDocument/rename", { textDocument, position, newName: "loan" })).rejects.toThrow(
    "“loan” is not an entity's name (Request).",
  );
});

test("the outline, folds and the format come from the same document", async () => {
  const outline = await client.sendRequest<{ name: string }[]>("textDocument/documentSymbol", { textDocument });
  expect(outline.length).toBeGreaterThan(9);
  const folds = await client.sendRequest<object[]>("textDocument/foldingRange", { textDocument });
  expect(folds.length).toBeGreaterThan(20);
  await change(lending.replace("  initial:", "  initial:   "));
  const edits = await client.sendRequest<object[]>("textDocument/formatting", {
    textDocument,
    options: { tabSize: 2, insertSpaces: true },
  });
  expect(Array.isArray(edits)).toBe(true);
});
