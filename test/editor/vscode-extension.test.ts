import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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
