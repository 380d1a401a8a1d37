import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { BehaviourLine } from "../../../core/change/behaviour-line.ts";
import type { SourceJson } from "../../../core/wire/authoring/document.ts";

/** The compiler of the page, which is loaded when it is first needed. */
export const useCompiler = () =>
  useQuery({
    queryKey: ["compiler"],
    queryFn: () => import("./compiler.ts"),
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * How the second version behaves differently from the first. Undefined until both texts and the compiler are there; null
 * if one of the texts has errors, so that it has no behaviour to compare.
 */
export const useBehaviour = (
  before: readonly SourceJson[] | undefined,
  after: readonly SourceJson[] | undefined,
): readonly BehaviourLine[] | null | undefined => {
  const { data: compiler } = useCompiler();
  return useMemo(() => {
    if (compiler === undefined || before === undefined || after === undefined) return undefined;
    const compile = compiler.createCompiler();
    const [old, now] = [compile(before).model, compile(after).model];
    return old === undefined || now === undefined ? null : compiler.compareBehaviour(old, now);
  }, [compiler, before, after]);
};
