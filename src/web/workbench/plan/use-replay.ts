import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { DraftJson } from "../../../core/wire/authoring/document.ts";
import type { ReplayJson } from "../../../core/wire/authoring/replay.ts";
import { useClient } from "../../app/app-context.tsx";
import { identify } from "./use-planned-data.ts";

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

/**
 * A replay of the draft that is being written. It takes the server some seconds, so it starts only on request, and ends
 * with the next change. Undefined `files` cannot be replayed.
 */
export const useDraftReplay = (base: string, files: DraftJson["files"] | undefined) => {
  const { calls } = useClient();
  const [started, setStarted] = useState<DraftJson["files"]>();
  const running = files !== undefined && started === files ? files : undefined;
  const replayed = useReplay(
    ["draft", base, running === undefined ? 0 : identify(running)],
    running && ((signal) => calls.replayDocument({ base, files: running }, signal)),
  );
  return {
    replayed,
    isAsked: running !== undefined,
    /** Undefined while there is nothing to replay. */
    ask: files && (() => setStarted(files)),
  };
};
