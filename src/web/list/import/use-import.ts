import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import type { ImportJson, ImportSettings } from "../../../core/wire/imports.ts";
import { type Failure, toFailure } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { sendTable } from "../../api/upload.ts";
import { useClient } from "../../app/app-context.tsx";

/** How often progress is asked for, in milliseconds. */
const EVERY = 400;

export const isAtWork = ({ state }: Pick<ImportJson, "state">): boolean =>
  state === "checking" || state === "running" || state === "undoing";

/** A file on its way to the server: the part that is sent, or why it was not taken. */
export type Sending =
  | { readonly kind: "sending"; readonly name: string; readonly part: number }
  | { readonly kind: "refused"; readonly detail: string }
  | { readonly kind: "failed" };

/** An import into one entity, from its file to its end. `path` is that of the entity's calls; `parent` has the parts. */
export const useImport = (path: string, parent: ImportSettings["parent"]) => {
  const { calls } = useClient();
  const queries = useQueryClient();
  const [job, setJob] = useState<ImportJson | null>(null);
  const [sending, setSending] = useState<Sending | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);

  const id = job !== null && isAtWork(job) ? job.id : null;
  useEffect(() => {
    if (id === null) return;
    const ending = new AbortController();
    let next: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        const now = await calls.import(path, id, ending.signal);
        setFailure(null);
        setJob(now);
        if (!isAtWork(now)) {
          if (now.state !== "checked") void queries.invalidateQueries({ queryKey: keys.of(path) });
          return;
        }
      } catch (error) {
        if (ending.signal.aborted) return;
        // The import goes on without this page.
        const failure = toFailure(error);
        setFailure(failure);
        if (failure.kind === "refused" || failure.kind === "signed out") return;
      }
      next = setTimeout(() => void look(), EVERY);
    };
    next = setTimeout(() => void look(), EVERY);
    return () => {
      ending.abort();
      clearTimeout(next);
    };
  }, [calls, queries, path, id]);

  const send = useCallback(
    async (name: string, content: Blob) => {
      stop.current?.abort();
      const stopping = new AbortController();
      stop.current = stopping;
      setSending({ kind: "sending", name, part: 0 });
      const sent = await sendTable(
        path,
        { name, content, parent },
        (part) => setSending({ kind: "sending", name, part }),
        stopping.signal,
      );
      if (stopping.signal.aborted) return;
      setSending(sent.kind === "kept" ? null : sent);
      if (sent.kind === "kept") setJob(sent.answer);
    },
    [path, parent],
  );
  const attempt = useCallback(async (work: () => Promise<ImportJson>) => {
    try {
      setFailure(null);
      setJob(await work());
    } catch (error) {
      setFailure(toFailure(error));
    }
  }, []);
  const act = useCallback(
    (of: ImportJson, name: "check" | "run" | "undo" | "cancel", settings: ImportSettings | null = null) =>
      attempt(() => calls.actOnImport(path, of.id, name, settings)),
    [attempt, calls, path],
  );
  const open = useCallback((which: string) => attempt(() => calls.import(path, which)), [attempt, calls, path]);
  return { job, setJob, sending, failure, send, act, open };
};
