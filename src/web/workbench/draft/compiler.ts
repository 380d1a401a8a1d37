import { phrasesFor } from "../../../core/explain/language.ts";
import { phraseCondition } from "../../../core/explain/phrase.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { createFormatter } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import type { Span } from "../../../core/source-text.ts";

/** The compiler, shared with the server, as a separate chunk. */
export { createCompiler } from "../../../core/compile.ts";
export { permissionRulesFor, transitionRulesFor } from "../../../core/derive/authorization/grants.ts";
export { stateIcons } from "../../../core/derive/client/state-icons.ts";
export { renderPage } from "../../../core/document/rendered-page.ts";
export { collectClauses } from "../../../core/model/clauses.ts";

/** Formats conditions of a model as phrases. */
export const phraser = ({
  model,
  locale,
  source,
}: {
  readonly model: Model;
  readonly locale: string;
  readonly source: (span: Span) => string;
}): ((condition: Expr) => string) => {
  const phrasing = {
    model,
    phrases: phrasesFor(locale),
    format: createFormatter(locale, model.timezone),
    who: null,
    source,
  };
  return (condition) => phraseCondition(condition, phrasing);
};
