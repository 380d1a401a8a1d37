import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { StateMarkJson as Mark } from "../../../core/wire/entities.ts";
import { useTypeAhead } from "../dom/use-type-ahead.ts";
import { Icon, type IconName } from "../icon.tsx";
import { Link } from "../link.tsx";
import { StateMark } from "../state-mark.tsx";
import { UnbrokenNumbers } from "../unbroken-numbers.tsx";
import { type Popup, PopupPanel } from "./popup.tsx";

export interface MenuItem {
  readonly key: string;
  readonly label: string;
  readonly icon?: IconName;
  /** Address or action; neither for a refused item. */
  readonly href?: string;
  readonly act?: () => void;
  /** Why it is refused: the item stays in its place and says so; null if its note is enough. */
  readonly refused?: { readonly because: string } | null;
  /** For a refused item: explains the reason. Without it, the reason is part of the item. */
  readonly ask?: () => void;
  /** The action opens a dialog. */
  readonly asks?: true;
  /** The item in use: a check mark at its end says so, as in lists of options. */
  readonly current?: boolean;
  /** Icon of the state that it leads to. */
  readonly mark?: Mark;
  /** Short text at its end, such as a shortcut. */
  readonly note?: string;
  readonly className?: string;
  /** Further words by which the command palette finds it. */
  readonly also?: string;
}

interface MenuProps {
  readonly popup: Popup;
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** Further items at the end, behind one that shows them. */
  readonly folded?: { readonly label: string; readonly items: readonly MenuItem[] };
  readonly side?: "start" | "end";
  /** Content above the items: the signed-in user. */
  readonly children?: ReactNode;
}

/** A menu following the ARIA pattern: arrow keys and typed letters move, Home and End jump, Tab leaves. */
export const Menu = ({ popup, label, items, folded, side = "end", children }: MenuProps) => {
  const list = useRef<HTMLDivElement>(null);
  const findTyped = useTypeAhead();
  const entries = () => [...(list.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])].filter(isShown);

  useEffect(() => {
    if (popup.opened === 0) return;
    const shown = [...(list.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])].filter(isShown);
    // From the item in use, the keyboard goes on to its neighbours.
    (shown.find((entry) => entry.hasAttribute("data-current")) ?? shown[0])?.focus();
  }, [popup.opened]);

  const move = (event: KeyboardEvent) => {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const go = (to: number) => {
      event.preventDefault();
      all.at(to % all.length)?.focus();
    };
    if (event.key === "ArrowDown") go(at + 1);
    else if (event.key === "ArrowUp") go(at - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(-1);
    else if (event.key === "Tab") popup.close();
    else findTyped(event, all)?.focus();
  };

  return (
    <PopupPanel popup={popup} side={side} role="dialog" label={label} className="menu" focus="none">
      {children ?? (
        <p className="menu-title small-words phone-only" aria-hidden="true">
          {label}
        </p>
      )}
      <div ref={list} role="menu" aria-label={label} tabIndex={-1} onKeyDown={move}>
        {items.map((item) => (
          <MenuEntry key={item.key} item={item} close={popup.close} />
        ))}
        {folded !== undefined && folded.items.length > 0 && <FoldedItems {...folded} close={popup.close} />}
      </div>
    </PopupPanel>
  );
};

/** An item that shows others below it. They are behind it again when the menu is opened anew. */
const FoldedItems = ({ label, items, close }: NonNullable<MenuProps["folded"]> & { readonly close: () => void }) => {
  const [isUnfolded, setUnfolded] = useState(false);
  return (
    <>
      <button
        type="button"
        role="menuitem"
        tabIndex={-1}
        className="menu-item menu-fold"
        aria-expanded={isUnfolded}
        onClick={() => setUnfolded(!isUnfolded)}
      >
        <Icon name={isUnfolded ? "up" : "down"} />
        <span className="menu-words">{label}</span>
      </button>
      {isUnfolded && items.map((item) => <MenuEntry key={item.key} item={item} close={close} />)}
    </>
  );
};

const isShown = (entry: HTMLElement) => entry.offsetParent !== null;

const MenuEntry = ({ item, close }: { item: MenuItem; close: () => void }) => {
  const reason = useId();
  // Refused items take one line each if their reason can be opened, so that possible ones stand out.
  const behind = item.refused && item.ask ? item.refused : null;
  const inside = (
    <>
      {behind ? <Icon name="lock" /> : item.icon && <Icon name={item.icon} />}
      {item.mark && !behind && <StateMark mark={item.mark} />}
      <span className="menu-words">
        <span>
          <UnbrokenNumbers words={item.label} />
        </span>
        {item.refused && !behind && <span className="menu-why">{item.refused.because}</span>}
      </span>
      {item.note && <span className="menu-note">{item.note}</span>}
      {item.current && item.href === undefined && (
        <span className="menu-check">
          <Icon name="check" />
        </span>
      )}
    </>
  );
  const shared = { role: "menuitem", tabIndex: -1, className: `menu-item ${item.className ?? ""}`.trim() } as const;
  if (item.href !== undefined)
    return (
      <Link {...shared} href={item.href} onClick={close} aria-current={item.current ? "page" : undefined}>
        {inside}
      </Link>
    );
  const press = () => {
    const refused = item.refused !== undefined;
    if (refused && !item.ask) return;
    close();
    if (refused) item.ask?.();
    else item.act?.();
  };
  return (
    <>
      <button
        type="button"
        {...shared}
        data-current={item.current ? "" : undefined}
        aria-disabled={item.refused === undefined ? undefined : true}
        aria-haspopup={item.asks || behind ? "dialog" : undefined}
        aria-describedby={behind ? reason : undefined}
        title={behind?.because}
        onClick={press}
      >
        {inside}
      </button>
      {behind && (
        <span id={reason} hidden>
          {behind.because}
        </span>
      )}
    </>
  );
};
