import { format } from "../../src/core/format.ts";

/** Small edits of a document, by kind. Each result is a whole text; results that do not compile are skipped. */
export type Mutation = (text: string) => readonly string[];

interface Line {
  readonly at: number;
  readonly text: string;
}

/** The lines of the blocks of a point. */
const linesOf = (text: string, point: number): readonly Line[] => {
  const lines: Line[] = [];
  let [at, here, inBlock] = [0, false, false];
  for (const line of text.split("\n")) {
    const heading = /^## (\d)\./u.exec(line);
    if (heading !== null) here = heading[1] === String(point);
    if (line.startsWith("```")) inBlock = !inBlock;
    else if (here && inBlock) lines.push({ at, text: line });
    at += line.length + 1;
  }
  return lines;
};

const replaceLine = (text: string, { at, text: old }: Line, now: string | null): string =>
  text.slice(0, at) + (now === null ? "" : now) + text.slice(at + old.length + (now === null ? 1 : 0));

/** Replaces each match in the lines of a point, one at a time. */
const eachMatch =
  (point: number, pattern: RegExp, by: (match: RegExpExecArray) => string | null): Mutation =>
  (text) =>
    linesOf(text, point).flatMap((line) =>
      [...line.text.matchAll(pattern)].flatMap((match) => {
        const now = by(match);
        return now === null
          ? []
          : [
              replaceLine(
                text,
                line,
                line.text.slice(0, match.index) + now + line.text.slice(match.index + match[0].length),
              ),
            ];
      }),
    );

const eachLine =
  (point: number, pattern: RegExp): Mutation =>
  (text) =>
    linesOf(text, point).flatMap((line) => (pattern.test(line.text) ? [replaceLine(text, line, null)] : []));

/** The elements of `a, { b, c }, d`. */
const elementsOf = (list: string): readonly string[] => {
  const found: string[] = [];
  let [depth, from, inText] = [0, 0, false];
  for (const [i, character] of [...list].entries()) {
    if (character === '"') inText = !inText;
    if (inText) continue;
    if ("[{".includes(character)) depth++;
    if ("]}".includes(character)) depth--;
    if (character === "," && depth === 0) {
      found.push(list.slice(from, i).trim());
      from = i + 1;
    }
  }
  return [...found, list.slice(from).trim()];
};

const dropElement =
  (point: number, pattern: RegExp): Mutation =>
  (text) =>
    linesOf(text, point).flatMap((line) => {
      const [, before = "", list = "", after = ""] = pattern.exec(line.text) ?? [];
      if (list === "") return [];
      const elements = elementsOf(list);
      return elements.map((_, i) =>
        replaceLine(text, line, `${before}${elements.filter((_, at) => at !== i).join(", ")}${after}`),
      );
    });

/** The payloads of calls to other programs. */
const sendsOf = (text: string): string => [...text.matchAll(/sends?: [^\n]*(?:\n {8,}[^\n]*)*/gu)].join("\n");

/** Renames a word in all blocks; `was` is added where it is declared. */
const rename =
  (point: number, declaration: RegExp): Mutation =>
  (text) =>
    linesOf(text, point).flatMap((line) => {
      const [, indent = "", name = "", rest = ""] = declaration.exec(line.text) ?? [];
      // Names in payloads are meant for other programs, so they are not renamed.
      if (name === "" || linesOf(text, 7).some((line) => line.text.includes(name)) || sendsOf(text).includes(name))
        return [];
      const now = /^[A-Z]/u.test(name) ? `${name}X` : `${name}_x`;
      const inner = rest.startsWith("{")
        ? `{ was: ${name}, ${rest.slice(1).trim()}`
        : `{ type: ${rest}, was: ${name} }`;
      const mark = `\u0001${line.at}\u0001`;
      const marked = replaceLine(text, line, mark);
      const renamed = marked
        .split("```")
        .map((part, i) => (i % 2 === 1 ? part.replace(new RegExp(`(?<!\\w)${name}(?!\\w)`, "gu"), now) : part))
        .join("```");
      return [renamed.replace(mark, `${indent}${now}: ${inner}`)];
    });

const swap =
  (point: number, pattern: RegExp): Mutation =>
  (text) => {
    const lines = linesOf(text, point);
    return lines.flatMap((line, i) => {
      const next = lines[i + 1];
      if (next === undefined || next.at !== line.at + line.text.length + 1) return [];
      if (!pattern.test(line.text) || !pattern.test(next.text)) return [];
      const indent = (line: Line) => /^ */u.exec(line.text)?.[0].length;
      if (indent(line) !== indent(next)) return [];
      return [replaceLine(replaceLine(text, next, line.text), line, next.text)];
    });
  };

