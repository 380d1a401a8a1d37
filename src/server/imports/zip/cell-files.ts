import { type Message, quoted, say } from "../../../core/i18n/message.ts";
import { splitCell } from "../../../core/import/read-cell.ts";
import type { ImportRow } from "../table-parts.ts";
import { NamesOfFiles } from "./name-files.ts";
import type { OpenedZip, ZippedFile } from "./open-zip.ts";

/** Collects the files that the cells of a table name, whichever columns are matched later. */
export class CellFiles {
  readonly #names: NamesOfFiles;
  /** The files by the text of a cell; several if their name is not unique. */
  readonly named = new Map<string, readonly ZippedFile[]>();

  /** `files`: those that a row can name; none if no field takes files. */
  constructor(files: readonly ZippedFile[]) {
    this.#names = new NamesOfFiles(files);
  }

  add(rows: readonly ImportRow[]): void {
    for (const [, cells] of rows)
      for (const cell of cells) for (const text of new Set([cell, ...splitCell(cell)])) this.#addText(text);
  }

  #addText(text: string): void {
    if (text === "" || this.named.has(text)) return;
    const files = this.#names.find(text);
    if (files !== undefined) this.named.set(text, files);
  }

  /** Sentences about the files of a ZIP file that no row names. */
  remarks({ outside }: OpenedZip, files: readonly ZippedFile[]): readonly Message[] {
    const used = new Set([...this.named.values()].flat());
    return [
      ...outside.map((path) => say("table.file.outside", { file: quoted(path) })),
      ...files.flatMap((file) => (used.has(file) ? [] : [say("table.file.unnamed", { file: quoted(file.path) })])),
    ];
  }
}
