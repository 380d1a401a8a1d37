import { parseArgs } from "node:util";
import { compile } from "../core/compile.ts";
import { allRoles, buildOpenapi } from "../core/derive/openapi/openapi.ts";
import { pointNumbers } from "../core/document/read.ts";
import { toJsonSchema } from "../core/document/schema.ts";
import { pointShapes } from "../core/sections/syntax.ts";
import { readSources } from "./document-file.ts";
import { CommandFailed, exits } from "./exit-codes.ts";
import { program } from "./program.ts";
import { usage } from "./usage.ts";

/**
 * Writes a machine-readable description. `schema`: the syntax of the blocks of one or all points, as JSON Schema
 * 2020-12. `openapi`: every call that a document serves, as OpenAPI 3.1, for a person who holds every role.
 */
export const exportCommand = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { point: { type: "string" } },
  });
  const [what, file, ...more] = positionals;
  const isKnown = what === "schema" ? file === undefined : what === "openapi" && values.point === undefined;
  if (!isKnown || more.length > 0)
    throw new CommandFailed(exits.usage, "Name what to export: schema, or openapi and a specification.", usage.export);
  if (what === "openapi" && file === undefined)
    throw new CommandFailed(exits.usage, "Name the specification.", usage.export);
  const written = file === undefined ? getSchema(values.point) : await openapiFor(file);
  process.stdout.write(`${JSON.stringify(written, undefined, 2)}\n`);
  return exits.done;
};

const getSchema = (pointText: string | undefined) => {
  if (pointText === undefined)
    return toJsonSchema(
      "Ninefold, a block of any point",
      pointNumbers.map((point) => pointShapes[point]),
    );
  const point = pointNumbers.find((number) => String(number) === pointText);
  if (point === undefined)
    throw new CommandFailed(exits.usage, `There is no point ${pointText}.`, "Points are numbered from 1 to 9.");
  return toJsonSchema(`Ninefold, point ${point}`, [pointShapes[point]]);
};

const openapiFor = async (file: string) => {
  const { model } = compile(await readSources(file));
  if (model === undefined)
    throw new CommandFailed(
      exits.badDocument,
      `${file} has errors, so it has no API.`,
      `Run “${program} check ${file}” to see them.`,
    );
  return buildOpenapi(model, allRoles(model), { version: 0, cookie: "session" });
};