/** Swaps neighbouring effects of one action, each with its further lines. */
const swapEffects: Mutation = (text) => {
  const effect = / {6}- (?:\{ )?(?:notify|call|create|update|delete): .*\n(?: {8,}.*\n)*/u.source;
  return [...text.matchAll(new RegExp(`^(${effect})(${effect})`, "gmu"))].map(
    ({ index, 0: both, 1: one = "", 2: other = "" }) =>
      text.slice(0, index) + other + one + text.slice(index + both.length),
  );
};

/** Moves the first element of a list to its end. */
const rotate =
  (point: number, pattern: RegExp): Mutation =>
  (text) =>
    linesOf(text, point).flatMap((line) => {
      const [, before = "", list = "", after = ""] = pattern.exec(line.text) ?? [];
      const [first = "", ...others] = elementsOf(list);
      return others.length === 0 ? [] : [replaceLine(text, line, `${before}${[...others, first].join(", ")}${after}`)];
    });

/** The constants of point 9 that are one number or duration. */
const constantsIn = (text: string): readonly (readonly [name: string, value: string])[] =>
  linesOf(text, 9).flatMap((line) => {
    const [, name = "", value = ""] = /^([a-z_]+): +(\d+(?: [a-z]+)?) *(?:#.*)?$/u.exec(line.text) ?? [];
    return name === "" || name.startsWith("page_size") ? [] : [[name, value] as const];
  });

export const mutations = {
  "a grant is dropped": dropElement(6, /^( +(?:read|create|update|delete): +\[)(.+)(\] *)$/u),
  "a condition of a grant is dropped": eachMatch(6, /, when: (?:"[^"]*"|[a-z_ =&.]+)(?= \}|,)/gu, () => ""),
  "a guard is dropped": eachMatch(4, /(?<=[{ ]from: .*), when: "[^"]*"/gu, () => ""),
  "a condition of an effect is dropped": eachMatch(
    4,
    /(?<=\{ (?:notify|call|make|create|put|update|delete): .*), when: "[^"]*"/gu,
    () => "",
  ),
  "a transition is dropped": eachLine(4, /^ {4}[a-z_]+: +\{ from: .*\}$/u),
  "a rule is dropped": eachLine(5, /^ +- \{ rule: .*\}$/u),
  "a rule is tightened": eachMatch(5, /(?<=rule: "[^"]*)(>=|<=)/gu, ([sign]) => sign.charAt(0)),
  "a rule before a transition is dropped": eachMatch(5, /^ +- \{ rule: .*, before: .*\}$/gu, () => ""),
  "a rule before a transition is tightened": eachMatch(
    5,
    /(?<=rule: ")[^"]+(?=", before)/gu,
    ([rule]) => `(${rule}) && count > 3`,
  ),
  "a rule before a transition gets another error": eachMatch(5, /(?<=before: .*else: )[A-Z_]+/gu, () => "FEWER"),
  "a rule before a transition becomes a guard": (text) => {
    const dropped = text.replace(/^ +- \{ rule: "(count <= 12)", before: pay.*\n/mu, "");
    return [dropped.replace('when: "count > 1"', 'when: "count > 1 && count <= 12"')];
  },
  "a comparison with the former value is tightened": eachMatch(5, />=(?= old)/gu, () => ">"),
  "a value is kept for good": eachMatch(3, /kept: \{ until: [^}]+\}/gu, () => "kept: for good"),
  "a value is kept until something else": eachMatch(3, /kept: for good/gu, () => "kept: { until: product }"),
  "a value is no longer kept": eachMatch(3, /kept: (?:for good|\{ until: [^}]+\}), /gu, () => ""),
  "a unit or a help text is dropped": eachMatch(3, /, (?:unit: \w+|help: "[^"]+")/gu, () => ""),
  "a formula is changed": eachMatch(3, /computed: [a-z]+ \* [a-z]+/gu, ([formula]) => `${formula} * 2`),
  "a constant is raised": eachMatch(9, /(?<=^[a-z_]+: +)\d+/gu, ([number]) => String(Number(number) + 1)),
  "a field becomes optional": eachMatch(
    3,
    /(?<=^ {4}[a-z_]+: +(?:\{ type: )?)(text|long text|integer|date|datetime|decimal|choice|duration)(?=,| *$| *\}| +#)/gu,
    ([type]) => `${type}?`,
  ),
  "a field becomes required": eachMatch(3, /(?<=^ {4}[a-z_]+: +(?:\{ type: )?[A-Za-z ]+)\?/gu, () => ""),
  "a maximum is lowered": eachMatch(3, /(?<=[ {]max: )\d+/gu, ([number]) =>
    Number(number) > 60 ? String(Number(number) - 1) : null,
  ),
  "a default is dropped": eachMatch(3, /, default: [^,}]+(?=,| \})/gu, () => ""),
  "a choice gets another value": eachMatch(3, /(?<=type: choice\??, values: \[)/gu, () => "another_value, "),
  "a column is dropped": dropElement(2, /^( +columns: +\[)(.+)(\] *)$/u),
  "an error is reworded": eachMatch(8, /(?<=message: ")/gu, () => "Please note: "),
  "an error gets another status": eachMatch(8, /(?<=status: )4\d\d/gu, ([status]) =>
    status === "418" ? "409" : "418",
  ),
  "a field is renamed": rename(3, /^( {4})([a-z]+_[a-z_]+): +((?:\{ type: |[A-Za-z]).*?)(?: +#.*)?$/u),
  "a record of the document is renamed": rename(3, /^( {4})([a-z]+(?:_[a-z]+)?): +(\{ name: .*\})$/u),
  "a transition is renamed": rename(4, /^( {4})([a-z]+_[a-z_]+): +(\{ from: .*\})$/u),
  // A title such as “Request leave” is prose.
  "an entity is renamed": (text) => {
    const names = linesOf(text, 3).flatMap(({ text: line }) => /^([A-Z][A-Za-z]+):$/u.exec(line)?.[1] ?? []);
    return names.flatMap((name) => {
      if (name === "User") return [];
      const renamed = text
        .split("```")
        .map((part, i) =>
          i % 2 === 1 ? part.replace(new RegExp(`(?<!\\w)${name}(?!\\w| [a-z])`, "gu"), `${name}X`) : part,
        )
        .join("```");
      return [renamed.replace(`\n${name}X:\n  label`, `\n${name}X:\n  was: ${name}\n  label`)];
    });
  },
  "fields are swapped": swap(3, /^ {4}[a-z_]+: .+[^:]$/u),
  "transitions are swapped": swap(4, /^ {4}[a-z_]+: +\{ from/u),
  "permissions are swapped": swap(6, /^ {4}(?:read|create|update|delete): /u),
  "errors are swapped": swap(8, /^[A-Z_]+: +\{.*\}$/u),
  "constants are swapped": swap(9, /^[a-z_]+: \S/u),
  // Screens.
  "columns are in another order": rotate(2, /^( +columns: +\[)(.+)(\] *)$/u),
  "a list is sorted by another field": rotate(2, /^( +sort: +\[)(.+, .+)(\] *)$/u),
  "a list is sorted the other way": eachMatch(2, /(?<=sort: +\[)(-?)(?=[a-z])/gu, ([sign]) => (sign === "" ? "-" : "")),
  "layouts are in another order": rotate(2, /^( +layouts: +\[)(.+)(\] *)$/u),
  "a filter is dropped": dropElement(2, /^( +filters: +\[)(.+)(\] *)$/u),
  "a tile is dropped": eachLine(2, /^ +- \{ title: .*\}$/u),
  "a tile counts fewer records": eachMatch(2, /(?<=(?:count|figure|from): .*where: ")(?=[^"]+")/gu, () => "false && "),
  "a screen has another title": eachMatch(2, /(?<=^ {2}title: )\w+/gu, ([title]) => `${title} too`),
  "choices are in another order": rotate(3, /^(.*type: choice\??, values: +\[)([^\]]+)(\].*)$/u),
  "states are in another order": swap(4, /^ {4}- [a-z_]+(?:: .*)?$/u),
  "a letter says something else": eachMatch(2, /(?<=^ {4}- ")(?=[A-Z])/gu, () => "Please note. "),
  "a letter is for fewer records": (text) => [text.replace(/(letter: Order\n {2}where: ")/u, "$1count > 2 && ")],
  "a list is sent at another time": eachMatch(2, /(?<=every: \w+ )\d\d:\d\d/gu, () => "05:15"),
  "a list is sent to fewer people": dropElement(2, /^( +send: .*to: \[)(.+)(\].*)$/u),
  "a list is no longer sent": eachLine(2, /^ +send: /u),
  // Transitions and effects.
  "a transition is for fewer people": dropElement(4, /^( {4}[a-z_]+: +\{.*by: \[)([^\]]+)(\].*)$/u),
  "a transition asks for less": eachMatch(4, /, asks: (?:\[[^\]]+\]|[a-z_]+\??)/gu, () => ""),
  "a transition has another title": eachMatch(4, /(?<=^ {4}[a-z_]+: +\{ title: )\w+/gu, ([title]) => `${title} now`),
  "a transition is the main action": eachMatch(4, /(?<=^ {4}[a-z_]+: +\{)(?= from: )/gu, () => " main: true,"),
  "a transition shows other values": eachMatch(4, /(?<=^ {4}[a-z_]+: +\{)(?= from: )/gu, () => " shows: none,"),
  "an automatic transition is later": eachMatch(4, /(?<=timeout: )(\d+)(?= \w)/gu, ([count]) =>
    String(Number(count) + 1),
  ),
  "a state has no deadline": eachMatch(4, /, deadline: [a-z_]+|\bdeadline: [a-z_]+,? ?/gu, () => ""),
  "a state has another tone": eachMatch(4, /(?<=tone: )(?:good|bad|warning|neutral)/gu, ([tone]) =>
    tone === "good" ? "bad" : "good",
  ),
  "a notification says something else": eachMatch(4, /(?<=notify: .*text: ")(?=\w)/gu, () => "Please note. "),
  "effects are swapped": swapEffects,
  "a chat is told something else": eachMatch(4, /(?<=call: .*text: ")(?=\w|\{)/gu, () => "Please note. "),
  "an email brings no letter": eachLine(4, /^ +attach: [a-z_]+$/u),
  // Fields.
  // The program draws the numbers of a sequence, so they are unique in any case.
  "a value need not be unique": eachMatch(3, /(?<=type: (?!sequence)[^,]+), unique: true/gu, () => ""),
  "a minimum is raised": eachMatch(3, /(?<=[ {]min: )\d+/gu, ([number]) => String(Number(number) + 1)),
  "a reference can name more": eachMatch(3, /, among: "[^"]+"/gu, () => ""),
  "a field has another title": eachMatch(
    3,
    /(?<=^ {4}[a-z_]+: +\{ type: [^{}]*, title: )\w+/gu,
    ([title]) => `${title} now`,
  ),
  "a record has another label": eachMatch(3, /(?<=^ {2}label: ")(?=\{)/gu, () => "No. "),
  // Calls.
  "a call takes less": dropElement(7, /^( +takes: +\{)(.+)(\} *)$/u),
  "a channel says what others can read": eachMatch(7, /, readers: [a-z_]+/gu, () => ""),
  "a value of a constant is dropped": dropElement(9, /^([a-z_]+: +\[)(.+, .+)(\] *)$/u),
  // A constant and its value mean the same.
  "a bound is written without its constant": (text) =>
    constantsIn(text).flatMap(([name, value]) =>
      eachMatch(3, new RegExp(`(?<=m(?:in|ax): )${name}(?![a-z_])`, "gu"), () => value)(text),
    ),
  "a deadline is written without its constant": (text) =>
    constantsIn(text).flatMap(([name, value]) =>
      eachMatch(4, new RegExp(`(?<=timeout: )${name}(?![a-z_])`, "gu"), () => value)(text),
    ),
  "spaces are added": (text) => [1, 2, 3].map((by) => text.replace(/(?<=^ {4}[a-z_]+:) (?=\{)/gmu, " ".repeat(by + 1))),
  "comments are added": (text) =>
    [2, 3, 4, 6].map((point) =>
      linesOf(text, point).reduceRight(
        (before, line) => (/\}$/u.test(line.text) ? replaceLine(before, line, `${line.text}  # said before`) : before),
        text,
      ),
    ),
  "the document is formatted": (text) => {
    const wide = text.replace(/(?<=^ {4}[a-z_]+:) (?=\{)/gmu, "    ");
    return [text, wide].flatMap((item) =>
      format([{ file: "a.md", text: item }]).sources.map((formatted) => formatted.text),
    );
  },
} satisfies Record<string, Mutation>;

export type MutationName = keyof typeof mutations;
