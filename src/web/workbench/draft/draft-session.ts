import type { Compile, Compiled } from "../../../core/compile.ts";
import { type ChangedRange, findChangedRange } from "../../../core/document/changed-range.ts";
import { addMember } from "../../../core/document/definition-text.ts";
import { haveSameText } from "../../../core/source-text.ts";
import type { DocumentJson, SourceJson } from "../../../core/wire/authoring/document.ts";
import type { ProposalTextJson } from "../../../core/wire/authoring/proposals.ts";
import type { DraftStorage } from "../../app/draft-store.ts";
import type { DelayedCall } from "../../util/delayed-call.ts";
import { createStore, type Store } from "../../util/store.ts";
import { mergeTexts } from "./merge-texts.ts";

/** The version that the draft was made from, and the draft. */
export interface DraftState {
  readonly inForce: DocumentJson;
  /** The version that is live meanwhile, if somebody else published one. */
  readonly newer: DocumentJson | null;
  readonly files: readonly SourceJson[];
  readonly changed: boolean;
  /** The proposal whose text is edited; null for a draft of its own. */
  readonly proposal: EditedProposal | null;
  /** The previews of the draft that were started on this device. They end with it. */
  readonly previews: readonly string[];
  /** The note that its version or its proposal will have. */
  readonly note: string;
}

/** A proposal, and the text of it that was opened. */
export interface EditedProposal {
  readonly number: number;
  readonly revision: number;
  readonly note: string;
}

export interface DraftSession {
  readonly store: Store<DraftState>;
  change(file: string, text: string): void;
  /** Takes over a text that is being typed. It is shown and stored when typing pauses, so that a key waits for neither. */
  type(file: string, text: string): void;
  /** Remembers a preview of the draft. */
  addPreview(preview: string): void;
  /** Remembers the note that is being typed, so that it survives a look at the text or at a record. */
  setNote(note: string): void;
  /** Discards the draft, in favour of the version that is live. The result brings it back. */
  discard(): () => void;
  /**
   * Makes the text of a proposal the draft, based on the version that it began from. The result brings back the draft that
   * it replaced; null if there was none.
   */
  open(proposal: ProposalTextJson, live: DocumentJson): (() => void) | null;
  /**
   * Makes the text of an earlier version the draft, based on the version that is live. The result brings back the draft that
   * it replaced; null if there was none.
   */
  restore(files: readonly SourceJson[], live: DocumentJson): (() => void) | null;
  /** The draft is live now, as this version. */
  markPublished(version: Pick<DocumentJson, "version" | "hash">): void;
  /** Takes note of the version that is live. An unchanged draft follows it. */
  follow(live: DocumentJson): void;
  /** Merges the draft with the newer version. Returns the number of places that both changed. */
  update(): number;
  /** Shows and stores a text that was just typed. Call it before the page can be closed, and when the focus leaves the text. */
  flush(): void;
}

/** Where a draft begins. */
type DraftBase = Pick<DraftState, "inForce" | "newer" | "proposal"> & Partial<Pick<DraftState, "previews" | "note">>;

const KEY = "ninefold draft of the document";

/** The key of the text that a draft was made from. It is stored once, because most of a large text stays the same. */
const toBaseKey = (hash: string): string => `${KEY}, made from ${hash}`;

/** A version that a draft was made from. */
type StoredBase = Pick<DocumentJson, "version" | "files">;

/** A file of a draft: the range that differs from its version, or the whole text if that version has no such file. */
type StoredFile = { readonly file: string } & (ChangedRange | { readonly text: string } | object);

interface StoredDraft {
  /** The hash of the version that the draft was made from. */
  readonly base: string;
  readonly files: readonly StoredFile[];
  /** That version, in drafts of earlier releases. */
  readonly from?: StoredBase;
  readonly proposal?: EditedProposal;
  readonly previews?: readonly string[];
  readonly note?: string;
}

const toStoredFile = ({ file, text }: SourceJson, base: readonly SourceJson[]): StoredFile => {
  const before = base.find((source) => source.file === file);
  return before === undefined ? { file, text } : { file, ...findChangedRange(before.text, text) };
};

const readStoredFile = (stored: StoredFile, base: readonly SourceJson[]): SourceJson => {
  const { file } = stored;
  if ("text" in stored) return { file, text: stored.text };
  const before = base.find((source) => source.file === file)?.text ?? "";
  if (!("insert" in stored)) return { file, text: before };
  return { file, text: before.slice(0, stored.from) + stored.insert + before.slice(stored.to) };
};

const readStored = (shelf: () => DraftStorage, key: string): unknown => {
  try {
    return JSON.parse(shelf().getItem(key) ?? "null");
  } catch {
    return null;
  }
};

const loadDraft = (shelf: () => DraftStorage): StoredDraft | null => {
  const draft = readStored(shelf, KEY);
  return typeof draft === "object" && draft !== null && "base" in draft && "files" in draft
    ? (draft as StoredDraft)
    : null;
};

