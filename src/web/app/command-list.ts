import type { EntityJson } from "../../core/wire/entities.ts";
import type { WhyNot } from "../../core/wire/records.ts";
import { createStore, type Store } from "../util/store.ts";

/** A command of the current page. */
export interface Command {
  readonly label: string;
  /** Its shortcut. */
  readonly keys?: string;
  /** Text at the end of its entry instead. */
  readonly note?: string;
  readonly run: () => void;
  readonly refused?: Pick<WhyNot, "because">;
  /** For a refused command: explains the reason. Without it, the permissions on the page's record are explained. */
  readonly ask?: () => void;
  /** Found by searching, and not listed before. */
  readonly isSearchOnly?: true;
  /** A tool of the page, such as an export. Without it, the command acts on the records that are shown. */
  readonly isTool?: true;
}

/** Acts of a list on one of its rows. The palette offers it for the row that had the focus. */
export interface RowCommands {
  readonly entity: EntityJson;
  /** Opens the menu of a row beside its link. */
  readonly menu: (id: string, link: HTMLElement) => void;
  readonly edit: (value: { readonly id: string; readonly field: string; readonly cell: HTMLElement }) => void;
}

/** The commands of the current page, collected from the components that offer them. */
export interface CommandList extends Pick<Store<readonly Command[]>, "get" | "subscribe"> {
  /** Replaces the commands that a component has offered before. */
  readonly offer: (component: string, commands: readonly Command[]) => void;
  readonly withdraw: (component: string) => void;
  readonly ofRow: Store<RowCommands | null>;
}

export const createCommandList = (): CommandList => {
  const offers = new Map<string, readonly Command[]>();
  const all = createStore<readonly Command[]>([]);
  const publish = () => all.set([...offers.values()].flat());
  return {
    get: all.get,
    subscribe: all.subscribe,
    offer: (component, commands) => {
      offers.set(component, commands);
      publish();
    },
    ofRow: createStore<RowCommands | null>(null),
    withdraw: (component) => {
      offers.delete(component);
      publish();
    },
  };
};
