import { randomBytes, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Logger } from "pino";
import type { Compiled } from "../core/compile.ts";
import type { Model } from "../core/model/model.ts";
import { ADMINISTRATOR } from "../core/model/permissions.ts";
import type { InPreviewJson } from "../core/wire/authoring/previews.ts";
import { type Jobs, startJobs } from "../jobs/jobs.ts";
import type { ReadOutside } from "../postgres/backup/backup.ts";
import type { BackupFrame } from "../postgres/backup/backup-file.ts";
import { type ConnectOptions, connect, type Database, findRole, StoreAway } from "../postgres/database.ts";
import { type Embedded, findRunning, startEmbedded } from "../postgres/embedded/index.ts";
import { checkDiskSpace } from "../postgres/preview/disk-space.ts";
import {
  canCreateDatabases,
  copyDatabase,
  copyFailed,
  createSiblingDatabase,
  dropPreview,
  markPreview,
  type PreviewRow,
  type PreviewUse,
  readPreviewState,
  readPreviewUse,
  registerPreview,
  sweepPreviews,
  toDatabase,
  updatePreview,
} from "../postgres/preview/preview-database.ts";
import { CHANGE_TIMEOUT } from "../postgres/schema/apply-document.ts";
import { hashDocument } from "../postgres/schema/document-hash.ts";
import { createFirstAdministratorToken } from "../server/accounts/first-administrator.ts";
import { previewToken } from "../server/accounts/preview-link.ts";
import { DocumentFixed } from "../server/authoring/in-force.ts";
import { readFromObjects, readPlaceholder } from "../server/files/outside-files.ts";
import type { Site } from "../server/http/origin.ts";
import { createSampleData } from "../server/sample/sample.ts";
import { type Serving, serve } from "../server/serve.ts";
import { type Connections, type OpenDocument, open } from "../server/serving/open-document.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { maskFrames } from "./mask/mask-frames.ts";

/** The environment of previews. */
export interface PreviewPlace {
  /** The original database. */
  readonly connections: Connections;
  readonly host: string;
  /** Zero for any free port. */
  readonly port: number;
  readonly site: Site;
  /** The address of the original, for the link back; null if it is unknown. */
  readonly original: string | null;
  /** Keeps the bytes of files of the original; null if its database does. A preview has them in its own database. */
  readonly objects?: ObjectStore | null;
  readonly log: Logger;
}

/** A draft to try. */
export interface PreviewDraft {
  readonly compiled: Compiled;
  readonly model: Model;
  /** The number of the live version. */
  readonly base: number;
  /** The administrator who starts it; null for the command line. */
  readonly person: string | null;
  readonly masked: boolean;
}

/** A preview with an address of its own, until it ends. */
export interface Preview {
  readonly row: PreviewRow;
  readonly address: string;
  /** A link that signs somebody in once: by default the person who started the preview, or an administrator. */
  link(): Promise<string>;
  /** The people who are signed in to it, and the changes that people made in it. */
  use(): Promise<PreviewUse>;
  /** Resolves when its port is free, before requests in progress have ended and the copy is removed. */
  readonly closed: Promise<void>;
  /** Resolves when the preview has ended and is removed, with the reason. */
  readonly ended: Promise<PreviewEnd>;
  end(): Promise<void>;
}

export type PreviewEnd = "asked" | "over" | "decided" | "database away";

/** Interval in milliseconds at which a preview checks if it should end. */
const LOOK = 2_000;

/** Milliseconds without the original's database after which a preview ends. */
const PATIENCE = 60_000;

const asOwner = async <T>(
  connection: ConnectOptions["connection"],
  work: (owner: Database) => Promise<T>,
): Promise<T> => {
  const owner = connect({ connection, max: 1, statementTimeout: CHANGE_TIMEOUT });
  try {
    return await work(owner);
  } finally {
    await owner.end();
  }
};

const dropFolder = async (folder: string, force: boolean): Promise<boolean> => {
  if (!force && (await findRunning(folder)) !== undefined) return false;
  await rm(folder, { recursive: true, force: true });
  return true;
};

/** Removes the previews that a server or a command left behind. */
export const removeAbandoned = (connections: Connections): Promise<void> =>
  asOwner(connections.owner, (owner) => sweepPreviews(owner, dropFolder));

