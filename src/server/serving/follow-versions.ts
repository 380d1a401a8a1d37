import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { type Database, StoreAway } from "../../postgres/database.ts";
import type { Listener } from "../../postgres/listen.ts";
import { newestDocument } from "../../postgres/schema/newest-document.ts";
import type { DocumentStore } from "../authoring/in-force.ts";
import type { AddSamples } from "../authoring/publish-draft.ts";
import { VersionBehind } from "../http/repeat-request.ts";
import type { CompileAhead } from "../lifecycle/compile-ahead.ts";
import type { Readiness } from "../lifecycle/readiness.ts";
import type { Serialize } from "../util/serializer.ts";
import type { LiveVersion } from "./live-version.ts";
import type { OpenDocument } from "./open-document.ts";

/** Maximum time in milliseconds that a request waits for a newer version to be live on this server. */
const CATCH_UP_TIMEOUT_MS = 10_000;

/** Milliseconds between checks for a newer version, without and with notices from the database. */
const POLL_MS = 1_000;
const POLL_WITH_NOTICES_MS = 15_000;

/** Makes versions live that other servers published. */
export interface VersionFollower {
  /** The application of a version newer than this one, live on this server (`FindNewer`). */
  findNewer(version: number): Promise<FastifyInstance | undefined>;
  /** Follows new versions from now on. */
  watch(listenForVersions: OpenDocument["listenForVersions"]): { stop(): Promise<void> };
}

export const createVersionFollower = ({
  live,
  database,
  documentStore,
  readiness,
  compileAhead,
  serialize,
  addSamples,
  log,
}: {
  readonly live: LiveVersion;
  readonly database: Database;
  /** The files of the document on this server; null if they cannot be written. */
  readonly documentStore: DocumentStore | null;
  readonly readiness: Readiness;
  readonly compileAhead: CompileAhead;
  readonly serialize: Serialize;
  readonly addSamples: AddSamples;
  readonly log: Logger;
}): VersionFollower => {
  /** A switch to the newest version that has not begun, so that it includes everything published before now. */
  let catchingUp: Promise<void> | undefined;

  const replaceIfSuperseded = async (): Promise<void> => {
    const { because } = await readiness.check();
    if (because !== "superseded") return;
    const before = live.inForce();
    const next = await newestDocument(database, compileAhead.compile);
    if (documentStore !== null && documentStore.fixed === null)
      await documentStore
        .write(before.compiled.sources, next.compiled.sources)
        .catch((error: unknown) =>
          log.warn(
            { err: error },
            "another server published a version, and its text could not be written to the files here",
          ),
        );
    await live.replace(next);
    await addSamples(before);
  };

  /** Switches to a newer version that another server applied, and writes it to this server's files. */
  const catchUp = (): Promise<void> => {
    catchingUp ??= serialize(() => {
      catchingUp = undefined;
      return replaceIfSuperseded();
    }).catch((error: unknown) => {
      // Requests already report an unavailable database.
      if (!(error instanceof StoreAway))
        log.error({ err: error }, "the newest version could not be loaded on this server");
    });
    return catchingUp;
  };

  return {
    findNewer: async (version) => {
      const isLive = (): boolean => live.inForce().applied.version === version;
      if (isLive()) {
        if ((await readiness.check()).newest <= version) return undefined;
        await Promise.race([catchUp(), sleep(CATCH_UP_TIMEOUT_MS, undefined, { ref: false })]);
      }
      if (isLive()) throw new VersionBehind();
      return live.application();
    },
    watch: (listenForVersions) => {
      const follow = (): void => {
        // Without a database there is nothing to follow.
        void catchUp().then(() => compileAhead.look().catch(() => undefined));
      };
      const listener: Listener | undefined = listenForVersions?.(follow);
      const timer = setInterval(follow, listener === undefined ? POLL_MS : POLL_WITH_NOTICES_MS);
      timer.unref();
      return {
        stop: async () => {
          clearInterval(timer);
          await listener?.stop();
        },
      };
    },
  };
};
