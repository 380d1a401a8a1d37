import { basename } from "node:path";
import { parseArgs } from "node:util";
import { compile } from "../core/compile.ts";
import { defaultFolder, findRunning, startEmbedded } from "../postgres/embedded.ts";
import { removeSample } from "../server/sample.ts";
import { open } from "../server/serve.ts";
import { type Connections, connectionsTo, openingFailed } from "./connections.ts";
import { readSource } from "./document-file.ts";
import { CommandFailed, exits } from "./exits.ts";

export const usage = "ninefold sample remove FILE [--data DIR] [--database URL]";

/** Takes the sample people and records away; beside a running application or without one. */
export const sample = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { data: { type: "string" }, database: { type: "string" } },
  });
  const [verb, path, ...more] = positionals;
  if (verb !== "remove" || path === undefined || more.length > 0)
    throw new CommandFailed(exits.usage, "Say “remove” and name one file.", usage);
  const compiled = compile(await readSource(path));
  const { model } = compiled;
  if (model === undefined)
    throw new CommandFailed(exits.badDocument, `${path} has errors; “ninefold check” shows them.`);

  const url = values.database ?? process.env.DATABASE_URL;
  const folder = values.data ?? (await defaultFolder(basename(path).replace(/\.md$/u, "")));
  try {
    const running = url === undefined ? await findRunning(folder) : undefined;
    const embedded =
      url === undefined && running === undefined
        ? await startEmbedded({ folder, name: model.name, demonstration: false })
        : undefined;
    try {
      const connections: Connections = url === undefined ? pair(running ?? embedded) : connectionsTo(url);
      const opened = await open(model, compiled, connections);
      const { removed, kept } = await removeSample(opened.service).finally(() => opened.close());
      process.stdout.write(
        `Took away ${removed} sample people and records${kept > 0 ? `; ${kept} stay, because records of your own refer to them` : ""}.\n`,
      );
      return exits.done;
    } finally {
      await embedded?.stop();
    }
  } catch (error) {
    throw openingFailed(error);
  }
};

const pair = (from: { readonly owner: object; readonly app: object } | undefined): Connections => ({
  owner: { ...from?.owner },
  app: { ...from?.app },
});
