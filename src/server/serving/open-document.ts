import type { Compiled } from "../../core/compile.ts";
import type { Model } from "../../core/model/model.ts";
import { type ConnectOptions, connect, type Database, findRole } from "../../postgres/database.ts";
import { type Listener, listen } from "../../postgres/listen.ts";
import { applyDocument, CHANGE_TIMEOUT, Superseded, VERSION_CHANNEL } from "../../postgres/schema/apply-document.ts";
import { partitionHistory } from "../../postgres/schema/history-months.ts";
import type { Applied } from "../../postgres/schema/newest-document.ts";
import { prepareSystem } from "../../postgres/schema/prepare-system.ts";
import { checkRequestRoleSettings } from "../../postgres/schema/request-role-settings.ts";
import { buildTrigramIndexes } from "../../postgres/schema/trigram-indexes.ts";
import { connectStandbys } from "../../postgres/standbys.ts";
import { START_ATTEMPT, waitForDatabase } from "../../postgres/wait-for-database.ts";
import { type RetryPolicy, withRetries } from "../../postgres/with-retries.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { createService, type Service } from "../execution/service.ts";
import type { FileChange, StartVersion } from "../proposals/start-version.ts";
import type { Metrics } from "../telemetry/metrics.ts";

/** A database opened with a document, before the server listens. */
export interface OpenDocument {
  readonly service: Service;
  /** The live document. It differs from the file if the file became a proposal. */
  readonly compiled: Compiled;
  readonly applied: Applied;
  /** The model of the version that was in force before this start; null if there was none or it cannot be read. */
  readonly before: Model | null;
  /** How the file differs from the version that was in force; null if it does not. */
  readonly change: FileChange | null;
  /** The tables with a trigram index; updated when more are built. */
  readonly searched: Set<string>;
  /** Builds missing indexes, or leaves that to another server (`buildTrigramIndexes`). */
  readonly buildTrigramIndexes: (model: Model, signal: AbortSignal) => Promise<boolean>;
  /** Notifies of new versions from other servers; null behind a pooler. */
  readonly listenForVersions: ((onVersion: () => void) => Listener) | null;
  close(): Promise<void>;
}

/** Opens the database with a document that is applied whatever was in force. */
export const open = (
  model: Model,
  compiled: Compiled,
  connections: Connections,
  options: OpenOptions = {},
): Promise<OpenDocument> =>
  openVersion(
    () => Promise.resolve({ compiled: { ...compiled, model }, base: undefined, change: null }),
    connections,
    options,
  );

interface OpenOptions {
  readonly metrics?: Metrics | undefined;
  /** Keeps the bytes of files; without one, the database does. */
  readonly objects?: ObjectStore | null;
  /** Called if the database does not answer within a second. */
  readonly onWait?: () => void;
}

/**
 * Opens the database, migrates it to this release and to the version that `choose` returns, and closes the owner's
 * connection: requests need no further privileges. Chooses again if another server publishes a version meanwhile.
 */
export const openVersion = async (
  choose: (owner: Database) => Promise<StartVersion>,
  connections: Connections,
  { metrics, objects = null, onWait }: OpenOptions = {},
): Promise<OpenDocument> => {
  const { compiled, applied, base, change } = await applyVersion(choose, connections, onWait);
  const database = connectRequests(connections, metrics);
  try {
    await waitForDatabase(database, onWait);
    if (connections.pooled === true) await checkRequestRoleSettings(database);
  } catch (error) {
    await database.end();
    throw error;
  }
  const searched = new Set(applied.searched);
  return {
    service: createService(applied.model, applied.version, database, {
      sources: compiled.sources,
      past: applied.past,
      retired: applied.retired,
      searched,
      objects,
    }),
    compiled,
    applied,
    before: base?.model ?? null,
    change,
    searched,
    buildTrigramIndexes: (model, signal) => buildTrigramIndexes(connections.owner, model, signal),
    listenForVersions:
      connections.pooled === true ? null : (onVersion) => listen(connections.app, VERSION_CHANNEL, onVersion),
    close: () => database.end(),
  };
};

/** Servers that publish concurrently take turns, and each has one version to publish. */
const MAX_ATTEMPTS = 10;

type AppliedVersion = StartVersion & { readonly applied: Applied };

/** Chooses again if another server has published a version meanwhile. */
const retrySuperseded: RetryPolicy = (error, attempt) =>
  error instanceof Superseded && attempt < MAX_ATTEMPTS ? { delay: 0, counts: true } : undefined;

/** Migrates the database as its owner. */
const applyVersion = async (
  choose: (owner: Database) => Promise<StartVersion>,
  connections: Connections,
  onWait: (() => void) | undefined,
): Promise<AppliedVersion> => {
  const owner = connect({
    connection: connections.owner,
    max: 1,
    statementTimeout: CHANGE_TIMEOUT,
    wait: START_ATTEMPT,
  });
  const applyChosen = async (): Promise<AppliedVersion> => {
    const chosen = await choose(owner);
    const { compiled, base } = chosen;
    const applied = await applyDocument(owner, compiled.model, compiled.source, {
      person: null,
      ...(base === undefined ? {} : { base }),
      beforeCommit: () => Promise.resolve(),
    });
    return { ...chosen, applied };
  };
  try {
    await waitForDatabase(owner, onWait);
    await prepareSystem(owner, findRole(connections.app));
    await partitionHistory(owner, new Date());
    return await withRetries([retrySuperseded], applyChosen);
  } finally {
    await owner.end();
  }
};

/** The connections of requests: to the primary, and to its standbys if there are any. */
const connectRequests = (connections: Connections, metrics: Metrics | undefined): Database => {
  const settings = {
    pooled: connections.pooled === true,
    ...(connections.most === undefined ? {} : { max: connections.most }),
    ...(metrics === undefined ? {} : { measured: metrics.statement }),
  };
  const primary = connect({ connection: connections.app, ...settings });
  const { replicas = [] } = connections;
  const standbys =
    replicas.length === 0
      ? undefined
      : connectStandbys(primary, {
          connections: replicas,
          ...settings,
          ...(metrics === undefined ? {} : { answered: metrics.read }),
        });
  const database: Database = {
    ...primary,
    standbys,
    end: async () => {
      await standbys?.end();
      await primary.end();
    },
  };
  metrics?.watch(() => database.load());
  return database;
};

/** Connections to the database: the owner creates tables and is needed only at start; requests read and write rows. */
export interface Connections {
  readonly owner: ConnectOptions["connection"];
  readonly app: ConnectOptions["connection"];
  /** True if requests go through a pooler in transaction mode. The owner never does. */
  readonly pooled?: boolean;
  /** Maximum number of connections for requests; six by default. */
  readonly most?: number;
  /** Standbys of the database that requests may read from, with the role of requests. */
  readonly replicas?: readonly ConnectOptions["connection"][];
  /** The folder of an embedded Postgres, on whose disk the data is; absent for an external database. */
  readonly folder?: string;
}
