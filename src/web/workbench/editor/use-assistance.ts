import { useEffect, useMemo, useRef, useState } from "react";
import type { Fold } from "../../../core/editor/outline.ts";
import type { Source, Span } from "../../../core/source-text.ts";
import type { SourceJson } from "../../../core/wire/authoring/document.ts";
import { useWords } from "../../i18n/words.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import type { DraftSession } from "../draft/draft-session.ts";
import type { Assistance } from "./assist.ts";
import { askEditor } from "./editor-thread.ts";
import type { Listed } from "./names-pane.tsx";

interface AssistanceProps {
  readonly drafting: DraftSession;
  readonly file: SourceJson;
  readonly readOnly: boolean;
  readonly onPlace: (span: Span) => void;
}

/** The notes if there is nothing to do. */
const nothingTexts = {
  name: "editor.nothing.name",
  fix: "editor.nothing.fix",
  format: "editor.nothing.format",
} as const;

/** Folds are looked for when typing pauses, in milliseconds. */
const PAUSE = 400;

/** The folds of a file, with the text that they belong to. */
const useFolds = ({ file, text }: SourceJson): { readonly text: string; readonly folds: readonly Fold[] } | null => {
  const [found, setFound] = useState<{ readonly text: string; readonly folds: readonly Fold[] } | null>(null);
  useEffect(() => {
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      askEditor("folds", [{ file, text }], { file }, aborter.signal).then(
        (folds) => {
          if (!aborter.signal.aborted) setFound({ text, folds });
        },
        () => undefined,
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [file, text]);
  return found;
};

/** The help of the text editor, with the parts of the page that it opens. */
export const useAssistance = ({ drafting, file, readOnly, onPlace }: AssistanceProps) => {
  const { say } = useWords();
  const toast = useToast();
  const [listed, setListed] = useState<Listed | null>(null);
  const [renaming, setRenaming] = useState<{ readonly name: string; readonly offset: number } | null>(null);
  const folds = useFolds(file);
  const latest = useRef({ onPlace, say, toast });
  latest.current = { onPlace, say, toast };

  const assistance = useMemo<Assistance>(() => {
    const change = (sources: readonly Source[]): void => {
      const { files } = drafting.store.get();
      for (const source of sources)
        if (files.find((before) => before.file === source.file)?.text !== source.text)
          drafting.change(source.file, source.text);
    };
    return {
      file: file.file,
      readOnly,
      ask: (kind, about) => askEditor(kind, drafting.store.get().files, about),
      show: (span) => latest.current.onPlace(span),
      showUses: (name, uses) => setListed({ kind: "uses", name, uses }),
      rename: (name, offset) => {
        if (!readOnly) setRenaming({ name, offset });
      },
      goToName: () => {
        askEditor("outline", drafting.store.get().files, { file: file.file }).then(
          (items) => setListed({ kind: "names", items }),
          () => undefined,
        );
      },
      change: (sources) => {
        if (!readOnly) change(sources);
      },
      nameReference: (id) => latest.current.say("editor.reference", { id }),
      phrases: {
        "Fold line": latest.current.say("editor.fold"),
        "Unfold line": latest.current.say("editor.unfold"),
        unfold: latest.current.say("editor.unfold"),
        "folded code": latest.current.say("editor.folded"),
        Completions: latest.current.say("editor.complete"),
      },
      sayNothing: (why) => latest.current.toast(latest.current.say(nothingTexts[why])),
    };
  }, [drafting, file.file, readOnly]);

  const rename = async (to: string): Promise<string | undefined> => {
    if (renaming === null) return undefined;
    const { files, inForce } = drafting.store.get();
    const published = inForce.files.map(({ file, text }) => ({ file, text }));
    const about = { file: file.file, offset: renaming.offset, to, published };
    const result = await askEditor("rename", files, about);
    if ("refusal" in result) return result.refusal;
    assistance.change(result.sources);
    setRenaming(null);
    const restore = (): void => {
      for (const before of files) drafting.change(before.file, before.text);
    };
    toast(say("editor.renamed", { from: renaming.name, to }), restore);
    return undefined;
  };
  return {
    assistance,
    folds,
    listed,
    closeListed: () => setListed(null),
    renaming,
    rename,
    closeRenaming: () => setRenaming(null),
  };
};
