import { useEffect, useEffectEvent, useState } from "react";
import type { StateMarkJson } from "../../../core/wire/entities.ts";
import { useAddress, useClient, usePerson, usePhone, useStore } from "../../app/app-context.tsx";
import { createAnnouncement, type Toast } from "../../app/app-state.ts";
import { readUndoStroke } from "../../app/keyboard.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button, buttonClass, IconButton } from "../control/button.tsx";
import { Icon } from "../icon.tsx";
import { Link } from "../link.tsx";
import { StateMark } from "../state-mark.tsx";
import { UnbrokenNumbers } from "../unbroken-numbers.tsx";
import { createProgressNote } from "./progress-note.ts";
import { useBarAtFoot } from "./use-bar-at-foot.ts";
import { useSwipeAway } from "./use-swipe-away.ts";
import { useTimeInSight } from "./use-time-in-sight.ts";
import { useUndoLast } from "./use-undo-last.ts";

/**
 * Milliseconds for which a note is shown: with a way to undo an action or to open its record longer, and longest after an
 * action on several records, which takes longer to check. On phones, it covers more. Ctrl+Z and buttons undo afterwards.
 */
const onScreens = { plain: 6_000, undo: 15_000, bulk: 60_000 };
const onPhones = { plain: 5_000, undo: 7_000, bulk: 12_000 };
/** Milliseconds after which Ctrl+Z and buttons, which do not say what they undo, no longer do. */
const rememberedFor = 10 * 60_000;

/** Remembers the last action that can be undone. True while it is the last one of all, and not long ago. */
const useLastNote = (note: Toast | null): boolean => {
  const { undoable } = useClient();
  const person = usePerson()?.id;
  const last = useStore(undoable);
  const isLast = last !== null && last.isPast !== true;
  useEffect(() => {
    if (note === null || note.isRunning) return;
    const before = undoable.get();
    undoable.set(note.undo === undefined ? before && { ...before, isPast: true } : note);
  }, [note, undoable]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: nobody undoes what somebody else did
  useEffect(() => undoable.set(null), [person, undoable]);
  useEffect(() => {
    if (last === null || !isLast) return;
    const timer = setTimeout(() => undoable.set({ ...last, isPast: true }), rememberedFor);
    return () => clearTimeout(timer);
  }, [last, isLast, undoable]);
  return isLast;
};

/**
 * Ctrl+Z undoes the last action, or says that it does nothing: otherwise somebody would rely on it. In the workbench, it undoes
 * the last change of the text.
 */
const useUndoKey = (undo: (() => void) | undefined): void => {
  const { path } = useAddress();
  const { say } = useWords();
  const toast = useToast();
  const isSignedIn = usePerson() !== null;
  const isOfText = path.startsWith("/workbench");
  const act = useEffectEvent(() =>
    undo === undefined ? toast(say("toast.undo.none"), undefined, { icon: "undo" }) : undo(),
  );
  useEffect(() => {
    if (isOfText || !isSignedIn) return;
    const onKey = (event: KeyboardEvent): void => {
      if (readUndoStroke(event) !== "undo") return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [isOfText, isSignedIn]);
};

/** Announcements for screen readers, and a short note after the user's own action. Errors never appear here. */
export const LiveRegions = () => {
  const { toast, polite, assertive } = useClient();
  const note = useStore(toast);
  const quiet = useStore(polite);
  const loud = useStore(assertive);

  const isLast = useLastNote(note);
  const isAboveBar = useBarAtFoot(note !== null);
  const undo = useUndoLast();
  useUndoKey(isLast ? undo?.act : undefined);

  return (
    <>
      <div className="hidden-words spoken" role="status" aria-live="polite">
        {quiet && <span key={quiet.at}>{quiet.text}</span>}
      </div>
      <div className="hidden-words spoken" role="alert" aria-live="assertive">
        {loud && <span key={loud.at}>{loud.text}</span>}
      </div>
      <div className={isAboveBar ? "toasts above-bar" : "toasts"} role="status">
        {note && <ToastNote key={note.at} note={note} onUndo={undo?.act} onClose={() => toast.set(null)} />}
      </div>
    </>
  );
};

interface ToastNoteProps {
  readonly note: Toast;
  readonly onUndo: (() => void) | undefined;
  readonly onClose: () => void;
}

/** The note at the bottom. It stays as long as the pointer or the focus is on it, and while nobody is there to read it. */
const ToastNote = ({ note, onUndo, onClose }: ToastNoteProps) => {
  const { say } = useWords();
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const held = pointed || focused || note.isRunning === true;
  const phone = usePhone();
  const times = phone ? onPhones : onScreens;
  const duration = note.isBulk && note.undo ? times.bulk : note.undo || note.href ? times.undo : times.plain;
  const swipe = useSwipeAway(onClose);
  const isLeaving = useTimeInSight(duration, { isHeld: held, waitsForReader: note.undo !== undefined, onEnd: onClose });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the note only waits while somebody is at its buttons
    <div
      className={isLeaving ? "toast leaving" : "toast"}
      {...swipe}
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      {note.mark ? <StateMark mark={note.mark} /> : !note.isRunning && <Icon name={note.icon ?? "check"} />}
      {/* Screen readers are told less often how far an act is. */}
      <span className="toast-words" aria-live={note.isRunning ? "off" : undefined}>
        <UnbrokenNumbers words={note.text} />
      </span>
      {onUndo && note.undo && (
        <Button small look="quiet" aria-keyshortcuts="Control+Z" onClick={onUndo}>
          {note.undoLabel ?? say("toast.undo")}
        </Button>
      )}
      {note.href !== undefined && (
        <Link href={note.href} className={buttonClass("quiet", "small")} onClick={onClose}>
          <span className="button-words">{say("row.open")}</span>
        </Link>
      )}
      <IconButton icon="close" label={say("close")} small onClick={onClose} />
    </div>
  );
};

interface ToastOptions {
  readonly mark?: StateMarkJson | undefined;
  readonly href?: string | undefined;
  readonly undoLabel?: string | undefined;
  readonly isBulk?: boolean;
  readonly icon?: Toast["icon"];
}

/** Announces the result of the user's own action, and shows it briefly. */
export const useToast = () => {
  const { toast } = useClient();
  return (text: string, undo?: () => void, { mark, href, undoLabel, isBulk = false, icon }: ToastOptions = {}) =>
    toast.set({
      ...createAnnouncement(text),
      ...(undo && { undo, isBulk }),
      ...(undo && undoLabel !== undefined && { undoLabel }),
      ...(mark && { mark }),
      ...(icon !== undefined && { icon }),
      ...(href !== undefined && { href }),
    });
};

/** A note about how far an act on several records is. */
export const useProgressToast = () => {
  const { toast, polite } = useClient();
  return (words: (done: number) => string, atOnce = false): ((done: number) => void) =>
    createProgressNote(toast, polite, words, atOnce);
};

export const useAnnounce = () => {
  const { polite, assertive } = useClient();
  return {
    politely: (text: string) => polite.set(createAnnouncement(text)),
    atOnce: (text: string) => assertive.set(createAnnouncement(text)),
  };
};
