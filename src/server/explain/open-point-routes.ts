import type { FastifyInstance } from "fastify";
import type { Compiled } from "../../core/compile.ts";
import { isAdministrator } from "../../core/derive/authorization/grants.ts";
import { type DefaultCode, defaults } from "../../core/model/defaults.ts";
import { placesIn, type Span } from "../../core/source-text.ts";
import type { DefaultJson, OpenPointsJson } from "../../core/wire/authoring/open-points.ts";
import { forSignedIn } from "../auth/for-signed-in.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";

const toDefaultJson = (code: DefaultCode): DefaultJson => {
  const { point, silent, inForce } = defaults[code];
  return { code, point, silent, inForce };
};

/** Open points, the defaults in force, and findings. */
const toOpenPointsJson = (compiled: Compiled, version: number, hash: string): OpenPointsJson => {
  const { model, source, sources, open, findings } = compiled;
  const at = placesIn(sources);
  const shownFile = ({ file }: Span): string | null => (sources.length > 1 ? file : null);
  return {
    document: { name: model?.name ?? source.file, file: source.file, hash, version },
    open: open.map((point) => ({
      point: point.point,
      file: shownFile(point.span),
      line: at(point.span).line,
      statement: point.statement,
      default: toDefaultJson(point.default),
    })),
    defaults: (model?.defaults ?? []).map(toDefaultJson),
    findings: findings
      .filter((finding) => finding.severity !== "open")
      .map((finding) => ({
        code: finding.code,
        severity: finding.severity,
        file: shownFile(finding.span),
        line: at(finding.span).line,
        column: at(finding.span).column,
        message: finding.message,
        hint: finding.hint,
        clause: finding.clause ?? null,
      })),
  };
};

export const serveOpenPoints = (
  app: FastifyInstance,
  routeContext: RouteContext,
  compiled: Compiled,
  hash: string,
): void => {
  const {
    service: { version },
    sendRefusal,
  } = routeContext;
  app.get(
    "/_/open-points",
    forSignedIn(routeContext, async (person, _request, reply) => {
      if (!isAdministrator(person)) return sendRefusal(reply, refuse("FORBIDDEN", "ADMINISTRATORS_ONLY"));
      return reply.send(toOpenPointsJson(compiled, version, hash));
    }),
  );
};
