/**
 * A program that owns a data folder, for the tests that kill it. It takes its task as JSON in its first argument,
 * reports events as JSON lines, and stops on the input "stop".
 */
import { StartError, startEmbedded } from "../../../src/postgres/embedded/index.ts";

const tell = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`);

const { url, ...options } = JSON.parse(process.argv[2] ?? "{}");
const since = performance.now();
try {
  const embedded = await startEmbedded({
    ...options,
    onExit: (exit) => tell({ exit }),
    onReturn: () => tell({ returned: true }),
  });
  if (url !== undefined) await embedded.announce(url);
  const { owner, app, folder, fresh, demonstration } = embedded;
  tell({ up: { owner, app, folder, fresh, demonstration, took: performance.now() - since } });
  process.stdin.setEncoding("utf8").on("data", async () => {
    await embedded.stop();
    tell({ stopped: true });
    process.stdin.destroy();
  });
} catch (thrown) {
  if (!(thrown instanceof StartError)) throw thrown;
  const { kind, message, hint, holder } = thrown;
  tell({ error: { kind, message, hint, holder } });
}
