const { window, workspace } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

/** A specification has level-2 headings that begin with a number; other Markdown files are left alone. */
const isSpecification = (text) => /^## [1-9](?:[.):]|\s|$)/mu.test(text);

let client;

const start = async () => {
  if (client !== undefined) return;
  const [command = "ninefold", ...args] = workspace.getConfiguration("ninefold").get("command", ["ninefold", "lsp"]);
  const run = { command, args, transport: TransportKind.stdio };
  client = new LanguageClient(
    "ninefold",
    "Ninefold",
    { run, debug: run },
    { documentSelector: [{ language: "markdown" }] },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    window.showErrorMessage(`Ninefold can’t start “${command}”: ${error.message}. Set ninefold.command.`);
  }
};

exports.activate = (context) => {
  const look = (document) => {
    if (document.languageId === "markdown" && isSpecification(document.getText())) void start();
  };
  context.subscriptions.push(workspace.onDidOpenTextDocument(look));
  workspace.textDocuments.forEach(look);
};

exports.deactivate = () => client?.stop();
