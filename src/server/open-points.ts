import type { Compiled } from "../core/compile.ts";
import { type DefaultCode, defaults } from "../core/model/defaults.ts";
import { placesIn, type Span } from "../core/text.ts";
import type { DefaultJson, OpenPointsJson } from "../core/wire/authoring.ts";

const defaultOf = (code: DefaultCode): DefaultJson => {
  const { point, silent, inForce } = defaults[code];
  return { code, point, silent, inForce };
};

/** What nobody decided, what holds instead, and what the checker found. For administrators. */
export const openPointsOf = (compiled: Compiled, version: number, hash: string): OpenPointsJson => {
  const { model, source, sources, open, findings } = compiled;
  const at = placesIn(sources);
  const fileOf = ({ file }: Span): string | null => (sources.length > 1 ? file : null);
  return {
    document: { name: model?.name ?? source.file, file: source.file, hash, version },
    open: open.map((point) => ({
      point: point.point,
      file: fileOf(point.span),
      line: at(point.span).line,
      statement: point.statement,
      default: defaultOf(point.default),
    })),
    defaults: (model?.defaults ?? []).map(defaultOf),
    findings: findings
      .filter((finding) => finding.severity !== "open")
      .map((finding) => ({
        code: finding.code,
        severity: finding.severity,
        file: fileOf(finding.span),
        line: at(finding.span).line,
        column: at(finding.span).column,
        message: finding.message,
        hint: finding.hint,
        clause: finding.clause ?? null,
      })),
  };
};
