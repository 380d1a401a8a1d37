import { type Compiled, compile } from "../../core/compile.ts";
import { placesIn } from "../../core/source-text.ts";
import { connect } from "../../postgres/database.ts";
import { planDocument } from "../../postgres/schema/apply-document.ts";
import type { RefusalAt } from "../refusal.ts";
import type { DraftAnswer, DraftAsked } from "./check-draft.ts";

const MOST_ERRORS = 50;

/** The findings of a draft by line; the browser finds the same ones itself. */
const mistakesIn = ({ findings, sources }: Compiled): readonly RefusalAt[] => {
  const at = placesIn(sources);
  const names = sources.map(({ file }) => file);
  return findings
    .filter(({ severity }) => severity === "error")
    .slice(0, MOST_ERRORS)
    .map(({ span, clause, message }) => ({
      at: `/files/${Math.max(names.indexOf(span.file), 0)}`,
      code: "DOCUMENT_INVALID",
      clause: clause ?? "",
      values: {},
      message: `${span.file}:${at(span).line}: ${message}`,
    }));
};

/** Compiles a draft and, given the owner's connection, tries it on the tables, in the calling thread. */
export const draftAnswer = async ({ files, owner }: DraftAsked): Promise<DraftAnswer> => {
  const compiled = compile(files);
  const { model } = compiled;
  if (model === undefined) return { kind: "invalid", at: mistakesIn(compiled) };
  if (owner === null) return { kind: "runs", compiled };
  const database = connect({ connection: owner, max: 1, statementTimeout: 60_000 });
  try {
    const { done, refused } = await planDocument(database, model, compiled.source);
    return { kind: "plan", change: { steps: done, refused } };
  } finally {
    await database.end();
  }
};
