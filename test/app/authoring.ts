import type { Compiled } from "../../src/core/compile.ts";
import { type Authoring, type AuthoringParts, createAuthoring } from "../../src/server/authoring/authoring.ts";
import { draftAnswer } from "../../src/server/authoring/draft/check-draft-sync.ts";
import type { OpenDocument } from "../../src/server/serving/open-document.ts";
import { createSerializer } from "../../src/server/util/serializer.ts";

/** Changes to a document that checks drafts in this thread and writes no file. A published version is not put in force. */
export const authoringOf = (
  opened: OpenDocument,
  compiled: Compiled,
  owner: string,
  others: Partial<AuthoringParts> = {},
): Authoring =>
  createAuthoring({
    store: { owner, fixed: null, write: () => Promise.resolve() },
    database: opened.service.database,
    current: () => ({ compiled, applied: opened.applied }),
    enforce: () => Promise.resolve(),
    serialize: createSerializer(),
    attempt: draftAnswer,
    ...others,
  });
