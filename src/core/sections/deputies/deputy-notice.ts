import type { ReportFinding } from "../../document/shape.ts";
import { titleFor } from "../../i18n/titles.ts";
import { DEPUTY } from "../../model/permissions.ts";
import { buildMapping, buildScalar } from "../linking/build-tree.ts";
import type { DeputiesSyntax } from "../permissions/deputies-syntax.ts";
import { type StatesSyntax, statesShape } from "../states/states-syntax.ts";
import { listNamed } from "./deputy-conditions.ts";

/** Point 4: notifies the deputy when somebody names one, unless the document says what follows. */
export const withNotice = (
  syntax: StatesSyntax | undefined,
  { span }: DeputiesSyntax,
  locale: string,
  report: ReportFinding,
): StatesSyntax | undefined => {
  const places = { person: "{person.name}", first: "{first_day}", last: "{last_day}" };
  const text = Object.entries(places).reduce(
    (sentence, [place, written]) => sentence.replace(`{${place}}`, written),
    titleFor("deputies.notice", locale),
  );
  const notice = buildMapping(span, {
    notify: buildScalar("deputy", span),
    text: buildScalar(text, span),
  });
  const tree = buildMapping(span, { [DEPUTY]: buildMapping(span, { after: buildMapping(span, { create: notice }) }) });
  const entries = syntax === "none" ? [] : listNamed(syntax);
  if (entries.some(({ name }) => name === DEPUTY)) return syntax;
  const own = statesShape.read(tree, report);
  return [...entries, ...listNamed(own === "none" ? undefined : own)];
};
