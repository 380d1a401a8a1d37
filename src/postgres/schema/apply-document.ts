import { messageText } from "../../core/i18n/languages.ts";
import type { Model, Renaming } from "../../core/model/model.ts";
import type { Source } from "../../core/source-text.ts";
import type { Database, RunQuery } from "../database.ts";
import { applySteps, ChangeRefused, type WorkBeforeSwitch } from "./apply-steps.ts";
import { hashDocument } from "./document-hash.ts";
import { abandonUnfinished, finishPublished } from "./hidden-objects.ts";
import { readRetired, TEXT_ORDER } from "./introspect.ts";
import { migrateReminders } from "./migrate-reminders.ts";
import { followLists } from "./migrate-saved-views.ts";
import { migrateTrash } from "./migrate-trash.ts";
import { type Applied, findDocument, type KnownVersion, readPast } from "./newest-document.ts";
import { once, planMigrationSteps, toLocalModel } from "./plan-steps.ts";
import { noSeedChanges, syncSeedRecords } from "./seed-records.ts";
import { DOCUMENT_LOCK } from "./system-tables.ts";
import { haltTrigramIndexes, slowSearches } from "./trigram-indexes.ts";

/** Channel on which new versions are announced. */
export const VERSION_CHANNEL = "ninefold_version";

/** Another version was applied in the meantime; nothing was done. */
export class Superseded extends Error {
  override readonly name = "Superseded";
}

/** Time limit of a statement that changes the schema, in milliseconds: it may have to read every record. */
export const CHANGE_TIMEOUT = 600_000;

/** The author and the origin of a version, and the work that belongs to its transaction. */
export interface ApplyOptions {
  readonly person: string | null;
  /** The reason for the version, in the author's words. */
  readonly note?: string;
  /** The earlier version whose text this is. */
  readonly restores?: number;
  /** The proposal that is published, and the people who approved it. */
  readonly proposal?: number;
  readonly approvers?: readonly string[];
  /**
   * The version that the new one was made from; a null `hash` stands for a database without one. If a different version is
   * the newest by now, nothing is done.
   */
  readonly base?: KnownVersion;
  /** Work that must succeed before the version is committed. */
  readonly beforeCommit: () => Promise<void>;
  /** False for a restore, because the backup contains the document's seed records. */
  readonly syncsSeedRecords?: boolean;
  /** Absent if everything is done at once. */
  readonly ahead?: WorkBeforeSwitch;
}

const starting: ApplyOptions = { person: null, beforeCommit: () => Promise.resolve() };

/**
 * Makes the database fit the document, in one transaction. Additions are made; anything else refuses the whole change
 * and lists the reasons. A text that is new to this database becomes its next version.
 */
export const applyDocument = (
  owner: Database,
  desired: Model,
  source: Source,
  {
    person,
    note = "",
    restores,
    proposal,
    approvers = [],
    base,
    beforeCommit,
    syncsSeedRecords = true,
    ahead,
  }: ApplyOptions = starting,
): Promise<Applied> =>
  owner.transaction(async (query) => {
    await query({ text: "select pg_advisory_xact_lock($1)", values: [DOCUMENT_LOCK] });
    const [last] = await query({
      text: "select number, hash, file, source from ninefold.version order by number desc limit 1",
      values: [],
    });
    if (base !== undefined && (last?.hash ?? null) !== base.hash) throw new Superseded();
    if (last !== undefined && String(last.source) !== source.text) await finishPublished(query);
    const before = once(() => findDocument(last, base));
    const { model, renaming } = await toLocalModel(query, desired, source, { last, before });
    const { steps, renamings, merged, searched } = await planMigrationSteps(query, renaming, source, {
      last,
      person,
      before,
    });
    const hash = hashDocument(source.text);
    const isNew = last?.hash !== hash;
    if (isNew && ahead === undefined) await abandonUnfinished(query);
    // Creating an index blocks schema changes of its table.
    if (steps.length > 0) await haltTrigramIndexes(query);
    await ahead?.finish(query, steps);
    const stepMessages = await applySteps(query, steps, undefined, ahead);
    await query({
      text: `update ninefold.release set text_order = ${TEXT_ORDER} where text_order is distinct from ${TEXT_ORDER}`,
      values: [],
    });
    if (isNew) {
      await followLists(query, model, before, renamings, merged);
      await migrateTrash(query, model, before, renamings, merged);
      await migrateReminders(query, model, renamings);
    }
    const version = Number(last?.number ?? 0) + (isNew ? 1 : 0);
    // Other servers receive the notification after the commit.
    if (isNew) await query({ text: "select pg_notify($1, $2)", values: [VERSION_CHANNEL, String(version)] });
    await recordRenamings(query, renamings, version);
    const seedChanges = syncsSeedRecords ? await syncSeedRecords(query, renaming, version, isNew) : noSeedChanges;
    if (seedChanges.refused.length > 0) throw new ChangeRefused(seedChanges.refused);
    const messages = [...stepMessages.messages, ...seedChanges.messages, ...(await slowSearches(query))];
    const done = messages.map((message) => messageText(message));
    if (isNew)
      await query({
        text: "insert into ninefold.version (number, file, hash, source, person, note, restores, done, said, proposal, approvers) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        values: [
          version,
          source.file,
          hash,
          source.text,
          person,
          note,
          restores ?? null,
          JSON.stringify(done),
          JSON.stringify(messages),
          proposal ?? null,
          approvers,
        ],
      });
    const past = await readPast(query);
    const retired = await readRetired(query);
    await ahead?.stored(query, version, steps);
    await beforeCommit();
    return { version, hash, done, messages, model, past, retired, searched };
  });

const recordRenamings = async (query: RunQuery, renamings: readonly Renaming[], version: number): Promise<void> => {
  for (const { of, entity, field, old, now } of renamings)
    await query({
      text: `insert into ninefold.renaming (document, "of", entity, field, old, now) values ($1, $2, $3, $4, $5, $6)`,
      values: [version, of, entity, field, old, now],
    });
};
