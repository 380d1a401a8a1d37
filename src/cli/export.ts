import { parseArgs } from "node:util";
import { pointNumbers } from "../core/document/read.ts";
import { schemaOf } from "../core/document/schema.ts";
import { pointShapes } from "../core/sections/syntax.ts";
import { CommandFailed, exits } from "./exits.ts";

export const usage = "ninefold export schema [--point N]";

/** Writes what others read. `schema`: what the blocks of a point, or of any point, may say, as a JSON Schema 2020-12. */
export const exportCommand = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { point: { type: "string" } },
  });
  const [what, ...more] = positionals;
  if (what !== "schema" || more.length > 0) throw new CommandFailed(exits.usage, "Say what to export: schema.", usage);
  process.stdout.write(`${JSON.stringify(schemaFor(values.point), undefined, 2)}\n`);
  return exits.done;
};

const schemaFor = (said: string | undefined) => {
  if (said === undefined)
    return schemaOf(
      "Ninefold, a block of any point",
      pointNumbers.map((point) => pointShapes[point]),
    );
  const point = pointNumbers.find((number) => String(number) === said);
  if (point === undefined) throw new CommandFailed(exits.usage, `There is no point ${said}.`, "Points are 1 to 9.");
  return schemaOf(`Ninefold, point ${point}`, [pointShapes[point]]);
};