/**
 * Copies the data, applies a draft to the copy and serves it at an address of its own. The original stays unchanged
 * except for its list of previews. After a failure, everything is removed again. Throws `TooManyPreviews`,
 * `ChangeRefused` or `DatabaseRefused`.
 */
export const startPreview = async (
  { connections, host, port, site, original, objects = null, log }: PreviewPlace,
  { compiled, model, base, person, masked }: PreviewDraft,
  /** Called when the preview is in the list of the original. */
  registered: (row: PreviewRow) => void = () => undefined,
): Promise<Preview> => {
  const undo: (() => Promise<unknown>)[] = [];
  const removeAll = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop())
      await step().catch((error: unknown) => log.warn({ err: error }, "a part of a preview could not be removed"));
  };
  const requests = findRole(connections.app);
  try {
    await removeAbandoned(connections);
    const hasData = await asOwner(connections.owner, canCreateDatabases);
    const folder = hasData ? null : join(tmpdir(), `ninefold-preview-${randomUUID()}`);
    if (folder !== null) undo.push(() => rm(folder, { recursive: true, force: true }));
    const hash = hashDocument(compiled.source.text);
    const row = await asOwner(connections.owner, (owner) =>
      registerPreview(owner, { hash, base, person, masked, folder }),
    );
    undo.push(() => asOwner(connections.owner, (owner) => dropPreview(owner, row, true)));
    registered(row);
    if (hasData) await asOwner(connections.owner, (owner) => checkDiskSpace(owner, connections.folder ?? null));
    const copy = hasData
      ? await copyData(connections, row, requests, undo, toReader(objects, masked), (frames) =>
          masked ? maskFrames(frames, { key: randomBytes(16).toString("hex"), draft: model, starter: person }) : frames,
        )
      : await startSampleDatabase(folder ?? "", model, (embedded) => undo.push(() => embedded.stop()));

    const opened = await open(model, compiled, copy);
    undo.push(() => opened.close());
    await asOwner(copy.owner, (owner) => markPreview(owner, row));
    if (!hasData) {
      await createSampleData(opened.service, new Date(), () => Promise.resolve());
      // The changes of the sample are nobody's work.
      await asOwner(copy.owner, (owner) => markPreview(owner, row));
    }
    const use = () => readPreviewUse(opened.service.database);
    const ending = new Ending();
    const about: InPreviewJson = { base, endsAt: row.endsAt, masked, hasData, original };
    const serving = await serve({
      opened,
      documentStore: {
        owner: copy.owner,
        fixed: { reason: "PREVIEW", word: "" },
        write: () => Promise.reject(new DocumentFixed("PREVIEW")),
      },
      host,
      port,
      demonstration: false,
      site,
      // Without environment variables, no call has an address and no provider a secret.
      environment: {},
      log,
      preview: { about, use, end: () => ending.ask("asked") },
    });
    let onFree: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => {
      onFree = resolve;
    });
    undo.push(() => serving.stop(onFree));
    const jobs = createJobs(serving, log);
    undo.push(() => jobs.stop());
    const isListed = await asOwner(connections.owner, (owner) =>
      updatePreview(owner, row.id, { copied: 0, address: serving.url }),
    );
    if (!isListed) throw new Error("the preview was ended while it started");
    const watching = watch(connections, row, ending);
    undo.push(watching);
    const ended = ending.reason.then(async (reason) => {
      await removeAll();
      return reason;
    });
    return {
      row,
      address: serving.url,
      link: () => linkInto(opened, serving.url, person),
      use,
      closed,
      ended,
      end: async () => {
        ending.ask("asked");
        await ended;
      },
    };
  } catch (error) {
    await removeAll();
    throw copyFailed(error) ?? error;
  }
};

/** Decides once why a preview ends. */
class Ending {
  readonly reason: Promise<PreviewEnd>;
  #decide: (reason: PreviewEnd) => void = () => undefined;
  constructor() {
    this.reason = new Promise((resolve) => {
      this.#decide = resolve;
    });
  }
  ask(reason: PreviewEnd): void {
    this.#decide(reason);
  }
}

const toReader = (objects: ObjectStore | null, masked: boolean): ReadOutside | null => {
  if (masked) return readPlaceholder;
  return objects === null ? null : readFromObjects(objects);
};

/** Interval in milliseconds of the queries that mark a copy as in use. */
const HOLD = 20_000;

