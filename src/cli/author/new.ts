import { access, copyFile, writeFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import { parseArgs } from "node:util";
import { writeEmptyDocument } from "../../core/draft/empty-document.ts";
import { toWords } from "../../core/draft/names.ts";
import { draft } from "../draft/draft.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { program } from "../program.ts";
import { run } from "../run/run.ts";
import { toStoryPath } from "../run/story-file.ts";
import { usage } from "../usage.ts";
import { examples, toExamplePath } from "./example-files.ts";

const listExamples = (): string =>
  Object.entries(examples)
    .map(([name, about]) => `  ${name.padEnd(11)} ${about}\n`)
    .join("");

const steps = (path: string): string => `${path} has nine points, and decides nothing yet.

To go on in the browser, run it (${program} run ${path}, or add --run to this command), sign in as the administrator, and choose “Start”: begin with a spreadsheet, with
five steps, or with an example.

To write it in an editor, go on in this order; it runs after each step:

1. Point 3: replace the sentence with the first thing that you store.

   \`\`\`yaml
   Thing:
     fields:
       name: { type: text, max: 80, examples: [Drill, Projector] }
   \`\`\`

2. Run it: ${program} run ${path}. You get a list and forms, with sample records.
3. Point 6: say who works with it: roles, and what each can read and write.
4. Point 4: say what happens to it: states and transitions.
5. Point 5: add rules, and in point 8 the message that people read when a rule refuses their input.

“${program} check ${path}” lists what is open. The tutorial has a whole application: docs/tutorial.md.
`;

const refuseExisting = async (path: string): Promise<void> => {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (exists)
    throw new CommandFailed(
      exits.usage,
      `The file ${path} already exists.`,
      "Choose another name. Nothing is overwritten.",
    );
};

/** Begins a specification: with an example, from files or a database, or from nothing. */
export const createNew = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      example: { type: "string" },
      from: { type: "string", multiple: true, default: [] },
      run: { type: "boolean", default: false },
      port: { type: "string" },
    },
  });
  const [given, ...more] = positionals;
  if (given === undefined) {
    process.stdout.write(
      `Begin with an example:\n${listExamples()}\n  ${program} new my.md --example lending --run\n\nBegin with what you have (spreadsheets, an OpenAPI description, postgres://…):\n\n  ${program} new my.md --from things.xlsx --run\n\nBegin with nothing, and decide the rest in the browser:\n\n  ${program} new my.md --run\n\nWithout --run, the command only writes the file.\n`,
    );
    return exits.done;
  }
  if (more.length > 0) throw new CommandFailed(exits.usage, "Name one file.", usage.new);
  if (values.example !== undefined && values.from.length > 0)
    throw new CommandFailed(exits.usage, "Use either --example or --from.", usage.new);
  const path = extname(given) === "" ? `${given}.md` : given;
  if (extname(path) !== ".md")
    throw new CommandFailed(exits.usage, `${path} isn’t a Markdown file.`, "Name a file that ends in .md.");
  await refuseExisting(path);
  const words = toWords(basename(path, ".md")).join(" ");
  const title = words === "" ? "New application" : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  if (values.port !== undefined && !values.run) throw new CommandFailed(exits.usage, "--port needs --run.", usage.new);
  const runArguments = [path, ...(values.port === undefined ? [] : ["--port", values.port])];
  if (values.from.length > 0) {
    const exit = await draft([...values.from, "--name", title, "--out", path]);
    return values.run && exit === exits.done ? run(runArguments) : exit;
  }
  if (values.example !== undefined) {
    const { example } = values;
    if (!Object.hasOwn(examples, example))
      throw new CommandFailed(exits.usage, `There is no example ${example}.`, `Choose one of:\n${listExamples()}`);
    const story = toStoryPath(path);
    await refuseExisting(story);
    await copyFile(toExamplePath(example), path);
    await copyFile(toStoryPath(toExamplePath(example)), story);
    const about = `${path} is a copy of the example “${example}”, and ${story} its sample data.`;
    process.stderr.write(values.run ? `${about}\n` : `${about} Run it: ${program} run ${path}\n`);
    return values.run ? run(runArguments) : exits.done;
  }
  await writeFile(path, writeEmptyDocument(title), { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(exits.usage, `Can’t write ${path} (${error.code ?? error.message}).`, undefined, error);
  });
  if (values.run) {
    process.stderr.write(
      `${path} decides nothing yet. Open the link for the administrator: begin with a spreadsheet, with five steps, or with an example.\n`,
    );
    return run(runArguments);
  }
  process.stderr.write(steps(path));
  return exits.done;
};
