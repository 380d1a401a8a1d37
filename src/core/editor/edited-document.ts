import { type Compiled, createCompiler } from "../compile.ts";
import { createDocumentCache, readDocument } from "../document/read.ts";
import { haveSameText, type Source } from "../source-text.ts";
import {
  type DocumentSymbol,
  indexExpressions,
  indexMentions,
  indexSymbols,
  type Occurrence,
  type SymbolIndex,
  symbolKey,
} from "./symbols.ts";

/**
 * A document while an author types in it: its text, its model and its names, each computed when it is first needed. It
 * remembers what it read before, so that each costs as much as the part that changed.
 */
export class EditedDocument {
  readonly compileNext = createCompiler();
  readonly #parts = createDocumentCache();
  #sources: readonly Source[] = [];
  #compiled: Compiled | undefined;
  #index: SymbolIndex | undefined;
  /** The names of the last text whose blocks had no mistake. */
  #lastWhole: SymbolIndex | undefined;
  #occurrences: readonly Occurrence[] | undefined;

  get sources(): readonly Source[] {
    return this.#sources;
  }

  /** Takes over a new text. It is compiled only when an answer needs that, so completion does not wait for it. */
  open(sources: readonly Source[]): void {
    if (haveSameText(this.#sources, sources)) return;
    this.#sources = sources;
    this.#index = undefined;
    this.#occurrences = undefined;
    this.#compiled = undefined;
  }

  compile(): Compiled {
    this.#compiled ??= this.compileNext(this.#sources);
    return this.#compiled;
  }

  textOf(file: string): string {
    return this.#sources.find((source) => source.file === file)?.text ?? "";
  }

  /** Names that a block with a mistake hides at the moment are those that it had before. */
  getIndex(): SymbolIndex {
    if (this.#index !== undefined) return this.#index;
    const { value, findings } = readDocument(this.#sources, this.#parts);
    const fresh = indexSymbols(value);
    const before = this.#lastWhole;
    if (!findings.some(({ severity }) => severity === "error") || before === undefined) {
      this.#lastWhole = fresh;
      this.#index = fresh;
    } else
      this.#index = {
        ...fresh,
        entities: new Map([...before.entities, ...fresh.entities]),
        records: new Map([...before.records, ...fresh.records]),
        roles: [...new Set([...fresh.roles, ...before.roles])],
        errors: [...new Set([...fresh.errors, ...before.errors])],
        limits: [...new Set([...fresh.limits, ...before.limits])],
      };
    return this.#index;
  }

  getOccurrences(): readonly Occurrence[] {
    if (this.#occurrences !== undefined) return this.#occurrences;
    const { model, mentions } = this.compile();
    const own = this.getIndex().occurrences;
    // The compiler knows whose field a place names. The form of the text tells it only in a text with errors.
    const all = [
      ...own.filter(({ isDefinition }) => isDefinition),
      ...indexMentions(mentions, this.#sources),
      ...own.filter(({ isDefinition }) => !isDefinition),
      ...(model === undefined ? [] : indexExpressions(model, this.#sources, this.getIndex().constantWords)),
    ];
    const known = new Map<string, Occurrence>();
    this.#occurrences = all.filter((occurrence) => {
      const { span, standsFor } = occurrence;
      const key = `${span.file} ${span.start} ${span.end}`;
      const first = known.get(key);
      if (first === undefined) known.set(key, occurrence);
      return first === undefined || (first.standsFor === "key" && standsFor === "value");
    });
    return this.#occurrences;
  }

  findAll(symbol: DocumentSymbol): readonly Occurrence[] {
    return this.getOccurrences().filter((occurrence) => symbolKey(occurrence.symbol) === symbolKey(symbol));
  }
}