/** Copies the database beside the original. */
const copyData = async (
  connections: Connections,
  row: PreviewRow,
  requests: string | undefined,
  undo: (() => Promise<unknown>)[],
  readOutside: ReadOutside | null,
  change: (frames: AsyncIterable<BackupFrame>) => AsyncIterable<BackupFrame>,
): Promise<Connections> => {
  const owner = toDatabase(connections.owner, row.place);
  // A pooler may not know the new database.
  const app = connections.pooled === true ? owner : toDatabase(connections.app, row.place);
  await asOwner(connections.owner, (original) => createSiblingDatabase(original, row.place, requests));
  // A copy that nobody is connected to counts as abandoned.
  const holding = connect({ connection: owner, max: 1 });
  const hold = () => holding.query({ text: "select 1", values: [] });
  // The interval is shorter than the time after which idle connections are closed.
  const pulse = setInterval(() => void hold().catch(() => undefined), HOLD);
  undo.push(() => {
    clearInterval(pulse);
    return holding.end();
  });
  await hold();
  const report = (bytes: number) =>
    asOwner(connections.owner, (original) => updatePreview(original, row.id, { copied: bytes, address: null }));
  await copyDatabase(
    connections.owner,
    owner,
    findRole(app),
    (frames) => reportProgress(change(frames), report),
    readOutside,
  );
  return { owner, app };
};

const REPORT = 1_000;

/** Passes the frames on and reports their size each second. */
async function* reportProgress(
  frames: AsyncIterable<BackupFrame>,
  report: (bytes: number) => Promise<unknown>,
): AsyncGenerator<BackupFrame> {
  let [bytes, reportedAt] = [0, Date.now()];
  for await (const frame of frames) {
    bytes += frame.bytes.length;
    if (Date.now() - reportedAt > REPORT) {
      reportedAt = Date.now();
      await report(bytes);
    }
    yield frame;
  }
}

/** An empty database of the bundled Postgres, for a preview with sample data. */
const startSampleDatabase = async (
  folder: string,
  model: Model,
  started: (embedded: Embedded) => unknown,
): Promise<Connections> => {
  const embedded = await startEmbedded({ folder, name: model.name, demonstration: false });
  started(embedded);
  return { owner: { ...embedded.owner }, app: { ...embedded.app } };
};

/** Timers run. Calls and mails wait, because the database of a preview holds them. */
const createJobs = (serving: Serving, log: Logger): Jobs =>
  startJobs({
    work: () => serving.service(),
    clock: () => new Date(),
    outside: { environment: {}, fetch: () => Promise.reject(new Error("a preview calls nobody")) },
    refused: serving.refused,
    log,
  });

/**
 * Ends the preview when it expires, when its text is decided, or when somebody removed it from the list. Returns a
 * function that stops watching.
 */
const watch = ({ app }: Connections, { id, endsAt }: PreviewRow, ending: Ending): (() => Promise<void>) => {
  const database = connect({ connection: app, max: 1 });
  let seen = Date.now();
  const timer = setInterval(() => {
    if (Date.now() > Date.parse(endsAt)) return ending.ask("over");
    readPreviewState(database, id).then(
      (state) => {
        seen = Date.now();
        if (state !== "listed") ending.ask(state === "gone" ? "asked" : "decided");
      },
      (error: unknown) => {
        if (!(error instanceof StoreAway) || Date.now() - seen > PATIENCE) ending.ask("database away");
      },
    );
    return undefined;
  }, LOOK);
  return async () => {
    clearInterval(timer);
    await database.end();
  };
};

const linkInto = async ({ service }: OpenDocument, address: string, person: string | null): Promise<string> => {
  const { database } = service;
  const [row] = await database.query({
    text: `select "id" from app."user" where "active" and ("id" = $1 or $1 is null and $2 = any("roles")) order by "name", "id" limit 1`,
    values: [person, ADMINISTRATOR],
  });
  const [first] =
    row === undefined
      ? await database.query({
          text: `select "id" from app."user" where "active" and $1 = any("roles") order by "name", "id" limit 1`,
          values: [ADMINISTRATOR],
        })
      : [row];
  if (first === undefined)
    return `${address}/sign-in#first=${await createFirstAdministratorToken(database, new Date())}`;
  return `${address}/sign-in#preview=${await previewToken(database, String(first.id), new Date())}`;
};