const loadBase = (shelf: () => DraftStorage, hash: string): StoredBase | undefined => {
  const base = readStored(shelf, toBaseKey(hash));
  return typeof base === "object" && base !== null && "files" in base ? (base as StoredBase) : undefined;
};

/** Stores a draft, or deletes the stored one. Each save writes as much as changed, so that it does not delay a key. */
const saveDraft = (shelf: () => DraftStorage, drafted: DraftState): void => {
  const { inForce, files, changed, proposal, previews, note } = drafted;
  try {
    const before = loadDraft(shelf)?.base;
    if (before !== undefined && (!changed || before !== inForce.hash)) shelf().removeItem(toBaseKey(before));
    if (!changed) {
      shelf().removeItem(KEY);
      return;
    }
    const key = toBaseKey(inForce.hash);
    // Another tab can have deleted it.
    if (shelf().getItem(key) === null) {
      const base: StoredBase = { version: inForce.version, files: inForce.files };
      shelf().setItem(key, JSON.stringify(base));
    }
    const draft: StoredDraft = {
      base: inForce.hash,
      files: files.map((file) => toStoredFile(file, inForce.files)),
      previews,
      note,
      ...(proposal === null ? {} : { proposal }),
    };
    shelf().setItem(KEY, JSON.stringify(draft));
  } catch {
    // Without storage, the draft lasts as long as the page.
  }
};

/**
 * The draft stored on this device, with the text that it was made from. Null if there is none, or if that text is not
 * stored.
 */
export const readStoredDraft = (
  live: DocumentJson,
  shelf: () => DraftStorage,
): Pick<DraftState, "inForce" | "files" | "proposal" | "previews" | "note"> | null => {
  const draft = loadDraft(shelf);
  if (draft === null) return null;
  const { base, proposal = null, previews = [], note = proposal?.note ?? "" } = draft;
  const from = draft.from ?? loadBase(shelf, base);
  const inForce = base === live.hash ? live : from && { ...from, hash: base, fixed: live.fixed };
  if (inForce === undefined) return null;
  return { inForce, files: draft.files.map((file) => readStoredFile(file, inForce.files)), proposal, previews, note };
};

/** When a draft that is being typed is shown outside of its editor, and when it is stored. */
export interface DraftDelays {
  readonly show: (act: () => void) => DelayedCall;
  readonly store: (act: () => void) => DelayedCall;
}

const atOnce = (act: () => void): DelayedCall => ({ request: act, flush: () => undefined });

/**
 * Starts with the draft stored on this device, otherwise with the text that is live. A draft of an earlier version stays
 * as it is until its author updates or discards it.
 */
export const createDraftSession = (
  live: DocumentJson,
  shelf: () => DraftStorage,
  delays: DraftDelays = { show: atOnce, store: atOnce },
): DraftSession => {
  const createState = (
    { inForce, newer, proposal, previews = [], note = proposal?.note ?? "" }: DraftBase,
    files: readonly SourceJson[],
  ): DraftState => ({
    inForce,
    newer,
    files,
    changed: !haveSameText(files, inForce.files),
    proposal,
    previews,
    note,
  });
  const newerThan = (inForce: DocumentJson, other: DocumentJson): DocumentJson | null =>
    inForce.hash === other.hash ? null : other;
  const stored = readStoredDraft(live, shelf) ?? {
    inForce: live,
    files: live.files,
    proposal: null,
    previews: [],
    note: "",
  };
  const start = { ...stored, newer: newerThan(stored.inForce, live) };
  const store = createStore(
    haveSameText(stored.files, stored.inForce.files)
      ? createState({ inForce: live, newer: null, proposal: null }, live.files)
      : createState(start, stored.files),
  );
  const saving = delays.store(() => saveDraft(shelf, store.get()));
  const showing = delays.show(() => store.notify());
  const withText = (file: string, text: string): DraftState =>
    createState(
      store.get(),
      store.get().files.map((source) => (source.file === file ? { file, text } : source)),
    );
  const setFiles = (files: readonly SourceJson[], of: DraftBase): void => {
    store.set(createState(of, files));
    saving.request();
    saving.flush();
  };
  return {
    store,
    change: (file, text) => {
      store.set(withText(file, text));
      saving.request();
    },
    type: (file, text) => {
      store.setQuietly(withText(file, text));
      showing.request();
      saving.request();
    },
    addPreview: (preview) => {
      const now = store.get();
      setFiles(now.files, { ...now, previews: [...now.previews, preview] });
    },
    setNote: (note) => {
      store.set({ ...store.get(), note });
      saving.request();
    },
    discard: () => {
      const before = store.get();
      const next = before.newer ?? before.inForce;
      setFiles(next.files, { inForce: next, newer: null, proposal: null });
      return () => setFiles(before.files, before);
    },
    open: ({ number, revision, note, files, before: base, base: version, state }, next) => {
      const before = store.get();
      const isOutdated = state === "outdated";
      // A text that is not live needs no hash: it is merged with the live one before it is sent.
      const inForce = isOutdated ? { version, hash: `version ${version}`, files: base, fixed: next.fixed } : next;
      setFiles(files, { inForce, newer: isOutdated ? next : null, proposal: { number, revision, note } });
      return before.changed && !haveSameText(before.files, files) ? () => setFiles(before.files, before) : null;
    },
    restore: (files, live) => {
      const before = store.get();
      setFiles(files, { inForce: live, newer: null, proposal: null });
      return before.changed && !haveSameText(before.files, files) ? () => setFiles(before.files, before) : null;
    },
    markPublished: ({ version, hash }) => {
      const { inForce, files } = store.get();
      setFiles(files, { inForce: { ...inForce, version, hash, files }, newer: null, proposal: null });
    },
    follow: (next) => {
      const now = store.get();
      if (now.changed && !haveSameText(now.files, next.files)) {
        if (next.hash !== (now.newer ?? now.inForce).hash) store.set({ ...now, newer: newerThan(now.inForce, next) });
      } else if (next.hash !== now.inForce.hash) setFiles(next.files, { inForce: next, newer: null, proposal: null });
    },
    update: () => {
      const { inForce, newer, files, proposal, previews, note } = store.get();
      if (newer === null) return 0;
      const merged = mergeTexts(inForce.files, files, newer.files);
      setFiles(merged.files, { inForce: newer, newer: null, proposal, previews, note });
      return merged.collisions.length;
    },
    flush: () => {
      showing.flush();
      saving.flush();
    },
  };
};

