import { type ComponentProps, type RefObject, useEffect, useEffectEvent, useRef } from "react";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import { useClient, useDelayed, usePhone } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button, IconButton } from "../../ui/control/button.tsx";
import { roomInContainer, useFitting } from "../../ui/dom/use-fitting.ts";
import { Icon } from "../../ui/icon.tsx";
import { Menu, type MenuItem } from "../../ui/overlay/menu.tsx";
import { usePopup } from "../../ui/overlay/popup.tsx";
import { type RunningAct, SHORT, StopOr } from "../../ui/overlay/stop-or.tsx";
import { UndoButton } from "../../ui/overlay/undo-button.tsx";
import { FieldMenu } from "./field-menu.tsx";
import { PointerMenu } from "./pointer-menu.tsx";
import "./bulk-bar.css";

/** Something that the bar offers, as a button or in its menu. */
export interface Offer {
  readonly key: string;
  readonly label: string;
  /** Of an act, the number of rows for which it is possible. */
  readonly count?: number;
  readonly busy?: boolean;
  readonly run: () => void;
}

/** True once the keyboard asked for the bar, until it has the focus. */
export interface BarFocus {
  readonly isWanted: boolean;
  /** True once the keyboard asked to edit the selected rows, without a field. */
  readonly isEditWanted: boolean;
  /** The field that the keyboard asked to edit in all selected rows, by its name. */
  readonly field: string | null;
  readonly onReached: () => void;
  /** The position of the pointer at one of the selected rows, which opens the offers as a menu there. */
  readonly menuAt: DOMRect | null;
  readonly onMenuClosed: () => void;
}

/** The key of the act that edits. */
export const EDIT = "edit";

interface BarLineProps {
  readonly entity: EntityJson;
  readonly count: number;
  readonly pending: boolean;
  readonly focus: BarFocus;
  /** An act on the selected rows that is performed without its dialog; null if none is. */
  readonly running: RunningAct | null;
  readonly offers: readonly Offer[];
  readonly fields: readonly FieldJson[];
  readonly onEdit: (field: FieldJson) => void;
  readonly onNone: () => void;
}

/** One line: the offers that fit as buttons, and the others in a menu. The first act stands out and is always a button. */
export const BarLine = ({ entity, count, pending, focus, running, offers, fields, onEdit, onNone }: BarLineProps) => {
  const { say } = useWords();
  const isShown = useShownWhole(pending);
  const popup = usePopup();
  const first = offers.find((offer) => offer.count !== undefined)?.key;
  const editing = usePopup();
  const { ref, fitting } = useFitting(
    offers.map(({ key }) => key),
    { roomOf: roomInContainer, kept: first },
  );
  const folded = offers.filter(({ key }) => !fitting.has(key));
  const [onlyField, another] = fields;
  /** Asks for the value of the only field, or for the field first. */
  const edit = () => {
    if (onlyField === undefined) return;
    if (another === undefined) return onEdit(onlyField);
    // In the menu of the bar, it has no button of its own.
    editing.anchor.current ??= popup.anchor.current;
    editing.show();
  };
  const toItem = ({ key, label, count, run }: Offer, onEditing: () => void): MenuItem => ({
    key,
    act: key === EDIT ? onEditing : run,
    ...(count === undefined
      ? { label }
      : {
          label: say("record.asks", { transition: label }),
          asks: true as const,
          note: say("bulk.things", { count, thing: entity.one, things: entity.many }),
        }),
  });
  useStopKey(ref, running);
  useEarlierNoteGone();
  useBarKeys(ref, focus, {
    isShown,
    pending,
    isWhole: !pending && (first === undefined || fitting.has(first)),
    edit: offers.some(({ key }) => key === EDIT) ? edit : undefined,
  });
  return (
    <section
      ref={ref}
      tabIndex={-1}
      className={`bulk one-line${fitting.size === 1 ? " is-tight" : ""}`}
      aria-label={say("bulk.title")}
      aria-keyshortcuts="."
      aria-busy={pending}
      hidden={!isShown}
    >
      <Selected count={count} />
      <kbd>.</kbd>
      <StopOr running={running}>
        {offers
          .filter((offer) => !folded.includes(offer))
          .map((offer) => {
            const look = offer.key === first ? ({ look: "plain", className: "bulk-first" } as const) : {};
            return offer.key === EDIT ? (
              <ActButton
                key={EDIT}
                data-fit={EDIT}
                act={offer.label}
                count={offer.count ?? 0}
                entity={entity}
                aria-keyshortcuts="E"
                {...(another === undefined ? { onClick: edit } : { ...editing.control, "aria-haspopup": "menu" })}
                {...look}
              />
            ) : offer.count !== undefined ? (
              <ActButton
                key={offer.key}
                data-fit={offer.key}
                act={offer.label}
                count={offer.count}
                entity={entity}
                onClick={offer.run}
                {...look}
              />
            ) : (
              <Button
                key={offer.key}
                data-fit={offer.key}
                small
                look="quiet"
                busy={offer.busy ?? false}
                onClick={offer.run}
              >
                {offer.label}
              </Button>
            );
          })}
        {folded.length > 0 && (
          <>
            <IconButton icon="more" small label={say("bulk.more")} aria-haspopup="menu" {...popup.control} />
            <Menu popup={popup} label={say("bulk.more")} items={folded.map((offer) => toItem(offer, edit))} />
          </>
        )}
        <UndoButton />
        <IconButton icon="close" small label={say("bulk.none")} onClick={onNone} />
      </StopOr>
      {another !== undefined && (
        <FieldMenu popup={editing} label={say("bulk.edit.field")} fields={fields} onChoose={onEdit} asks />
      )}
      {focus.menuAt !== null && isShown && !pending && (
        <PointerMenu
          at={focus.menuAt}
          title={say("bulk.selected", { count })}
          items={(edit) => [
            ...offers.map((offer) => toItem(offer, edit)),
            { key: "none", label: say("bulk.none"), icon: "close", act: onNone },
          ]}
          fields={fields}
          onEdit={onEdit}
          onClose={focus.onMenuClosed}
        />
      )}
    </section>
  );
};

