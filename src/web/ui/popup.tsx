import { type ReactNode, type RefObject, useCallback, useEffect, useId, useRef, useState } from "react";

/**
 * What floats beside its control: the browser's own popover, so it lies above everything, is left with Escape or by
 * pressing elsewhere, and gives focus back. On the phone the same element is a sheet at the foot (`web/styles/floating.css`).
 */
export interface Popup<Anchor extends HTMLElement = HTMLElement> {
  readonly id: string;
  readonly open: boolean;
  close(): void;
  show(): void;
  readonly panel: RefObject<HTMLDivElement | null>;
  readonly anchor: RefObject<Anchor | null>;
  /** Props of the button that opens and closes it. */
  readonly control: {
    readonly ref: RefObject<Anchor | null>;
    readonly popoverTarget: string;
    readonly "aria-expanded": boolean;
    readonly "aria-controls": string | undefined;
  };
  readonly setOpen: (open: boolean) => void;
  /** 0 while it is closed. One that is opened in the moment in which it closes is told of once, as open: it counts one more. */
  readonly opened: number;
}

/** Beside a button, unless said otherwise; what is not a button opens it with `show`. */
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

/** Below its control where there is room, else above it; never off the page. `end` lines up the far edges. */
const place = (panel: HTMLElement, anchor: HTMLElement, side: "start" | "end") => {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const rightward = (side === "start") === (getComputedStyle(anchor).direction !== "rtl");
  const left = rightward ? at.left : at.right - width;
  const below = at.bottom + gap;
  const fitsBelow = below + height <= window.innerHeight - margin;
  const above = at.top - gap - height;
  const clamp = (value: number, most: number) => Math.max(margin, Math.min(value, most - margin));
  panel.style.left = `${clamp(left, window.innerWidth - width)}px`;
  panel.style.top = `${fitsBelow || above < margin ? clamp(below, window.innerHeight - Math.min(height, window.innerHeight - 2 * margin)) : above}px`;
};

const focusable = "button, [href], input, select, textarea, [tabindex='0']";

/** Whoever opened a panel goes on with its first control, or with the panel while it has none. */
export const focusFirst = (panel: HTMLElement | null): void =>
  (panel?.querySelector<HTMLElement>(focusable) ?? panel)?.focus({ preventScroll: true });

interface PanelProps {
  readonly popup: Popup;
  readonly side?: "start" | "end";
  readonly role?: "dialog" | "menu" | "listbox";
  readonly label?: string;
  readonly labelledBy?: string;
  readonly className?: string;
  /** Where focus goes when it opens: the first control, the panel itself, or nowhere (a list under a text box). */
  readonly focus?: "first" | "panel" | "none";
  /** A list that follows a text box must stay while one types in the box. */
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

  useEffect(() => {
    if (opened === 0) return;
    const settle = () => panel.current && anchor.current && place(panel.current, anchor.current, side);
    settle();
    const watch = new ResizeObserver(settle);
    if (panel.current) watch.observe(panel.current);
    window.addEventListener("scroll", settle, { capture: true, passive: true });
    window.addEventListener("resize", settle);
    if (focus === "panel") panel.current?.focus({ preventScroll: true });
    if (focus === "first") focusFirst(panel.current);
    return () => {
      watch.disconnect();
      window.removeEventListener("scroll", settle, { capture: true });
      window.removeEventListener("resize", settle);
    };
  }, [opened, side, focus, panel, anchor]);

  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: each of the roles has a name
    <div
      ref={panel}
      id={popup.id}
      popover={manual ? "manual" : "auto"}
      role={role}
      aria-label={label}
      aria-labelledby={labelledBy}
      tabIndex={-1}
      className={`popup ${className}`.trim()}
      onToggle={(event) => event.target === event.currentTarget && popup.setOpen(event.newState === "open")}
    >
      {open && children}
    </div>
  );
};
