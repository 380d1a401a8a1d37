import { createEntityNames, toFieldName, toWords } from "./names.ts";

/** The first steps of a document, in order: each writes one block. */
export const firstSteps = ["purpose", "entity", "list", "roles", "states"] as const;
export type FirstStep = (typeof firstSteps)[number];

/** Text with the place of what was written. */
export interface WrittenStep {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

const headings: Readonly<Record<number, string>> = {
  1: "What the product does and for whom",
  2: "Screens and routes",
  3: "Entities and their fields",
  4: "States and transitions",
  6: "Roles and permissions",
  8: "Error catalogue",
};

/** Sentences that leave a point open: “No roles and permissions are shown.” */
const open = /^[^\n`#|]*\b(?:not|no)\b[^\n`#|]*\bshown\.[ \t]*\n?/gimu;

/** The part of a text that belongs to a point; a heading is added in its order if there is none. */
const findSection = (
  text: string,
  point: number,
): { readonly text: string; readonly from: number; readonly to: number } => {
  const heading = new RegExp(`^## ${point}\\.[^\\n]*\\n`, "mu").exec(text);
  if (heading !== null) {
    const from = heading.index + heading[0].length;
    const next = text.slice(from).search(/^## /mu);
    return { text, from, to: next < 0 ? text.length : from + next };
  }
  const later = [...text.matchAll(/^## (\d)\./gmu)].find(([, number]) => Number(number) > point);
  const at = later?.index ?? text.length;
  const line = `## ${point}. ${headings[point] ?? ""}\n`;
  const before = text.slice(0, at).trimEnd();
  const newText = `${before}\n\n${line}${text.slice(at)}`;
  const from = before.length + 2 + line.length;
  return { text: newText, from, to: from };
};

/** Adds a block at the end of a point, in place of the sentences that leave it open. */
export const addBlock = (given: string, point: number, block: string): WrittenStep => {
  const { text, from, to } = findSection(given, point);
  const rest = text.slice(from, to).replaceAll(open, "").trim();
  const before = `${text.slice(0, from)}\n${rest === "" ? "" : `${rest}\n\n`}\`\`\`yaml\n`;
  const after = text.slice(to);
  return {
    text: `${before}${block}\n\`\`\`\n${after === "" ? "" : `\n${after}`}`,
    from: before.length,
    to: before.length + block.length,
  };
};

/** A text as a scalar of a block; quoted unless it is words alone. */
export const toScalar = (text: string): string =>
  /^\p{L}[\p{L}\p{N} ]*$/u.test(text) ? text : `"${text.replaceAll(/["\\]/gu, "’")}"`;

const oneLine = (text: string): string => text.replaceAll(/[\s`#|]+/gu, " ").trim();

/** Names the application, and says what it is for in place of the sentence that leaves it open. */
export const writePurpose = (
  given: string,
  { name, about }: { readonly name: string; readonly about: string },
): WrittenStep => {
  const title = oneLine(name);
  const description = oneLine(about);
  const sentence = /[.!?]$/u.test(description) ? description : `${description}.`;
  const titled = given
    .replace(/^# [^\n]*/mu, () => `# ${title}`)
    .replace(/^name: [^\n]*/mu, () => `name: ${toScalar(title)}`);
  const { text, from, to } = findSection(titled, 1);
  const rest = text.slice(from, to).replaceAll(open, "").trim();
  const before = `${text.slice(0, from)}\n`;
  return {
    text: `${before}${sentence}\n${rest === "" ? "" : `\n${rest}\n`}\n${text.slice(to)}`,
    from: before.length,
    to: before.length + sentence.length,
  };
};

/** A field as an author writes it in a line: `due: date?`; only its name means a text. */
const toField = (line: string, taken: Set<string>): readonly string[] => {
  const [label = "", ...rest] = line.split(":");
  if (label.trim() === "") return [];
  const name = toFieldName(toWords(label), taken);
  taken.add(name);
  const type = rest.join(":").trim();
  return [`    ${name}: ${type === "" ? "{ type: text, max: 120 }" : type}`];
};

/** Adds an entity. Each line of `fields` is a name, or a name with its type. */
export const writeEntity = (
  text: string,
  { name, fields }: { readonly name: string; readonly fields: string },
): WrittenStep & { readonly entity: string } => {
  const entity = createEntityNames()(name);
  const taken = new Set<string>();
  const lines = fields.split("\n").flatMap((line) => toField(line, taken));
  const label = [...taken][0];
  const block = [
    `${entity}:`,
    ...(label === undefined ? [] : [`  label: "{${label}}"`]),
    ...(lines.length === 0 ? [] : ["  fields:"]),
    ...lines,
  ].join("\n");
  return { ...addBlock(text, 3, block), entity };
};

interface ListStep {
  readonly entity: string;
  readonly path: string;
  readonly columns: readonly string[];
}

export const toListBlock = ({ entity, path, columns }: ListStep): string =>
  [`/${path}:`, `  list: ${entity}`, `  columns: [${columns.join(", ")}]`].join("\n");

/** Adds a list of an entity, with a form to create and edit a record. */
export const writeList = (text: string, list: ListStep): WrittenStep => addBlock(text, 2, toListBlock(list));

/** The permissions of entities, all with one role that reads and one that writes. */
export const toPermissions = (reader: string, writer: string, entities: readonly string[]): readonly string[] =>
  entities.flatMap((entity) => [
    `  ${entity}:`,
    `    read: [${reader}]`,
    `    create: [${writer}]`,
    `    update: [${writer}]`,
    `    delete: [${writer}]`,
  ]);

export const toRolesBlock = (reader: string, writer: string, entities: readonly string[]): string =>
  [
    "roles:",
    `  ${reader}: { members: signed in }`,
    `  ${writer}: { members: granted }`,
    "permissions:",
    "  User:",
    `    read: { role: ${reader}, fields: [name] }`,
    ...toPermissions(reader, writer, entities),
  ].join("\n");

/** Adds two roles: everybody who signs in reads, also the names of people, and people with a granted role write. */
export const writeRoles = (
  text: string,
  {
    reader,
    writer,
    entities,
  }: { readonly reader: string; readonly writer: string; readonly entities: readonly string[] },
): WrittenStep => {
  const taken = new Set<string>();
  const first = toFieldName(toWords(reader), taken);
  taken.add(first);
  const second = toFieldName(toWords(writer), taken);
  return addBlock(text, 6, toRolesBlock(first, second, entities));
};

/** The lines of the fields of an entity, each with its name. */
const findFieldLines = (text: string, entity: string): readonly { readonly name: string; readonly line: string }[] => {
  const { from, to } = findSection(text, 3);
  const [, body = ""] = new RegExp(`^${entity}:\\n((?: .*\\n)*)`, "mu").exec(text.slice(from, to)) ?? [];
  return [...body.matchAll(/^ {4}(\w+): .*\n/gmu)].map(([line, name = ""]) => ({ name, line }));
};

/** The title in the line of a field, as it is written: `"How (often)"`. */
const titleInLine = /[{,] title: ("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^"',}][^,}]*?)(?=,| \})/u;

/** The choices of an entity with their values. Each can become the state; records without a value get the first state. */
export const findChoices = (text: string, entity: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    findFieldLines(text, entity).flatMap(({ name, line }) => {
      const [, values] = /\{ type: choice\??, .*?\bvalues: \[([^\]]*)\]/u.exec(line) ?? [];
      if (values === undefined || /\bmany: true\b/u.test(line)) return [];
      return [[name, values.split(",").map((value) => value.trim().replaceAll(/^["']|["']$/gu, ""))] as const];
    }),
  );

/** A name of an action that a button can show, whatever the state is called: `in_repair` → `mark_as_in_repair`. */
const toActionName = (state: string): string => `mark_as_${toWords(state).join("_")}`;

/** Names of actions between states in a row. */
export const suggestActions = (states: string): string =>
  states
    .split(/[,\n]/u)
    .filter((state) => state.trim() !== "")
    .slice(1)
    .map(toActionName)
    .join(", ");

/** Adds a column to the list of an entity, unless it has the column. */
const addColumn = (text: string, entity: string, field: string): string =>
  text.replace(new RegExp(`^  list: ${entity}\\n  columns: \\[([^\\]]*)\\]`, "mu"), (list: string, columns: string) =>
    columns.split(/, */u).includes(field) ? list : `${list.slice(0, -1)}, ${field}]`,
  );

/** States in a row. Without a role, it stays open who makes the transitions. */
export const toStatesBlock = ({
  entity,
  field,
  title,
  states,
  actions,
  role,
}: {
  readonly entity: string;
  readonly field: string;
  /** The label of the field as the document writes it, unless it is the name in words. */
  readonly title?: string | undefined;
  readonly states: readonly string[];
  readonly actions: readonly string[];
  readonly role: string | undefined;
}): string =>
  [
    `${entity}:`,
    `  field: ${title === undefined ? field : `{ ${field}: { title: ${title} } }`}`,
    `  initial: ${states[0] ?? "open"}`,
    `  final: [${states.at(-1) ?? "done"}]`,
    `  states: [${states.join(", ")}]`,
    "  transitions:",
    ...states.slice(0, -1).map((state, at) => {
      const next = states[at + 1] ?? "";
      const action = actions[at] ?? toActionName(next);
      return `    ${action}: { from: ${state}, to: ${next}${role === undefined ? "" : `, by: ${role}`} }`;
    }),
  ].join("\n");

/**
 * Adds states in a row, with an action from each to the next. `field`: a choice that becomes the state, so that each record
 * keeps its value; empty for a new field.
 */
export const writeStates = (
  given: string,
  {
    entity,
    field,
    states,
    actions,
    role,
  }: {
    readonly entity: string;
    readonly field: string;
    readonly states: string;
    readonly actions: string;
    readonly role: string;
  },
): WrittenStep => {
  const lines = findFieldLines(given, entity);
  const former = lines.find(({ name }) => name === field)?.line;
  const text =
    former === undefined
      ? given
      : addColumn(
          given.replace(former, () => ""),
          entity,
          field,
        );
  const name = former === undefined ? toFieldName(["status"], new Set(lines.map((line) => line.name))) : field;
  const [, title] = titleInLine.exec(former ?? "") ?? [];
  const values = findChoices(given, entity).get(field) ?? [];
  const named = (list: string, known: readonly string[]): readonly string[] => {
    const taken = new Set<string>();
    for (const word of list.split(/[,\n]/u)) {
      const plain = toFieldName(toWords(word), taken);
      if (word.trim() !== "") taken.add(known.find((value) => toWords(value).join("_") === plain) ?? plain);
    }
    return [...taken];
  };
  const all = named(states, values);
  const acts = named(actions, []);
  return addBlock(text, 4, toStatesBlock({ entity, field: name, title, states: all, actions: acts, role }));
};
