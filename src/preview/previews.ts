import type { Logger } from "pino";
import type { FixedReason } from "../core/i18n/catalogue.ts";
import type { StoredSentence } from "../core/i18n/languages.ts";
import { messageText } from "../core/i18n/languages.ts";
import { type Message, say } from "../core/i18n/message.ts";
import type { PreviewJson } from "../core/wire/authoring/previews.ts";
import { connect, type Database, StoreAway } from "../postgres/database.ts";
import { CopyRefused } from "../postgres/preview/copy-refused.ts";
import {
  dropPreview,
  MOST_PREVIEWS,
  type PreviewRow,
  type PreviewUse,
  readPreviews,
  readPreviewUse,
  TooManyPreviews,
  toDatabase,
} from "../postgres/preview/preview-database.ts";
import { CHANGE_TIMEOUT } from "../postgres/schema/apply-document.ts";
import { ChangeRefused } from "../postgres/schema/apply-steps.ts";
import { DatabaseRefused } from "../postgres/schema/prepare-system.ts";
import { previewToken } from "../server/accounts/preview-link.ts";
import { compileInThread } from "../server/authoring/draft/check-draft.ts";
import type { Previews } from "../server/authoring/preview-routes.ts";
import type { Site } from "../server/http/origin.ts";
import { refuse } from "../server/refusal.ts";
import type { Connections } from "../server/serving/open-document.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { EndedAddresses } from "./ended-addresses.ts";
import { type Preview, removeAbandoned, startPreview } from "./start-preview.ts";

/** An address at which a preview can be reached through a proxy. */
export interface PreviewAddress {
  readonly port: number;
  readonly origin: string;
}

interface PreviewsOptions {
  readonly connections: Connections;
  readonly database: Database;
  readonly host: string;
  readonly site: Site;
  readonly original: string | null;
  /** The addresses for previews behind a proxy, one for each. */
  readonly addresses: readonly PreviewAddress[];
  readonly objects?: ObjectStore | null;
  readonly log: Logger;
  /** Compiles a draft; in a thread of its own by default. */
  readonly compile?: Previews["compile"];
}

/** The previews that a running application starts; `stop` ends all of them. */
export interface RunningPreviews extends Previews {
  stop(): Promise<void>;
}

/** Interval in milliseconds at which abandoned previews are removed. */
const SWEEP = 60_000;

