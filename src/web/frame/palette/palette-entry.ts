import type { IconName } from "../../ui/icon.tsx";

export interface PaletteEntry {
  readonly id: string;
  readonly label: string;
  /** True for a record: the server found it by any of its texts, so it is not compared with the input again. */
  readonly isRecord?: boolean;
  readonly icon: IconName;
  /** Text at the end: the kind of record, or the shortcut. */
  readonly note?: string;
  /** True if the text at the end is a shortcut, which touch screens do without. */
  readonly isKeyed?: boolean;
  /** The text of the record that contains the words typed, if its label does not. */
  readonly foundBy?: string;
  readonly run: () => void;
  readonly refused?: { readonly because: string };
  /** Further search words. */
  readonly also?: string;
  /** Not shown before somebody types. */
  readonly isSearchOnly?: boolean;
}

export interface PaletteGroup {
  readonly title: string;
  readonly entries: readonly PaletteEntry[];
}
