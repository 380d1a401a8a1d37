import type { Expr } from "../expr.ts";
import type { Stem } from "../operations/operation-types.ts";
import { type Signature, splitListType } from "../operations/signature.ts";
import type { Type } from "../values/type.ts";
import { type ValueKind, valueKinds } from "../values/value-kinds.ts";
import { unknown } from "./check-context.ts";
import { coerce, coerceOperand, commonType } from "./coerce.ts";

/** The converted operands and the types of the signature's type variables. */
export interface Match {
  readonly args: readonly Expr[];
  readonly bound: ReadonlyMap<Stem, Type>;
}

/** Matches operands with a signature; undefined if they do not fit. */
export const matchSignature = (
  { parameters, form }: Signature,
  operands: readonly Expr[],
  zone: string,
): Match | undefined => {
  const bound = new Map<Stem, Type>();
  // Constants come last, since they take their type from the other operands.
  for (let pass = 0; pass < 2; pass++)
    for (let i = 0; i < operands.length; i++) {
      const operand = operands[i];
      const parameter = parameters[i];
      if (operand === undefined || isConstant(operand) !== (pass === 1)) continue;
      if (parameter === undefined) return undefined;
      const { stem, list } = splitListType(parameter);
      const type = isSimpleStem(stem)
        ? { kind: stem }
        : (list ? commonElementType : commonType)(bound.get(stem) ?? unknown, operand, zone);
      if (type === undefined || !admits(stem, type)) return undefined;
      bound.set(stem, type);
    }
  const turned = form === "function" ? coerceOperand : coerce;
  const args = operands.map((operand, i) => {
    const { stem, list } = splitListType(parameters[i] ?? "unknown");
    const type = bound.get(stem) ?? unknown;
    return turned(operand, list ? { kind: "list", of: type } : type, zone);
  });
  return args.every((arg) => arg !== undefined) ? { args, bound } : undefined;
};

const isConstant = (expr: Expr): boolean =>
  expr.kind === "constant" || (expr.kind === "list" && expr.items.every(isConstant));

/** The common type of a type and the elements of a list. */
const commonElementType = (type: Type, list: Expr, zone: string): Type | undefined => {
  if (list.type.kind !== "list") return undefined;
  if (type.kind !== "unknown" && coerce(list, { kind: "list", of: type }, zone)) return type;
  const element: Expr = { kind: "variable", name: "", level: 0, type: list.type.of, missing: false, span: list.span };
  return commonType(type, element, zone);
};

/** True if the word denotes a single type. `money` denotes one type per currency. */
const isSimpleStem = (stem: Stem): stem is Exclude<Type["kind"], "money" | "choice" | "record" | "list"> =>
  stem !== "money" && stem !== "same" && stem !== "ordered" && stem !== "ranked" && stem !== "any";

const admits = (stem: Stem, type: Type): boolean => {
  if (isSimpleStem(stem)) return true;
  if (stem === "money") return type.kind === "money";
  const { compares }: ValueKind = valueKinds[type.kind];
  if (stem === "same") return compares !== "not at all";
  if (stem === "ordered") return compares === "in order" || compares === "by length";
  return stem === "ranked" ? compares === "in order" : type.kind !== "list";
};
