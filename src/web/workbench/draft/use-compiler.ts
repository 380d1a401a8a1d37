import { useQuery } from "@tanstack/react-query";

/** The compiler of the page, which is loaded when it is first needed. */
export const useCompiler = () =>
  useQuery({
    queryKey: ["compiler"],
    queryFn: () => import("./compiler.ts"),
    staleTime: Number.POSITIVE_INFINITY,
  });
