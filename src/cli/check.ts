import { parseArgs } from "node:util";
import { compile } from "../core/compile.ts";
import { defaults } from "../core/model/defaults.ts";
import { placesIn } from "../core/text.ts";
import { readSource } from "./document-file.ts";
import { CommandFailed, exits } from "./exits.ts";
import { findingsJson, findingsText } from "./findings-text.ts";

export const usage = "ninefold check FILE [--json]";

/** Says everything that a document has wrong or leaves open. Exit 1 when it has an error. */
export const check = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: "boolean", default: false } },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new CommandFailed(exits.usage, "Name one file.", usage);
  const compiled = compile(await readSource(path));
  const { source, findings, open, model } = compiled;
  if (values.json) process.stdout.write(`${JSON.stringify(findingsJson(compiled), undefined, 2)}\n`);
  else {
    const shown = findings.filter((finding) => finding.severity !== "open");
    if (shown.length > 0)
      process.stdout.write(
        `${findingsText(source, shown, process.stdout.isTTY === true && !process.env.NO_COLOR)}\n\n`,
      );
    const at = placesIn(source);
    for (const point of open)
      process.stdout.write(
        `${source.file}:${at(point.span).line} open, point ${point.point}: ${point.statement || "nothing is said"}\n  ${point.default}: ${defaults[point.default].inForce}\n`,
      );
    const errors = findings.filter((finding) => finding.severity === "error").length;
    const count = (number: number, one: string, many: string) =>
      number === 0 ? `no ${one}` : number === 1 ? `one ${one}` : `${number} ${many}`;
    process.stdout.write(
      `${open.length > 0 ? "\n" : ""}${source.file}: ${count(errors, "error", "errors")}, ${count(shown.length - errors, "other finding", "other findings")}, ${count(open.length, "open point", "open points")}.\n`,
    );
  }
  return model === undefined ? exits.badDocument : exits.done;
};
