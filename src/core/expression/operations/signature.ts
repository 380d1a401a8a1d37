import type { Stem, TypeName } from "./operation-types.ts";
import { type Operation, operationTable } from "./operations.ts";

/** A parsed key of the operation table: `integer + integer` is `+` with two integers. */
export interface Signature {
  readonly operation: Operation;
  /** The name in an expression: `+`, `?`, `year`. */
  readonly name: string;
  readonly form: "operator" | "function";
  readonly parameters: readonly TypeName[];
}

const getSignature = (operation: Operation): Signature => {
  const call = /^(\w+)\((.*)\)$/u.exec(operation);
  const words = (call?.[2] ?? operation).match(/\[?[a-z]+\]?/gu) ?? [];
  // `in` is the only operator that looks like a word of the table; `null` is a type.
  const parameters = words.filter((word) => word !== "in") as TypeName[];
  const [sign = ""] = call ? [call[1]] : (/[^\sa-z[\]]+|\bin\b/u.exec(operation) ?? []);
  return { operation, name: sign, form: call ? "function" : "operator", parameters };
};

export const signatures: readonly Signature[] = (Object.keys(operationTable) as Operation[]).map(getSignature);

/**
 * The rows of a name, in the order in which the type checker tries them; limited to a number of operands if one is
 * given.
 */
export const findSignatures = (form: Signature["form"], name: string, operands?: number): readonly Signature[] =>
  operands === undefined
    ? signatures.filter((signature) => signature.form === form && signature.name === name)
    : (byName.get(`${form} ${name} ${operands}`) ?? []);
const byName = new Map<string, Signature[]>();
for (const signature of signatures) {
  const key = `${signature.form} ${signature.name} ${signature.parameters.length}`;
  byName.set(key, [...(byName.get(key) ?? []), signature]);
}

/** The operand types of an operation. */
export const operandTypes = (operation: Operation): readonly TypeName[] => operandTypesByOperation.get(operation) ?? [];
const operandTypesByOperation = new Map(signatures.map((signature) => [signature.operation, signature.parameters]));

/** Names of all functions. */
export const functionNames: ReadonlySet<string> = new Set(
  signatures.filter((signature) => signature.form === "function").map((signature) => signature.name),
);

interface ListType {
  readonly stem: Stem;
  readonly list: boolean;
}

/** Splits `[integer]` into its element type and the fact that it is a list. */
export const splitListType = (word: TypeName): ListType => {
  const known = listTypes.get(word);
  if (known !== undefined) return known;
  const list = word.startsWith("[");
  const split = { stem: (list ? word.slice(1, -1) : word) as Stem, list };
  listTypes.set(word, split);
  return split;
};

/** The table has few type names, and each call of a document is compared with several. */
const listTypes = new Map<TypeName, ListType>();
