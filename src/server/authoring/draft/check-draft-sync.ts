import { type Compile, type Compiled, compile } from "../../../core/compile.ts";
import type { Model } from "../../../core/model/model.ts";
import { placesIn } from "../../../core/source-text.ts";
import type { ReplayJson } from "../../../core/wire/authoring/replay.ts";
import { connect, type Database } from "../../../postgres/database.ts";
import { planDocument } from "../../../postgres/schema/plan-document.ts";
import type { RefusalAt } from "../../refusal.ts";
import { countFigures } from "../count-figures.ts";
import { withReadableExamples } from "../readable-examples.ts";
import { replayActs } from "../replay-acts.ts";
import type { DraftAnswer, DraftRequest, ReplayRequest } from "./check-draft.ts";

const MAX_ERRORS = 50;

/** The findings of a draft by line; the browser finds the same ones itself. */
const getMistakes = ({ findings, sources }: Compiled): readonly RefusalAt[] => {
  const at = placesIn(sources);
  const names = sources.map(({ file }) => file);
  return findings
    .filter(({ severity }) => severity === "error")
    .slice(0, MAX_ERRORS)
    .map(({ span, clause, message }) => ({
      at: `/files/${Math.max(names.indexOf(span.file), 0)}`,
      code: "DOCUMENT_INVALID",
      clause: clause ?? "",
      values: {},
      message: `${span.file}:${at(span).line}: ${message}`,
    }));
};

/**
 * Compiles a draft in the calling thread. With the owner's connection, also tries it on the tables or replays past acts
 * under it.
 */
export const draftAnswerWith =
  (compile: Compile) =>
  async ({ files, owner, page, replay }: DraftRequest): Promise<DraftAnswer> => {
    const compiled = compile(files);
    const { model } = compiled;
    if (model === undefined) return { kind: "invalid", at: getMistakes(compiled) };
    if (owner === null) return { kind: "runs", compiled };
    const database = connect({ connection: owner, max: 1, statementTimeout: 60_000 });
    try {
      if (replay !== undefined) {
        const { model: before } = compile(replay.before);
        if (before === undefined) throw new Error("the live document has errors");
        return { kind: "replay", replay: await replayDraft(database, before, model, replay) };
      }
      const { messages, records, refused } = await planDocument(database, model, compiled.source, { page });
      return { kind: "plan", change: { messages, records, refused } };
    } finally {
      await database.end();
    }
  };

export const draftAnswer = draftAnswerWith(compile);

const replayDraft = async (
  database: Database,
  before: Model,
  after: Model,
  { author }: ReplayRequest,
): Promise<ReplayJson> => {
  const now = new Date();
  const lines = await countFigures(database, before, after, author, now);
  const replayed = await replayActs(database, before, after, { now });
  const figures = lines.flatMap(({ subject, text, figures: own }) =>
    own === undefined ? [] : [{ subject, text, figures: own }],
  );
  return { ...(await withReadableExamples(database, before, replayed, author, now)), figures };
};
