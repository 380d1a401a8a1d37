import { useCallback, useEffect, useRef, useState } from "react";
import { useClient, usePerson } from "../../app/app-context.tsx";
import type { Draft } from "../../app/draft-store.ts";
import { type Form, isChanged } from "../state/form-node.ts";
import { toDraft } from "../state/restore-draft.ts";

const every = 2_000;

/** Stores unsaved input every two seconds, when the page is left, and on request. */
export const useDraft = (path: string, form: Form, found: Draft | null) => {
  const { drafts } = useClient();
  const person = usePerson()?.id ?? "";
  /** Time of the stored draft; null if there is none. */
  const [storedAt, setStoredAt] = useState<string | null>(found?.at ?? null);
  const latest = useRef(form);
  latest.current = form;
  const seen = useRef<Pick<Form, "entered" | "lists">>(form);

  const keep = useCallback(
    (what: Form) => {
      seen.current = what;
      if (!isChanged(what)) {
        drafts.drop(person, path);
        setStoredAt(null);
        return;
      }
      const at = new Date().toISOString();
      if (drafts.keep(person, path, toDraft(what, at))) setStoredAt(at);
    },
    [drafts, person, path],
  );
  /** After saving or discarding: no draft until something else is typed. */
  const drop = useCallback(
    (now: Form = latest.current) => {
      // The form may close before it is rendered again, and its last values would be stored.
      latest.current = now;
      seen.current = now;
      drafts.drop(person, path);
      setStoredAt(null);
    },
    [drafts, person, path],
  );

  useEffect(() => {
    const keepIfChanged = () => {
      const { entered, lists } = latest.current;
      if (seen.current.entered !== entered || seen.current.lists !== lists) keep(latest.current);
    };
    const timer = setInterval(keepIfChanged, every);
    window.addEventListener("pagehide", keepIfChanged);
    return () => {
      clearInterval(timer);
      window.removeEventListener("pagehide", keepIfChanged);
      keepIfChanged();
    };
  }, [keep]);

  return { storedAt, keep, drop };
};
