import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createConnection,
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import { serveEditor } from "../../src/cli/lsp/language-server.ts";
import { waitUntil } from "../wait.ts";

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

/** A folder with one specification in two files, and one with a specification of its own beside another. */
const root = await realpath(await mkdtemp(join(tmpdir(), "ninefold-lsp-")));
const uriOf = (name: string) => pathToFileURL(join(root, name)).href;
const files: Readonly<Record<string, string>> = {
  "desk/things.md": `# Desk

## 1. What the product does and for whom

\`\`\`yaml
ninefold: 1
name: Desk
\`\`\`

## 3. Entities and their fields

\`\`\`yaml
Thing: { fields: { number: text } }
\`\`\`
`,
  "desk/rights/roles.md": `## 6. Roles and permissions

\`\`\`yaml
roles: { staff: signed in }
permissions: { Thing: { read: [staff], create: [clerk] } }
\`\`\`
`,
  "desk/README.md": "# About the desk\n",
  "alone.md":
    "# Alone\n\n## 1. Purpose\n\n## 3. Entities and their fields\n\n```yaml\nThing: { fields: { name: text } }\n```\n",
};
for (const [name, content] of Object.entries(files)) {
  await mkdir(dirname(join(root, name)), { recursive: true });
  await writeFile(join(root, name), content);
}
let tokenTypes: readonly string[] = [];
const published = new Map<string, readonly Diagnostic[]>();

beforeAll(async () => {
  serveEditor(createConnection(new StreamMessageReader(toServer), new StreamMessageWriter(toEditor)));
  client.listen();
  client.onNotification(
    "textDocument/publishDiagnostics",
    (params: { readonly uri: string; readonly version: number; readonly diagnostics: readonly Diagnostic[] }) => {
      published.set(params.uri, params.diagnostics);
      if (params.version === awaited.version) awaited.resolve(params.diagnostics);
    },
  );
  client.onRequest("client/registerCapability", () => null);
  const { capabilities } = await client.sendRequest<{
    capabilities: { semanticTokensProvider: { legend: { tokenTypes: readonly string[] } } };
  }>("initialize", {
    processId: null,
    rootUri: null,
    workspaceFolders: [{ uri: pathToFileURL(root).href, name: "work" }],
    capabilities: { workspace: { didChangeWatchedFiles: { dynamicRegistration: true } } },
  });
  expect(capabilities).toMatchObject({ renameProvider: { prepareProvider: true }, hoverProvider: true });
  ({ tokenTypes } = capabilities.semanticTokensProvider.legend);
  await client.sendNotification("initialized", {});
  await client.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "markdown", version, text },
  });
});
afterAll(async () => {
  client.dispose();
  await rm(root, { recursive: true });
});

