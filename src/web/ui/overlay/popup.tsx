import { type ReactNode, type RefObject, useCallback, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { usePhone } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../control/button.tsx";
import { keepEarlyKeys } from "./early-keys.ts";

/**
 * A floating panel beside its control: a native popover, so it is above everything, closes with Escape or a press
 * elsewhere, and returns the focus. On a phone it is a bottom sheet (`popup.css`).
 */
export interface Popup<Anchor extends HTMLElement = HTMLElement> {
  readonly id: string;
  readonly open: boolean;
  close(): void;
  show(): void;
  readonly panel: RefObject<HTMLDivElement | null>;
  readonly anchor: RefObject<Anchor | null>;
  /** Props for the button that toggles it. */
  readonly control: {
    readonly ref: RefObject<Anchor | null>;
    readonly popoverTarget: string;
    readonly "aria-expanded": boolean;
    readonly "aria-controls": string | undefined;
  };
  readonly setOpen: (open: boolean) => void;
  /** 0 while closed. If it is reopened while closing, only one event arrives; the counter then increases. */
  readonly opened: number;
}

/** Anchored to a button by default; other elements open it with `show`. */
export const usePopup = <Anchor extends HTMLElement = HTMLButtonElement>(): Popup<Anchor> => {
  const id = useId();
  const [opened, setOpened] = useState(0);
  const open = opened > 0;
  const setOpen = useCallback((open: boolean) => setOpened((before) => (open ? before + 1 : 0)), []);
  const panel = useRef<HTMLDivElement>(null);
  const anchor = useRef<Anchor>(null);
  const close = useCallback(() => panel.current?.matches(":popover-open") && panel.current.hidePopover(), []);
  const show = useCallback(() => panel.current?.matches(":popover-open") || panel.current?.showPopover(), []);
  return {
    id,
    open,
    opened,
    close,
    show,
    panel,
    anchor,
    setOpen,
    control: { ref: anchor, popoverTarget: id, "aria-expanded": open, "aria-controls": open ? id : undefined },
  };
};

const gap = 6;
const margin = 8;

/**
 * Below its control if there is room, otherwise above, within the page. `end` aligns the far edges. Style sheets can use
 * the width of the control, `--anchor`.
 */
const place = (panel: HTMLElement, anchor: HTMLElement, side: "start" | "end") => {
  const at = anchor.getBoundingClientRect();
  panel.style.setProperty("--anchor", `${at.width}px`);
  const { offsetWidth: width, offsetHeight: height } = panel;
  const rightward = (side === "start") === (getComputedStyle(anchor).direction !== "rtl");
  const left = rightward ? at.left : at.right - width;
  const below = at.bottom + gap;
  const fitsBelow = below + height <= window.innerHeight - margin;
  const above = at.top - gap - height;
  // A control in a bar that scrolls can lie beyond the window itself.
  const clamp = (value: number, most: number) => Math.max(margin, Math.min(value, most - margin));
  panel.style.left = `${clamp(left, window.innerWidth - width)}px`;
  panel.style.top = `${clamp(fitsBelow || above < margin ? below : above, window.innerHeight - height)}px`;
};

const focusable = "button, [href], input, select, textarea, [tabindex='0']";

/** Focuses the first control of a panel, or the one that is marked as such, or the panel itself. */
export const focusFirst = (panel: HTMLElement | null): void =>
  (panel?.querySelector<HTMLElement>("[data-first]") ?? panel?.querySelector<HTMLElement>(focusable) ?? panel)?.focus({
    preventScroll: true,
  });

const controls = "a:not([data-row]), button, input, select, textarea, label, summary";

/**
 * Stops the clicks of presses that close a panel: on a phone all, because the page is dimmed and the backdrop of a popover
 * takes no presses. Elsewhere a control acts at once, but a press on a record, which opens or is edited wherever it is
 * pressed, only closes the panel.
 */
const stopPressesBeside = (anchor: HTMLElement | null, isSheet: boolean): (() => void) => {
  const stopClick = (click: MouseEvent) => {
    forget();
    click.preventDefault();
    click.stopPropagation();
  };
  // A press that becomes a scroll has no click.
  const forget = () => {
    for (const event of ["pointerdown", "pointercancel", "keydown"]) removeEventListener(event, forget, true);
    removeEventListener("click", stopClick, true);
  };
  const onPress = ({ target }: PointerEvent) => {
    if (!(target instanceof Element) || target.closest(":popover-open") || anchor?.contains(target)) return;
    if (!isSheet && target.closest(controls) !== null) return;
    addEventListener("click", stopClick, true);
    for (const event of ["pointerdown", "pointercancel", "keydown"]) addEventListener(event, forget, true);
  };
  document.addEventListener("pointerdown", onPress, true);
  return () => document.removeEventListener("pointerdown", onPress, true);
};

/**
 * Closes a panel when Tab leaves it: it would go on covering what has the focus. A focus that the page moves leaves it
 * open.
 */
const closeWhenLeft = (panel: RefObject<HTMLElement | null>, anchor: RefObject<HTMLElement | null>): (() => void) => {
  let isTab = false;
  const onKey = ({ key }: KeyboardEvent) => {
    isTab = key === "Tab";
    // The key moves the focus before any timer.
    if (isTab)
      setTimeout(() => {
        isTab = false;
      });
  };
  const onFocus = ({ target }: FocusEvent) => {
    if (!isTab || !(target instanceof Node)) return;
    if (panel.current?.contains(target) || anchor.current?.contains(target)) return;
    if (panel.current?.matches(":popover-open")) panel.current.hidePopover();
  };
  document.addEventListener("keydown", onKey, true);
  document.addEventListener("focusin", onFocus);
  return () => {
    document.removeEventListener("keydown", onKey, true);
    document.removeEventListener("focusin", onFocus);
  };
};

interface PanelProps {
  readonly popup: Popup;
  readonly side?: "start" | "end";
  readonly role?: "dialog" | "menu" | "listbox";
  readonly label?: string;
  readonly labelledBy?: string;
  readonly className?: string;
  /** Initial focus: the first control, the panel, or none (a list below a text box). */
  readonly focus?: "first" | "panel" | "none";
  /** True for a list below a text box: it stays open while typing. */
  readonly manual?: boolean;
  readonly children: ReactNode;
}

export const PopupPanel = ({
  popup,
  side = "start",
  role = "dialog",
  label,
  labelledBy,
  className = "",
  focus = "first",
  manual = false,
  children,
}: PanelProps) => {
  const { panel, anchor, open, opened } = popup;
  const hadFocus = useRef(false);
  const forgetKeys = useRef<(() => void) | null>(null);
  useEffect(() => () => forgetKeys.current?.(), []);
  const isSheet = usePhone() && !manual;

  useEffect(() => (open && !manual ? closeWhenLeft(panel, anchor) : undefined), [open, manual, panel, anchor]);

  useEffect(
    () => (open && !manual ? stopPressesBeside(anchor.current, isSheet) : undefined),
    [open, manual, isSheet, anchor],
  );

  useEffect(() => {
    if (opened === 0) return;
    const settle = () => panel.current && anchor.current && place(panel.current, anchor.current, side);
    settle();
    const watch = new ResizeObserver(settle);
    if (panel.current) watch.observe(panel.current);
    window.addEventListener("scroll", settle, { capture: true, passive: true });
    window.addEventListener("resize", settle);
    return () => {
      watch.disconnect();
      window.removeEventListener("scroll", settle, { capture: true });
      window.removeEventListener("resize", settle);
    };
  }, [opened, side, panel, anchor]);

  // Content that arrives later does not move the focus.
  const beginFocus = useEffectEvent(() => {
    if (focus === "panel") panel.current?.focus({ preventScroll: true });
    if (focus === "first") focusFirst(panel.current);
  });
  useEffect(() => {
    if (opened > 0) beginFocus();
  }, [opened]);

  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: each of the roles supports a name
    <div
      ref={panel}
      id={popup.id}
      popover={manual ? "manual" : "auto"}
      role={role}
      aria-label={label}
      aria-labelledby={labelledBy}
      tabIndex={-1}
      className={`popup ${className}`.trim()}
      onBeforeToggle={(event) => {
        if (event.target !== event.currentTarget) return;
        hadFocus.current = event.newState === "closed" && event.currentTarget.contains(document.activeElement);
        forgetKeys.current?.();
        // A panel that has the focus itself is read first: keys pressed before were not for its buttons.
        const awaitsKeys = event.newState === "open" && !manual && focus !== "panel";
        forgetKeys.current = awaitsKeys ? keepEarlyKeys(event.currentTarget) : null;
      }}
      onToggle={(event) => {
        if (event.target !== event.currentTarget) return;
        popup.setOpen(event.newState === "open");
        // A browser returns the focus from the outermost panel only. It may not yet have left the hidden panel.
        const { activeElement } = document;
        const isLost = activeElement === document.body || event.currentTarget.contains(activeElement);
        if (hadFocus.current && isLost) anchor.current?.focus({ preventScroll: true });
        hadFocus.current = false;
      }}
    >
      {open && children}
    </div>
  );
};

/** Ends a panel whose choices apply at once: on a phone, a button closes the sheet, and can say to what it leads. */
export const SheetFoot = ({ popup, words }: { readonly popup: Popup; readonly words?: string | undefined }) => {
  const { say } = useWords();
  return (
    <div className="sheet-foot phone-only">
      <Button look="primary" onClick={popup.close}>
        {words ?? say("popup.done")}
      </Button>
    </div>
  );
};