/** A position in a file. */
export interface EditorSelection {
  readonly from: number;
  readonly to: number;
  /** Shows the position without moving the focus. */
  readonly quiet?: true;
}

/** Adds the permissions of an entity before those of another one. */
const insertAnswer = (text: string, key: number, entity: string, says: string): string => {
  const before = text.slice(text.lastIndexOf("\n", key - 1) + 1, key);
  const isBlock = before.trim() === "";
  return `${text.slice(0, key)}${entity}: { ${says} }${isBlock ? `\n${before}` : ", "}${text.slice(key)}`;
};

/** Adds the first permissions to a document: to the last block of point 6, or in a new one. */
const answerFirst = (text: string, entity: string, says: string): string => {
  const clause = `permissions:\n  ${entity}: { ${says} }\n`;
  const heading = /^## 6\..*$/mu.exec(text);
  if (heading === null) return `${text.trimEnd()}\n\n## 6. Roles and permissions\n\n\`\`\`yaml\n${clause}\`\`\`\n`;
  const from = heading.index + heading[0].length;
  const next = text.slice(from).search(/^## /mu);
  const point = next < 0 ? text.slice(from) : text.slice(from, from + next);
  const rest = text.slice(from + point.length);
  const fence = point.lastIndexOf("\n```");
  return fence < 0
    ? `${text.slice(0, from)}${point.trimEnd()}\n\n\`\`\`yaml\n${clause}\`\`\`\n\n${rest}`
    : `${text.slice(0, from)}${point.slice(0, fence + 1)}${clause}${point.slice(fence + 1)}${rest}`;
};

/** A clause that answers a question. */
interface DecidedQuestion {
  /** `Box.read` */
  readonly do: string;
  readonly writes: string;
}

/** Writes a decision into the text. Undefined if that is not possible automatically. */
export const decide = (
  files: readonly SourceJson[],
  decided: DecidedQuestion,
  compile: Compile,
): readonly SourceJson[] | undefined => {
  const [name = "", what = ""] = decided.do.split(".");
  const { model } = compile(files);
  const entity = model?.entities.get(name);
  if (model === undefined || entity === undefined) return undefined;
  const transition = entity.states?.transitions.get(what);
  const neighbour = [...model.entities.values()].find(
    ({ permissions }) => permissions !== null && isWritten(permissions.clause.span),
  );
  const span = transition?.clause.span ?? entity.permissions?.clause.span ?? neighbour?.permissions?.clause.span;
  const file = span?.file ?? files.at(-1)?.file;
  const changed = files.map((source) => {
    if (source.file !== file) return source;
    const { text } = source;
    const next =
      span === undefined
        ? answerFirst(text, name, decided.writes)
        : transition === undefined && entity.permissions === null
          ? insertAnswer(text, span.start, name, decided.writes)
          : addMember(text, span.start, decided.writes);
    return next === undefined ? source : { file: source.file, text: next };
  });
  return isDecided(compile(changed), name, what) ? changed : undefined;
};

/** True for text in the document, rather than a built-in default. */
const isWritten = ({ file }: { readonly file: string }): boolean => file !== "";

const isDecided = ({ model }: Compiled, name: string, what: string): boolean => {
  const entity = model?.entities.get(name);
  if (entity === undefined) return false;
  const transition = entity.states?.transitions.get(what);
  if (transition !== undefined) return transition.by !== null;
  return entity.permissions !== null && ![...entity.permissions.silent].some((action) => action === what);
};