export const createPreviews = ({
  connections,
  database,
  host,
  site,
  original,
  addresses,
  objects = null,
  log,
  compile = compileInThread,
}: PreviewsOptions): RunningPreviews => {
  const running = new Map<string, Promise<Preview>>();
  const failures = new Map<string, readonly StoredSentence[]>();
  const used = new Set<PreviewAddress>();
  const ended = new EndedAddresses(host, original);
  // A process that was killed cannot remove its preview.
  const sweeping = setInterval(() => {
    readPreviews(database)
      .then((all) => (all.length > 0 ? removeAbandoned(connections) : undefined))
      .catch((error: unknown) => {
        if (!(error instanceof StoreAway)) log.warn({ err: error }, "an abandoned preview could not be removed");
      });
  }, SWEEP);
  sweeping.unref();
  const end = async (id: string): Promise<boolean> => {
    const row = (await readPreviews(database)).find((previewRow) => previewRow.id === id);
    if (row === undefined) return false;
    const own = await running.get(id)?.catch(() => undefined);
    if (own !== undefined) await own.end();
    else {
      // Another process serves it, and ends when its row is gone.
      const owner = connect({ connection: connections.owner, max: 1, statementTimeout: CHANGE_TIMEOUT });
      await dropPreview(owner, row, true).finally(() => owner.end());
    }
    return true;
  };
  return {
    list: async (person) => {
      const rows = await readPreviews(database);
      const names = await readNames(
        database,
        rows.flatMap((row) => row.person ?? []),
      );
      return { items: rows.map((row) => toJson(row, names)), failed: failures.get(person) ?? [] };
    },
    compile,
    start: async ({ compiled, base, person, masked }) => {
      const { model } = compiled;
      if (model === undefined) throw new Error("a draft that runs does not run");
      const address = addresses.find((address) => !used.has(address));
      if (site.origin !== null && address === undefined)
        return addresses.length === 0
          ? refuse("NO_PREVIEWS", undefined, { detail: "NO_ADDRESS" satisfies FixedReason, word: "" })
          : refuse("TOO_MANY_PREVIEWS", undefined, { most: String(addresses.length) });
      if (address !== undefined) used.add(address);
      ended.release(address?.port);
      failures.delete(person);
      let registered: (row: PreviewRow) => void = () => undefined;
      const row = new Promise<PreviewRow>((resolve) => {
        registered = resolve;
      });
      const started = startPreview(
        {
          connections,
          host,
          port: address?.port ?? 0,
          site: { origin: address?.origin ?? null, proxies: site.proxies, isPreview: true },
          original,
          objects,
          log,
        },
        { compiled, model, base, person, masked },
        (own) => {
          running.set(own.id, started);
          registered(own);
        },
      );
      void started
        .then((preview) => ended.keepAfter(preview, address?.port, model))
        .catch((error: unknown) => {
          failures.set(person, getReasons(error));
          if (!isExpected(error)) log.error({ err: error }, "a preview could not be started");
        })
        .finally(() => {
          if (address !== undefined) used.delete(address);
          for (const [id, value] of running) if (value === started) running.delete(id);
        });
      try {
        return toJson(await Promise.race([row, started.then((preview) => preview.row)]), new Map());
      } catch (error) {
        if (!(error instanceof TooManyPreviews)) throw error;
        failures.delete(person);
        return refuse("TOO_MANY_PREVIEWS", undefined, { most: String(MOST_PREVIEWS) });
      }
    },
    link: async (id, person) => {
      const row = (await readPreviews(database)).find((previewRow) => previewRow.id === id);
      if (row === undefined || row.address === null) return undefined;
      const own = await running.get(id)?.catch(() => undefined);
      if (own !== undefined && (person === row.person || !row.hasData)) return own.link();
      const copy = connect({ connection: toDatabase(connections.owner, row.place), max: 1 });
      try {
        return `${row.address}/sign-in#preview=${await previewToken(copy, person, new Date())}`;
      } finally {
        await copy.end();
      }
    },
    use: async (id) => {
      const row = (await readPreviews(database)).find((previewRow) => previewRow.id === id);
      if (row === undefined) return undefined;
      const own = await running.get(id)?.catch(() => undefined);
      if (own === undefined && (!row.hasData || row.address === null)) return null;
      const use = own === undefined ? await readUseOf(connections, row) : await own.use();
      // In a copy, names can be made up.
      const names = await readNames(
        database,
        use.people.map((person) => person.id),
      );
      return { ...use, people: use.people.map((person) => ({ ...person, name: names.get(person.id) ?? person.name })) };
    },
    end,
    stop: async () => {
      clearInterval(sweeping);
      const all = await Promise.allSettled(running.values());
      await Promise.all(all.map((result) => (result.status === "fulfilled" ? result.value.end() : undefined)));
      ended.stop();
    },
  };
};

const readNames = async (database: Database, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const people = await database.query({
    text: `select "id", "name" from app."user" where "id" = any($1::uuid[])`,
    values: [ids],
  });
  return new Map(people.map((person) => [String(person.id), String(person.name)]));
};

/** The use of a preview that another process serves. */
const readUseOf = async ({ owner }: Connections, { place }: PreviewRow): Promise<PreviewUse> => {
  const copy = connect({ connection: toDatabase(owner, place), max: 1 });
  try {
    return await readPreviewUse(copy);
  } finally {
    await copy.end();
  }
};

const toJson = (row: PreviewRow, names: ReadonlyMap<string, string>): PreviewJson => {
  const { id, hash, base, person, masked, hasData, endsAt, address, copied } = row;
  const by = person === null ? null : { id: person, label: names.get(person) ?? "" };
  return { id, hash, base, by, masked, hasData, endsAt, address, copied };
};

const isExpected = (error: unknown): boolean =>
  error instanceof ChangeRefused || error instanceof DatabaseRefused || error instanceof TooManyPreviews;

const toSentence = (message: Message): StoredSentence => ({ says: messageText(message), message });

const getReasons = (error: unknown): readonly StoredSentence[] => {
  if (error instanceof ChangeRefused) return error.refused;
  if (error instanceof CopyRefused) return [toSentence(error.reason)];
  if (error instanceof DatabaseRefused) return [{ says: `${error.message} ${error.hint}` }];
  return [toSentence(say(error instanceof StoreAway ? "preview.away" : "preview.broken", {}))];
};
