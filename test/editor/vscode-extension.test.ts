import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { expect, test } from "vitest";
import { createProtocolConnection, StreamMessageReader, StreamMessageWriter } from "vscode-languageserver/node";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, "editors/vscode");
const readJson = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const manifest = readJson(join(folder, "package.json"));

test("the manifest names files that exist, and what editors and their stores need", () => {
  expect(existsSync(join(folder, manifest.main))).toBe(true);
  for (const file of ["README.md", "LICENSE"]) expect(existsSync(join(folder, file))).toBe(true);
  expect(manifest).toMatchObject({ publisher: "ninefold", activationEvents: ["onLanguage:markdown"] });
  expect(manifest.engines.vscode).toMatch(/^\^\d+\.\d+\.0$/u);
});

/** A document in the editor. */
const markdown = (text: string) => ({ languageId: "markdown", getText: () => text });

/** Runs `extension.js` in an editor with these documents and this command in its settings. */
const runExtension = (documents: readonly ReturnType<typeof markdown>[], command?: readonly string[]) => {
  const started: unknown[][] = [];
  const said: string[] = [];
  const opened: ((document: object) => void)[] = [];
  class LanguageClient {
    readonly #about: unknown[];
    constructor(...about: unknown[]) {
      this.#about = about;
    }
    async start() {
      if (command?.[0] === "missing") throw new Error("spawn missing ENOENT");
      started.push(this.#about);
    }
    async stop() {
      started.pop();
    }
  }
  const modules: Readonly<Record<string, object>> = {
    vscode: {
      window: { showErrorMessage: (text: string) => said.push(text) },
      workspace: {
        getConfiguration: () => ({ get: (_: string, usual: unknown) => command ?? usual }),
        onDidOpenTextDocument: (look: (document: object) => void) => {
          opened.push(look);
          return { dispose: () => undefined };
        },
        textDocuments: documents,
      },
    },
    "vscode-languageclient/node": { LanguageClient, TransportKind: { stdio: 0 } },
  };
  const extension: { activate?: (context: object) => void; deactivate?: () => unknown } = {};
  const source = readFileSync(join(folder, manifest.main), "utf8");
  compileFunction(source, ["require", "exports"])((name: string) => modules[name], extension);
  extension.activate?.({ subscriptions: [] });
  const open = (document: object): void => {
    for (const look of opened) look(document);
  };
  return { started, said, open, extension };
};

test("it starts the server with the first specification, once, for Markdown files, and stops it", async () => {
  const notes = markdown("# Notes\n\n## Ideas\n");
  const { started, open, extension } = runExtension([notes]);
  open({ languageId: "json", getText: () => "## 3. Entities\n" });
  expect(started).toEqual([]);
  open(markdown("# Keys\n\n## 3. Entities\n"));
  open(markdown("# Doors\n\n## 3. Entities\n"));
  const run = { command: "ninefold", args: ["lsp"], transport: 0 };
  const options = { documentSelector: [{ language: "markdown" }] };
  await expect.poll(() => started).toEqual([["ninefold", "Ninefold", { run, debug: run }, options]]);
  await extension.deactivate?.();
  expect(started).toEqual([]);
});

test("a server that cannot start is named with its setting, and tried again with the next specification", async () => {
  const { said, open } = runExtension([markdown("## 3. Entities\n")], ["missing"]);
  await expect
    .poll(() => said)
    .toEqual(["Ninefold can’t start “missing”: spawn missing ENOENT. Set ninefold.command."]);
  open(markdown("## 3. Entities\n"));
  await expect.poll(() => said.length).toBe(2);
});

test("the command in its settings is the language server, which answers on standard input and output", async () => {
  const [command, ...args] = manifest.contributes.configuration.properties["ninefold.command"].default;
  const program = readJson(join(root, "package.json")).bin[command];
  const server = spawn(process.execPath, [join(root, program), ...args, "--stdio"], { stdio: "pipe" });
  const ended = once(server, "exit");
  const client = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  const published = new Promise<unknown>((resolve) => {
    client.onNotification("textDocument/publishDiagnostics", resolve);
  });
  client.listen();
  const { capabilities } = await client.sendRequest<{ capabilities: object }>("initialize", {
    processId: process.pid,
    rootUri: null,
    capabilities: {},
  });
  expect(capabilities).toMatchObject({ completionProvider: {}, hoverProvider: true, documentFormattingProvider: true });
  await client.sendNotification("initialized", {});
  const text = "# Keys\n\n## 3. Entities\n\n```yaml\nKey:\n  feilds: { number: text }\n```\n";
  await client.sendNotification("textDocument/didOpen", {
    textDocument: { uri: "untitled:Untitled-1", languageId: "markdown", version: 1, text },
  });
  expect(await published).toMatchObject({
    uri: "untitled:Untitled-1",
    diagnostics: expect.arrayContaining([expect.objectContaining({ code: "UNKNOWN_KEY", source: "ninefold" })]),
  });
  await client.sendRequest("shutdown");
  await client.sendNotification("exit");
  expect(await ended).toEqual([0, null]);
  client.dispose();
});