/** A phone needs the room for acts: a check stands for the word. */
const Selected = ({ count }: { readonly count: number }) => {
  const { say, show } = useWords();
  const words = say("bulk.selected", { count });
  return usePhone() ? (
    <b className="figures bulk-selected">
      <Icon name="check" />
      <span aria-hidden="true">{show.number(count)}</span>
      <span className="hidden-words">{words}</span>
    </b>
  ) : (
    <b className="figures">{words}</b>
  );
};

interface BarKeys {
  readonly isShown: boolean;
  readonly pending: boolean;
  /** True once the first act has its button, which comes after its room is measured. */
  readonly isWhole: boolean;
  /** Absent if the rows cannot be edited. */
  readonly edit: (() => void) | undefined;
}

/** Does what the keyboard has asked for at a row. A key can come before the bar is there. */
const useBarKeys = (
  bar: RefObject<HTMLElement | null>,
  { isWanted, isEditWanted, onReached }: BarFocus,
  { isShown, pending, isWhole, edit }: BarKeys,
): void => {
  const isAwaiting = useRef(false);
  // The bar comes after all rows, so the way to it by Tab is long.
  useEffect(() => {
    if (!isWanted || !isShown) return;
    const isLeft = isAwaiting.current && document.activeElement !== bar.current;
    isAwaiting.current = !isWhole;
    // Until it is known what is possible, the first button could be one that was not meant: the bar itself has the focus.
    const goal = isWhole ? bar.current?.querySelector<HTMLElement>(".bulk-first, button") : bar.current;
    // It is in sight wherever the list stands, which would otherwise move under it.
    if (!isLeft) goal?.focus({ preventScroll: true });
    if (isWhole || isLeft) onReached();
  }, [isWanted, isShown, isWhole, onReached, bar]);
  const begin = useEffectEvent(() => {
    edit?.();
    onReached();
  });
  useEffect(() => {
    if (isEditWanted && isShown && !pending) begin();
  }, [isEditWanted, isShown, pending]);
};

/** Milliseconds in which a note belongs to what the bar is about. */
const RECENT = 1_000;

/** The note about an earlier act makes room for the rows that are being selected: the bar undoes it. */
const useEarlierNoteGone = (): void => {
  const { toast } = useClient();
  useEffect(() => {
    const note = toast.get();
    if (note !== null && note.isRunning !== true && Date.now() - note.at > RECENT) toast.set(null);
  }, [toast]);
};

/**
 * Escape stops what is performed without its dialog: nothing goes on that cannot be stopped. The bar has the focus meanwhile,
 * unless somebody goes elsewhere, because the buttons that had it are gone.
 */
const useStopKey = (bar: RefObject<HTMLElement | null>, running: RunningAct | null): void => {
  const isRunning = running !== null;
  const stop = useEffectEvent(() => running?.stop());
  useEffect(() => {
    if (!isRunning) return;
    const end = new AbortController();
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      event.stopPropagation();
      stop();
    };
    addEventListener("keydown", press, { capture: true, signal: end.signal });
    return () => end.abort();
  }, [isRunning]);
  const isShown = useDelayed(isRunning, SHORT);
  useEffect(() => {
    if (isShown && document.activeElement === document.body) bar.current?.focus({ preventScroll: true });
  }, [isShown, bar]);
};

/** Milliseconds after which the bar is shown without the actions that are still loading. */
const LATE = 600;

/**
 * True once the bar can be shown with all its actions. It is centred, so each action that came later would move the
 * others under the pointer. Once shown, it stays.
 */
const useShownWhole = (pending: boolean): boolean => {
  const isLate = useDelayed(pending, LATE);
  const wasShown = useRef(false);
  wasShown.current ||= !pending || isLate;
  return wasShown.current;
};

interface ActButtonProps extends Omit<ComponentProps<typeof Button>, "children" | "small"> {
  readonly act: string;
  readonly count: number;
  readonly entity: EntityJson;
}

/** An act with the number of rows set apart, so that it does not read as part of the act. */
const ActButton = ({ act, count, entity, look = "quiet", ...rest }: ActButtonProps) => {
  const { say, show } = useWords();
  return (
    <Button small look={look} {...rest}>
      {say("record.asks", { transition: act })} <span className="bulk-count figures">{show.number(count)}</span>{" "}
      <span className="hidden-words">{count === 1 ? entity.one : entity.many}</span>
    </Button>
  );
};
