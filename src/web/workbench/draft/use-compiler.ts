import { useQuery } from "@tanstack/react-query";
import { importWithRetries } from "../../util/import-with-retries.ts";

/** The compiler of the page, which is loaded when it is first needed. */
export const useCompiler = () =>
  useQuery({
    queryKey: ["compiler"],
    queryFn: () => importWithRetries(() => import("./compiler.ts")),
    staleTime: Number.POSITIVE_INFINITY,
  });
