import { useQuery } from "@tanstack/react-query";
import type { ReplayJson } from "../../../core/wire/authoring/replay.ts";

/** Asks the server about people's acts under a draft. `key` identifies the draft; without `replay`, nobody asks. */
export const useReplay = (
  key: readonly unknown[],
  replay: ((signal: AbortSignal) => Promise<ReplayJson>) | undefined,
) =>
  useQuery({
    queryKey: ["replay", ...key],
    queryFn: ({ signal }) => {
      if (replay === undefined) throw new Error("a replay without a draft");
      return replay(signal);
    },
    enabled: replay !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
