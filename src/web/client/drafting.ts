import type { Compiled } from "../../core/compile.ts";
import type { DocumentJson, SourceJson } from "../../core/wire.ts";
import type { Shelf } from "./drafts.ts";
import { createStore, type Store } from "./store.ts";

/** The compiler, which is loaded when somebody opens the workbench. */
export type Compile = (files: readonly SourceJson[]) => Compiled;

/** A document in the hands of its author: what is in force, what is being written, and what the compiler says of that. */
export interface Drafted {
  readonly inForce: DocumentJson;
  readonly files: readonly SourceJson[];
  readonly compiled: Compiled;
  readonly changed: boolean;
}

export interface Drafting {
  readonly store: Store<Drafted>;
  change(file: string, text: string): void;
  /** Back to what is in force. */
  drop(): void;
}

const KEY = "ninefold draft of the document";

interface Kept {
  readonly base: string;
  readonly files: readonly SourceJson[];
}

const keptOn = (shelf: () => Shelf): Kept | null => {
  try {
    const kept: unknown = JSON.parse(shelf().getItem(KEY) ?? "null");
    return typeof kept === "object" && kept !== null && "base" in kept && "files" in kept ? (kept as Kept) : null;
  } catch {
    return null;
  }
};

const keepOn = (shelf: () => Shelf, kept: Kept | null): void => {
  try {
    if (kept === null) shelf().removeItem(KEY);
    else shelf().setItem(KEY, JSON.stringify(kept));
  } catch {
    // A shelf that is full or closed keeps nothing; the draft lives as long as the page.
  }
};

const same = (a: readonly SourceJson[], b: readonly SourceJson[]): boolean =>
  a.length === b.length && a.every(({ file, text }, i) => file === b[i]?.file && text === b[i]?.text);

/** Typing is not waited for: the compiler reads once it pauses. */
const PAUSE = 200;

/**
 * Begins with the draft that was kept on this device, if it was made from the text that is in force; otherwise with that
 * text. A draft of an older text is left where it is until another takes its place.
 */
export const createDrafting = (inForce: DocumentJson, compile: Compile, shelf: () => Shelf): Drafting => {
  const kept = keptOn(shelf);
  const stateOf = (files: readonly SourceJson[], compiled?: Compiled): Drafted => ({
    inForce,
    files,
    compiled: compiled ?? compile(files),
    changed: !same(files, inForce.files),
  });
  const store = createStore(stateOf(kept?.base === inForce.hash ? kept.files : inForce.files));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const put = (files: readonly SourceJson[]): void => {
    // What is written stands there at once; what the compiler says of it follows.
    store.set(stateOf(files, store.get().compiled));
    keepOn(shelf, same(files, inForce.files) ? null : { base: inForce.hash, files });
    clearTimeout(timer);
    timer = setTimeout(() => store.set(stateOf(store.get().files)), PAUSE);
  };
  return {
    store,
    change: (file, text) => put(store.get().files.map((one) => (one.file === file ? { file, text } : one))),
    drop: () => put(inForce.files),
  };
};

/** How many lines of a draft are other than those in force: added, taken out or changed. */
export const linesChanged = ({ inForce, files }: Pick<Drafted, "inForce" | "files">): number =>
  files.reduce((sum, { text }, i) => sum + changedBetween(inForce.files[i]?.text ?? "", text), 0);

const changedBetween = (before: string, after: string): number => {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let from = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from++;
  let [endA, endB] = [a.length, b.length];
  while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  return Math.max(endA - from, endB - from);
};

/** What an author may begin a point with: the smallest block that says something. */
const beginnings: { readonly [point: number]: string } = {
  1: "ninefold: 1\nname: My application",
  2: "/things:\n  list: Thing\n  columns: [name]",
  3: "Thing:\n  fields:\n    name: { type: text, max: 200 }\n    note: long text?",
  4: "Thing:\n  field: status\n  initial: open\n  final: [done]\n  states: [open, done]\n  transitions:\n    finish: { from: open, to: done, by: keeper }",
  5: 'Thing:\n  - { rule: "size(name) > 2", else: NAME_TOO_SHORT }',
  6: "roles:\n  staff:  { members: signed in }\n  keeper: { members: granted }\npermissions:\n  Thing:\n    read:   [staff]\n    create: [keeper]\n    update: [keeper]\n    delete: [keeper]",
  7: "conventional: all",
  8: 'NAME_TOO_SHORT: { status: 422, message: "The name “{name}” is too short.", at: name }',
  9: "page_size: 50",
};

/** A place in the text of a file. */
export interface Selection {
  readonly from: number;
  readonly to: number;
  /** It is shown, and focus stays where it is. */
  readonly quiet?: true;
}

/**
 * Says by whom a transition is made: `by` behind what its clause says already, whose key stands at a place. Undefined
 * where the text there is not what a transition looks like.
 */
export const answerTransition = (text: string, key: number, role: string): string | undefined => {
  const rest = text.slice(key);
  const inBraces = /^[^\n:]*:[ \t]*\{[^{}\n]*(?:\{[^{}\n]*\}[^{}\n]*)*/u.exec(rest)?.[0].trimEnd();
  if (inBraces !== undefined && rest.slice(inBraces.length).trimStart().startsWith("}"))
    return `${text.slice(0, key)}${inBraces}${inBraces.endsWith("{") ? " " : ", "}by: ${role} ${rest.slice(inBraces.length).trimStart()}`;
  const block = /^[^\n:]*:[ \t]*(?:#[^\n]*)?\n(?<indent>[ ]+)\S/u.exec(rest);
  const indent = block?.groups?.indent;
  if (block === null || indent === undefined) return undefined;
  const at = key + rest.indexOf("\n") + 1;
  return `${text.slice(0, at)}${indent}by: ${role}\n${text.slice(at)}`;
};

/**
 * Answers an open point: its sentences that say that something is not shown give way to a block to begin with. Gives the
 * new text and where the block stands in it.
 */
export const answerPoint = (
  text: string,
  point: number,
  heading: number,
  open: readonly Selection[],
): { readonly text: string; readonly selection: Selection } => {
  let rest = text;
  for (const { from, to } of [...open].sort((a, b) => b.from - a.from)) {
    const after = rest.slice(to).replace(/^ +/u, "");
    rest = rest.slice(0, from) + after;
  }
  const next = rest.slice(heading).search(/\n## /u);
  const end = next < 0 ? rest.length : heading + next + 1;
  const before = rest.slice(0, end).trimEnd();
  const block = beginnings[point] ?? "";
  const opening = `${before}\n\n\`\`\`yaml\n`;
  const after = rest.slice(end).replace(/^\n+/u, "");
  return {
    text: `${opening}${block}\n\`\`\`\n${after === "" ? "" : `\n${after}`}`,
    selection: { from: opening.length, to: opening.length + block.length },
  };
};
