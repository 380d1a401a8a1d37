import { parseArgs } from "node:util";
import { TooManyPreviews } from "../../postgres/preview/preview-database.ts";
import { ChangeRefused } from "../../postgres/schema/apply-steps.ts";
import { type PreviewEnd, startPreview } from "../../preview/start-preview.ts";
import { createLog } from "../../server/telemetry/log.ts";
import { dataOptions, withConnection, withConnections } from "../data/data-store.ts";
import { openObjectStore } from "../data/file-store.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { parseHost, parseOrigin, parsePort, parseProxy } from "../run/run-options.ts";
import { usage } from "../usage.ts";
import { showStage } from "./job-progress.ts";
import { readLiveVersion, readPlannedVersion, withNamesOf } from "./planned-version.ts";

/**
 * Serves a new version on a copy of the data, at its own address, until it is interrupted. The copy sends nothing and
 * is removed at the end.
 */
export const tryOnCopy = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...dataOptions,
      mask: { type: "boolean", default: false },
      host: { type: "string", default: "127.0.0.1" },
      port: { type: "string", default: "0" },
      origin: { type: "string" },
      proxy: { type: "string", multiple: true, default: [] },
      json: { type: "boolean", default: false },
    },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0)
    throw new CommandFailed(exits.usage, "Name one file or folder: the new version.", usage.try);
  const { host, port, site } = orUsage(() => ({
    host: parseHost(values.host),
    port: parsePort(values.port),
    site: {
      origin: values.origin === undefined ? null : parseOrigin(values.origin),
      proxies: values.proxy.map(parseProxy),
      isPreview: true,
    },
  }));
  const draft = await readPlannedVersion(path);
  const stopped = waitForInterrupt();
  return withConnections(values, async ({ url, ...connections }) => {
    const live = await withConnection(connections.owner, readLiveVersion);
    const { compiled, model } = withNamesOf(live, draft);
    const stage = showStage();
    if (!values.json) stage.show("Copying the data…");
    const objects = await openObjectStore(process.env);
    const preview = await startPreview(
      { connections, host, port, site, original: url, objects, log: createLog() },
      { compiled, model, base: live.number, person: null, masked: values.mask },
    )
      .catch((error: unknown) => {
        throw toFailure(error);
      })
      .finally(stage.end);
    try {
      const { endsAt, hasData, masked } = preview.row;
      const link = await preview.link();
      if (values.json)
        process.stdout.write(
          `${JSON.stringify({ url: preview.address, link, base: live.number, endsAt, masked, hasData, pid: process.pid })}\n`,
        );
      else
        process.stdout.write(
          [
            `The preview runs at ${preview.address} until ${endsAt}.`,
            hasData
              ? `It has a copy of the data of version ${live.number}${masked ? ", with made-up personal values" : ""}. It sends nothing.`
              : "The database role can’t create databases, so the preview has sample data. It sends nothing.",
            `  sign in as an administrator, once: ${link}`,
            ...(process.stdout.isTTY === true ? ["Press Ctrl+C to end it. Its copy of the data is deleted."] : []),
            "",
          ].join("\n"),
        );
      const reason = await Promise.race([stopped, preview.ended]);
      if (!values.json && reason !== null) process.stdout.write(`${reasons[reason]}\n`);
      return exits.done;
    } finally {
      await preview.end();
      objects?.close();
    }
  });
};

/** Parses options that `run` has too. A mistake is explained with the usage of this command. */
const orUsage = <T>(read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw error instanceof CommandFailed ? new CommandFailed(error.exit, error.message, usage.try, error) : error;
  }
};

const reasons: { readonly [R in PreviewEnd]: string } = {
  asked: "The preview was ended.",
  over: "The preview ended after 24 hours.",
  decided: "The preview ended, because its text was published, rejected, withdrawn or replaced.",
  "database away": "The preview ended, because the database doesn’t answer.",
};

/** Resolves with null when the process is interrupted. */
const waitForInterrupt = (): Promise<null> =>
  new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => resolve(null));
  });

const toFailure = (error: unknown): unknown => {
  if (error instanceof TooManyPreviews)
    return new CommandFailed(
      exits.databaseRefused,
      "The database already has two previews, the maximum.",
      "End one of them in the workbench, or stop its command.",
      error,
    );
  if (error instanceof ChangeRefused)
    return new CommandFailed(
      exits.changeRefused,
      `${error.message}\n${error.refused.map((refused) => `  ${refused.says}`).join("\n")}`,
      "The copy was deleted. Change the new version, and try it again.",
      error,
    );
  return error;
};
