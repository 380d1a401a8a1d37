import { useEffect, useRef } from "react";
import type { Problem } from "../../core/wire/problems.ts";
import { useWords } from "../i18n/words.tsx";
import { Link } from "../ui/link.tsx";
import { RefusedWords } from "../ui/page/problem-note.tsx";
import { WhySentence } from "../ui/page/why-sentence.tsx";
import type { RecordUses } from "./use-referring-records.ts";

interface RefusedDeletionProps {
  readonly problem: Problem;
  /** The records that use the record, as far as this person sees them; null for another reason. */
  readonly uses: RecordUses | null;
  /** Called when a link to the records is followed. */
  readonly onLeave: () => void;
}

/** Why a record cannot be deleted, and the way on. */
export const RefusedDeletion = ({ problem, uses, onLeave }: RefusedDeletionProps) => {
  const { say } = useWords();
  const words = useRef<HTMLDivElement>(null);
  // The button is gone if the refusal follows a press on it.
  useEffect(() => {
    if (document.activeElement === document.body) words.current?.focus();
  }, []);
  return (
    <div ref={words} className="dialog-words" role="alert" tabIndex={-1}>
      {uses === null || (uses.seen.length === 0 && !uses.isUnseen) ? (
        <RefusedWords failure={{ kind: "refused", problem }} />
      ) : (
        <>
          {uses.seen.length > 0 && (
            <ul>
              {uses.seen.map(({ key, words, href }) => (
                <li key={key}>
                  {href === null ? (
                    words
                  ) : (
                    <Link className="link" href={href} onClick={onLeave}>
                      {words}
                    </Link>
                  )}
                </li>
              ))}
            </ul>
          )}
          <div>
            <WhySentence
              words={say(
                uses.isUnseen ? "delete.used.unseen" : uses.canFree ? "delete.used.first" : "delete.used.others",
              )}
              clause={problem.clause}
            />
          </div>
        </>
      )}
    </div>
  );
};
