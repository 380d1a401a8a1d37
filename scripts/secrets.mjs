// Searches outputs for secrets. A whole test run leaves these files in one folder (see test/secret-recorder.ts):
// - `*.secrets`: the secrets, one `kind<TAB>value` per line
// - `*.output`: logs, traces, and responses
// - `*.tables`: contents of the platform's tables
// - `*.backups`: backups
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The environment variable with the path of the folder. */
export const recordIn = "NINEFOLD_RECORD_IN";

/** The run must have at least one secret of each kind. Otherwise the search would prove nothing. */
export const kinds = ["password", "session", "token", "environment", "value", "file"];

/** History may contain values of records, and backups also files. Neither may contain credentials. */
const belongs = {
  ".output": () => false,
  ".tables": (kind) => kind === "value",
  ".backups": (kind) => kind === "value" || kind === "file",
};

/** Generated secrets are 43 characters of base64url, and are looked up as words. */
const DRAWN = /^[\w-]{43}$/;

/**
 * The values that a text contains, even where they overlap. One expression that looks for all is twenty times as fast as one
 * search for each.
 */
const valuesIn = (text, values) => {
  const found = new Set();
  if (values.length === 0) return found;
  // At a position, the first alternative matches: the longest. Others that match there begin it.
  const longestFirst = values.toSorted((a, b) => b.length - a.length);
  const any = new RegExp(longestFirst.map((value) => value.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|"), "g");
  for (let match = any.exec(text); match !== null; match = any.exec(text)) {
    if (!found.has(match[0])) for (const value of values) if (match[0].startsWith(value)) found.add(value);
    any.lastIndex = match.index + 1;
  }
  return found;
};

/** The secrets in a text, by kind. */
export const secretsIn = (text, secrets) => {
  const found = new Map();
  const long = new Map();
  const drawn = new Map();
  for (const [value, kind] of secrets) {
    if (DRAWN.test(value)) drawn.set(value, kind);
    else long.set(value, kind);
  }
  for (const [word] of text.matchAll(/(?<![\w-])[\w-]{43,}/g))
    for (let at = 0; at + 43 <= word.length; at++) {
      const kind = drawn.get(word.slice(at, at + 43));
      if (kind !== undefined) found.set(word.slice(at, at + 43), kind);
    }
  for (const value of valuesIn(text, [...long.keys()])) found.set(value, long.get(value));
  return found;
};

/**
 * The problems of a folder, one line each: leaked secrets, kinds without a secret, and kinds of file without contents.
 * The search proves that it works: it must find a word that was planted in each kind of file.
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
    if (texts.length === 0) wrong.push(`nothing was recorded as *${end}`);
    for (const [name, text] of texts) {
      size += text.length;
      // The file of secrets itself would match.
      const found = secretsIn([text, ...samples.keys(), text.slice(0, 100)].join(" "), secrets);
      for (const [value, kind] of samples) if (!found.has(value)) wrong.push(`a ${kind} would not be found in ${name}`);
      for (const [value, kind] of found) {
        if (belongs[end](kind)) continue;
        const at = text.indexOf(value);
        // Only in sample data, perhaps as part of a value.
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
