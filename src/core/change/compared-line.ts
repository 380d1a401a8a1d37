import { witnessRecord } from "../analysis/witness-text.ts";
import type { Expr } from "../expression/expr.ts";
import type { Message } from "../i18n/message.ts";
import type { Clause } from "../model/clause.ts";
import type { Example } from "../satisfiability/assignments.ts";
import type { BehaviourLine, LineWitness } from "./behaviour-line.ts";
import { hasSameMeaning } from "./meaning.ts";

/** The solver's answer: a record with the values of `example` meets all `conditions`. */
export interface Proof {
  readonly example: Example;
  readonly conditions: readonly Expr[];
}

/** A line with its proof, if the solver made one. */
export interface ComparedLine extends Omit<BehaviourLine, "text" | "parts" | "spans"> {
  readonly parts?: readonly Message[];
  readonly proof: Proof | null;
  /** The conditions of the records that the versions treat differently; null if the line is not about records. */
  readonly basis: LineBasis | null;
  /** The spans of the clauses, if known. */
  readonly spans?: NonNullable<BehaviourLine["spans"]>;
  /** True if other clauses share the id of these and have no line of their own. */
  readonly hasSharedId?: boolean;
}

/** The conditions on a record, and the role of the persons concerned. */
export interface LineBasis {
  readonly conditions: readonly Expr[];
  readonly role: string | null;
}

/** The answer to “can these conditions hold where none of those do?”. `example` is null if it could not be decided. */
export type Difference = { readonly example: Example | null; readonly conditions: readonly Expr[] } | undefined;

interface About {
  readonly before: { readonly clause: Clause | null } | undefined;
  readonly after: { readonly clause: Clause | null } | undefined;
}

/** Builds a line that is certain without the solver. */
export const createLine = (
  line: Pick<BehaviourLine, "point" | "subject" | "effect" | "message"> & Partial<ComparedLine>,
  { before, after }: About,
): ComparedLine => ({
  before: before?.clause?.id ?? null,
  after: after?.clause?.id ?? null,
  spans: { before: before?.clause?.span ?? null, after: after?.clause?.span ?? null },
  certainty: "decided",
  witness: null,
  loses: null,
  proof: null,
  basis: null,
  ...line,
});

/** Writes lines of one point that are about one pair of clauses. */
export const writerFor =
  (point: BehaviourLine["point"], pair: About) =>
  (subject: string, effect: ComparedLine["effect"], message: Message, more: Partial<ComparedLine> = {}): ComparedLine =>
    createLine({ point, subject, effect, message, ...more }, pair);

export type WriteLine = ReturnType<typeof writerFor>;

/** Adds the solver's answer to a line. */
export const withDifference = (
  line: ComparedLine,
  { example, conditions }: NonNullable<Difference>,
  role: string | null = null,
): ComparedLine => {
  const basis: LineBasis = { conditions, role };
  if (example === null) return { ...line, certainty: "possible", witness: null, proof: null, basis };
  const witness: LineWitness = { role, record: witnessRecord(example) };
  return { ...line, certainty: "decided", witness, proof: { example, conditions }, basis };
};

/** Members of a part of the model that differ and that no other comparison covers. */
export const findOtherMembers = <T extends object>(
  before: T,
  after: T,
  compared: readonly (keyof T)[],
): readonly string[] => {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const name of [...compared, "clause", "span"]) names.delete(String(name));
  const getMember = (part: T, name: string): unknown => part[name as keyof T];
  return [...names].filter((name) => !hasSameMeaning(getMember(before, name), getMember(after, name)));
};

/** Names in both maps, in the later one only, and in the earlier one only. */
export const pairUp = <V>(
  before: ReadonlyMap<string, V>,
  after: ReadonlyMap<string, V>,
): {
  readonly both: readonly { readonly name: string; readonly before: V; readonly after: V }[];
  readonly added: readonly V[];
  readonly removed: readonly V[];
} => ({
  both: [...after].flatMap(([name, value]) => {
    const old = before.get(name);
    return old === undefined ? [] : [{ name, before: old, after: value }];
  }),
  added: [...after].flatMap(([name, value]) => (before.has(name) ? [] : [value])),
  removed: [...before].flatMap(([name, value]) => (after.has(name) ? [] : [value])),
});

/** Keys whose values differ in meaning, or that only one of the maps has. */
export const findChangedKeys = (
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): readonly string[] =>
  [...new Set([...after.keys(), ...before.keys()])].filter((key) => !hasSameMeaning(before.get(key), after.get(key)));
