// Looks for secrets where they do not belong. While all tests run, they leave in one folder what must be found nowhere
// (`*.secrets`: a line each, `kind<TAB>value`) and what was written where somebody reads it (`*.said`: logs, traces, and answers
// that bear one; `*.stored`: what the platform's own tables hold; `*.dumped`: backups). See test/kept.ts.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The variable that names the folder. */
export const keepIn = "NINEFOLD_KEEP_IN";

/** Of each kind there has to be one, so that nothing is looked for that nobody planted. */
export const kinds = ["password", "session", "token", "environment", "value", "file"];

/** History keeps what people wrote into records, and a backup their files too; neither holds a way in. */
const belongs = {
  ".said": () => false,
  ".stored": (kind) => kind === "value",
  ".dumped": (kind) => kind === "value" || kind === "file",
};

/** What is drawn is 43 characters of 64, and is looked up word by word. */
const DRAWN = /^[\w-]{43}$/;

/** Each secret that stands in a text, by its kind. */
export const secretsIn = (text, secrets) => {
  const found = new Map();
  const long = [];
  const drawn = new Map();
  for (const [value, kind] of secrets) {
    if (DRAWN.test(value)) drawn.set(value, kind);
    else long.push([value, kind]);
  }
  for (const [word] of text.matchAll(/(?<![\w-])[\w-]{43,}/g))
    for (let at = 0; at + 43 <= word.length; at++) {
      const kind = drawn.get(word.slice(at, at + 43));
      if (kind !== undefined) found.set(word.slice(at, at + 43), kind);
    }
  for (const [value, kind] of long) if (text.includes(value)) found.set(value, kind);
  return found;
};

/**
 * What is wrong with a folder, a line each: secrets that stand where they do not belong, kinds that nobody planted, and a kind
 * of place in which nothing was kept. The search proves itself: in each place it is to find a word that is put there for it.
 */
export const searched = (folder) => {
  const files = readdirSync(folder);
  const read = (end) =>
    files.filter((name) => name.endsWith(end)).map((name) => [name, readFileSync(join(folder, name), "utf8")]);
  const secrets = new Map();
  for (const [, text] of read(".secrets"))
    for (const line of text.split("\n")) {
      const [kind, value] = line.split("\t");
      if (value) secrets.set(JSON.parse(value), kind);
    }
  const planted = Object.fromEntries(
    kinds.map((kind) => [kind, [...secrets.values()].filter((one) => one === kind).length]),
  );
  const wrong = kinds.filter((kind) => planted[kind] === 0).map((kind) => `no ${kind} was planted`);
  const samples = new Map(kinds.flatMap((kind) => [...secrets].filter(([, is]) => is === kind).slice(0, 1)));
  let size = 0;
  for (const end of Object.keys(belongs)) {
    const texts = read(end);
    if (texts.length === 0) wrong.push(`nothing was kept as *${end}`);
    for (const [name, text] of texts) {
      size += text.length;
      // Whatever is looked for would be found in this very text.
      const found = secretsIn([text, ...samples.keys(), text.slice(0, 100)].join(" "), secrets);
      for (const [value, kind] of samples) if (!found.has(value)) wrong.push(`a ${kind} would not be found in ${name}`);
      for (const [value, kind] of found) {
        if (belongs[end](kind)) continue;
        const at = text.indexOf(value);
        // It stands in the samples alone, perhaps as a part of one.
        if (at < 0) continue;
        wrong.push(
          `a ${kind} in ${name}: ${text
            .slice(Math.max(0, at - 200), at + 40)
            .split("\n")
            .at(-1)}`,
        );
      }
    }
  }
  return { planted, size, wrong };
};
