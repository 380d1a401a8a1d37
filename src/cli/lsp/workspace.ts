import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { TextDocuments } from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { createEditor, type Editor } from "../../core/editor/editor.ts";
import type { LanguageReference } from "../../core/editor/reference.ts";
import type { Finding } from "../../core/findings.ts";
import type { Source } from "../../core/source-text.ts";
import { createSerializer } from "../../server/util/serializer.ts";
import { findSpecification, opensPoint } from "./find-specification.ts";

/** A file of a specification. */
interface SpecificationFile {
  /** Its name in findings, which is also its key. */
  readonly file: string;
  readonly uri: string;
  /** The stored text, for a file that is not open. */
  readonly stored: TextDocument;
}

/** The files of one specification, and what an editor knows about them. */
export class Specification {
  readonly editor: Editor;
  readonly #files: readonly SpecificationFile[];
  readonly #findOpen: (uri: string) => TextDocument | undefined;

  constructor(
    files: readonly SpecificationFile[],
    findOpen: (uri: string) => TextDocument | undefined,
    reference: LanguageReference,
  ) {
    this.#files = files;
    this.#findOpen = findOpen;
    this.editor = createEditor(() => reference);
  }

  get uris(): readonly string[] {
    return this.#files.map(({ uri }) => uri);
  }

  /** The texts as they are now: those of open files come from the editor. */
  get sources(): readonly Source[] {
    return this.#files.map(({ file }) => ({ file, text: this.getText(file).getText() }));
  }

  /** The name of a file in findings. */
  getFile(uri: string): string {
    return this.#files.find((one) => one.uri === uri)?.file ?? "";
  }

  getUri(file: string): string {
    return this.#files.find((one) => one.file === file)?.uri ?? "";
  }

  /** The text of a file, in which offsets become positions. */
  getText(file: string): TextDocument {
    const found = this.#files.find((one) => one.file === file);
    if (found === undefined) throw new Error(`there is no file ${file}`);
    return this.#findOpen(found.uri) ?? found.stored;
  }

  /** The findings; none for a Markdown file that is no specification. */
  compile(): readonly Finding[] {
    this.refresh();
    if (!this.sources.some(({ text }) => opensPoint(text))) return [];
    return this.editor.compile().findings;
  }

  /** Takes over what was typed since. */
  refresh(): void {
    this.editor.open(this.sources);
  }
}

const toPath = async (uri: string): Promise<string | undefined> => {
  if (!uri.startsWith("file:")) return undefined;
  const path = fileURLToPath(uri);
  return realpath(path).catch(() => path);
};

/** The specifications of which files are open. */
export class Workspace {
  readonly #documents: TextDocuments<TextDocument>;
  readonly #reference: LanguageReference;
  readonly #specifications = new Map<string, Promise<Specification>>();
  /** Those that were read, so that two files of one folder share one. */
  #known: readonly Specification[] = [];
  readonly #serialize = createSerializer();
  #roots: readonly string[] = [];

  constructor(documents: TextDocuments<TextDocument>, reference: LanguageReference) {
    this.#documents = documents;
    this.#reference = reference;
  }

  /** `uris`: the folders that the editor has open. Files above them are not read. */
  async setRoots(uris: readonly string[]): Promise<void> {
    const paths = await Promise.all(uris.map(toPath));
    this.#roots = paths.flatMap((path) => path ?? []);
  }

  /** The specification of an open file. */
  find(uri: string): Promise<Specification> {
    const known = this.#specifications.get(uri);
    if (known !== undefined) return known;
    const found = this.#serialize(() => this.#read(uri));
    this.#specifications.set(uri, found);
    return found;
  }

  /** The specifications of all open files. */
  async all(): Promise<readonly Specification[]> {
    return [...new Set(await Promise.all([...this.#specifications.values()]))];
  }

  /** Reads the folders again, because files were added, changed or deleted. */
  forget(): void {
    this.#specifications.clear();
    this.#known = [];
  }

  async #read(uri: string): Promise<Specification> {
    const shared = this.#known.find(({ uris }) => uris.length > 1 && uris.includes(uri));
    const found = shared ?? (await this.#readFiles(uri));
    this.#known = [...this.#known, found];
    return found;
  }

  async #readFiles(uri: string): Promise<Specification> {
    const findOpen = (other: string) => this.#documents.get(other);
    const path = await toPath(uri);
    const found = path === undefined ? undefined : await findSpecification(path, this.#roots);
    if (found?.files.some((file) => file.path === path) !== true) {
      const stored = TextDocument.create(uri, "markdown", 0, "");
      return new Specification([{ file: decodeURIComponent(basename(uri)), uri, stored }], findOpen, this.#reference);
    }
    const uris = new Map(
      await Promise.all(
        this.#documents.keys().map(async (open): Promise<[string | undefined, string]> => [await toPath(open), open]),
      ),
    );
    const files = found.files.map((file): SpecificationFile => {
      const own = uris.get(file.path) ?? pathToFileURL(file.path).href;
      const stored = TextDocument.create(own, "markdown", 0, file.source.text);
      return { file: file.source.file, uri: own, stored };
    });
    return new Specification(files, findOpen, this.#reference);
  }
}