const openFile = (name: string): Promise<void> =>
  client.sendNotification("textDocument/didOpen", {
    textDocument: { uri: uriOf(name), languageId: "markdown", version: 1, text: files[name] },
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

test("an error that point 8 lacks is added by a code action", async () => {
  const found = await change(lending.replace(/else: [A-Z_]+/u, "else: TOO_HOT"));
  const mistake = found.find(({ code }) => code === "NO_ERROR_ENTRY");
  const actions = await client.sendRequest<
    { title: string; edit: { changes: Record<string, { newText: string }[]> } }[]
  >("textDocument/codeAction", { textDocument, range: mistake?.range, context: { diagnostics: [] } });
  expect(actions[0]?.title).toBe("Add TOO_HOT to point 8");
  expect(actions[0]?.edit.changes[uri]).toHaveLength(1);
  await change(lending);
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

test("a rename writes “was”, and one that is impossible says why", async () => {
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

test("a key explains itself in the list, and the uses of a name in the file are marked", async () => {
  await change(lending.replace("  initial:", "  initia"));
  const position = after("  initia");
  const items = await client.sendRequest<{ label: string }[]>("textDocument/completion", { textDocument, position });
  const resolved = await client.sendRequest<{ documentation: { value: string } }>(
    "completionItem/resolve",
    items.find(({ label }) => label === "initial"),
  );
  expect(resolved.documentation.value).toContain("**initial** takes ");
  await change(lending);
  const marked = await client.sendRequest<object[]>("textDocument/documentHighlight", {
    textDocument,
    position: after("  list: Loan"),
  });
  expect(marked.length).toBeGreaterThan(3);
});

test("one action applies every certain fix", async () => {
  await change(lending.replace("  initial:", "  inital:"));
  const all = await client.sendRequest<{ title: string; edit: { changes: Record<string, object[]> } }[]>(
    "textDocument/codeAction",
    {
      textDocument,
      range: { start: after(""), end: after("") },
      context: { diagnostics: [], only: ["source.fixAll"] },
    },
  );
  expect(all.map(({ title }) => title)).toEqual(["Fix 1 finding"]);
  await change(lending);
});

test("the files of a folder are one specification, and a file with its own purpose is another", async () => {
  await openFile("desk/things.md");
  await waitUntil(() => published.get(uriOf("desk/rights/roles.md"))?.length === 1, "the closed file has its finding");
  expect(published.get(uriOf("desk/rights/roles.md"))).toMatchObject([{ code: "UNKNOWN_NAME", severity: 1 }]);
  expect(published.get(uriOf("desk/things.md"))?.filter(({ severity }) => severity === 1)).toEqual([]);

  await openFile("desk/rights/roles.md");
  await openFile("alone.md");
  const corrected = files["desk/rights/roles.md"]?.replace("[clerk]", "[staff]") ?? "";
  await client.sendNotification("textDocument/didChange", {
    textDocument: { uri: uriOf("desk/rights/roles.md"), version: 2 },
    contentChanges: [{ text: corrected }],
  });
  await waitUntil(
    () => published.get(uriOf("desk/rights/roles.md"))?.every(({ severity }) => severity !== 1) === true,
    "the finding is gone",
  );
  const inRoles = { textDocument: { uri: uriOf("desk/rights/roles.md") }, position: { line: 4, character: 18 } };
  expect(await client.sendRequest("textDocument/definition", inRoles)).toMatchObject({ uri: uriOf("desk/things.md") });
  const renamed = await client.sendRequest<{ changes: Record<string, object[]> }>("textDocument/rename", {
    ...inRoles,
    newName: "Device",
  });
  expect(Object.keys(renamed.changes).sort()).toEqual([uriOf("desk/rights/roles.md"), uriOf("desk/things.md")]);

  const symbols = await client.sendRequest<{ name: string; location: { uri: string } }[]>("workspace/symbol", {
    query: "thin",
  });
  expect(symbols.filter(({ name }) => name === "Thing").map(({ location }) => location.uri)).toEqual(
    expect.arrayContaining([uriOf("desk/things.md"), uriOf("alone.md")]),
  );
});

test("files that change outside of the editor are read again", async () => {
  await client.sendNotification("textDocument/didClose", { textDocument: { uri: uriOf("desk/rights/roles.md") } });
  // The stored text still names a role that does not exist.
  await waitUntil(() => published.get(uriOf("desk/rights/roles.md"))?.length === 1, "the stored text counts again");
  await rm(join(root, "desk/rights"), { recursive: true });
  await client.sendNotification("workspace/didChangeWatchedFiles", {
    changes: [{ uri: uriOf("desk/rights/roles.md"), type: 3 }],
  });
  await waitUntil(async () => {
    const symbols = await client.sendRequest<{ name: string }[]>("workspace/symbol", { query: "staff" });
    return symbols.length === 0;
  }, "the deleted file is forgotten");
});

test("names are colored by their kind, also inside of expressions", async () => {
  await change(lending);
  const { data } = await client.sendRequest<{ data: readonly number[] }>("textDocument/semanticTokens/full", {
    textDocument,
  });
  const lines = text.split("\n");
  const names: string[] = [];
  for (let at = 0, line = 0, start = 0; at < data.length; at += 5) {
    const [lineStep = 0, startStep = 0, length = 0, type = 0, modifiers = 0] = data.slice(at, at + 5);
    start = lineStep === 0 ? start + startStep : startStep;
    line += lineStep;
    names.push(`${lines[line]?.slice(start, start + length)} ${tokenTypes[type]} ${modifiers}`);
  }
  expect(names).toEqual(
    expect.arrayContaining([
      "Loan class 1",
      "Loan class 0",
      "borrower property 1",
      "borrower property 0",
      "keeper interface 0",
    ]),
  );
});

test("an editor that asks for findings gets them, and those of files that it has not open", async () => {
  const [toOther, toAsking] = [new PassThrough(), new PassThrough()];
  const asking = createProtocolConnection(new StreamMessageReader(toAsking), new StreamMessageWriter(toOther));
  serveEditor(createConnection(new StreamMessageReader(toOther), new StreamMessageWriter(toAsking)));
  const sent: object[] = [];
  asking.onNotification("textDocument/publishDiagnostics", (params: object) => void sent.push(params));
  asking.listen();
  const { capabilities } = await asking.sendRequest<{ capabilities: object }>("initialize", {
    processId: null,
    rootUri: null,
    workspaceFolders: [{ uri: pathToFileURL(root).href, name: "work" }],
    capabilities: { textDocument: { diagnostic: {} } },
  });
  expect(capabilities).toMatchObject({ diagnosticProvider: { workspaceDiagnostics: true } });
  await asking.sendNotification("initialized", {});
  await writeFile(join(root, "desk/rights.md"), files["desk/rights/roles.md"] ?? "");
  const open = (name: string, content: string) =>
    asking.sendNotification("textDocument/didOpen", {
      textDocument: { uri: uriOf(name), languageId: "markdown", version: 1, text: content },
    });
  await open("desk/things.md", files["desk/things.md"] ?? "");
  await open("desk/README.md", "# About the desk\n");
  const own = { textDocument: { uri: uriOf("desk/things.md") } };
  const errors = (items: readonly Diagnostic[]) =>
    items.flatMap(({ code, severity }) => (severity === 1 ? [code] : []));
  const report = await asking.sendRequest<{ items: Diagnostic[] }>("textDocument/diagnostic", own);
  expect(errors(report.items)).toEqual([]);
  const all = await asking.sendRequest<{ items: { uri: string; items: Diagnostic[] }[] }>("workspace/diagnostic", {
    previousResultIds: [],
  });
  expect(all.items.map(({ uri: of, items }) => [of, errors(items)])).toEqual([
    [uriOf("desk/rights.md"), ["UNKNOWN_NAME"]],
    [uriOf("desk/things.md"), []],
    [uriOf("desk/README.md"), []],
  ]);
  expect(sent).toEqual([]);
  asking.dispose();
});
