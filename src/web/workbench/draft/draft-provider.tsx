import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { toFailureOf } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient, useTitle } from "../../app/app-context.tsx";
import { FailedRegion } from "../../ui/page/region-status.tsx";
import { createDelayedCall } from "../../util/delayed-call.ts";
import { WorkbenchFrame } from "../frame.tsx";
import { PanesSkeleton } from "../skeleton.tsx";
import { createDraftSession, type DraftDelays, type DraftSession } from "./draft-session.ts";
import { useCompiler } from "./use-compiler.ts";

type Compiler = typeof import("./compiler.ts");

/**
 * A text is shown outside of its editor and checked when typing pauses, and stored at least every two seconds: with a large
 * document, each takes longer than a key may.
 */
const inPauses: DraftDelays = {
  show: (act) => createDelayedCall(act, 200, 1_000),
  store: (act) => createDelayedCall(act, 400, 2_000),
};

/**
 * Loads the live document and the compiler for an author's page. The frame with the page's title is shown
 * meanwhile, and if loading fails.
 */
export const DraftProvider = ({
  title,
  children,
}: {
  title: string;
  children: (drafting: DraftSession, compiler: Compiler) => ReactNode;
}) => {
  const { calls } = useClient();
  useTitle(title);
  const query = useQuery({
    queryKey: keys.document,
    queryFn: ({ signal }) => calls.document(signal),
    staleTime: 60_000,
  });
  const compiler = useCompiler();
  const [drafting, setDrafting] = useState<DraftSession | null>(null);
  const { data } = query;
  useEffect(() => {
    if (!data) return;
    if (drafting === null) setDrafting(createDraftSession(data, () => window.localStorage, inPauses));
    else drafting.follow(data);
  }, [data, drafting]);

  // Text that was typed a moment ago must not be lost with the page.
  useEffect(() => {
    if (drafting === null) return;
    const flush = () => drafting.flush();
    addEventListener("pagehide", flush);
    document.addEventListener("visibilitychange", flush);
    return () => {
      removeEventListener("pagehide", flush);
      document.removeEventListener("visibilitychange", flush);
      flush();
    };
  }, [drafting]);

  const failure = toFailureOf(query) ?? toFailureOf(compiler);
  if (drafting && compiler.data) return children(drafting, compiler.data);
  return (
    <WorkbenchFrame>
      <h1 className="hidden-words">{title}</h1>
      {failure ? (
        <div className="region">
          <FailedRegion failure={failure} retry={() => void Promise.all([query.refetch(), compiler.refetch()])} />
        </div>
      ) : (
        <PanesSkeleton />
      )}
    </WorkbenchFrame>
  );
};
