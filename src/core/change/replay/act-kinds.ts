import type { ReplayedKindJson } from "../../wire/authoring/replay.ts";
import type { AuditLine } from "./audit-line.ts";

const toKind = ({ entity, action }: Pick<AuditLine, "entity" | "action">): string => `${entity} ${action}`;

/** Progress by kind of act: the newest `most` changes of each kind are checked. Names are those of the time. */
export class ActKinds {
  readonly #kinds: ReadonlyMap<string, ReplayedKindJson & { judged: number; left: number }>;
  readonly #most: number;

  constructor(changes: readonly Omit<ReplayedKindJson, "judged">[], most: number) {
    this.#kinds = new Map(changes.map((change) => [toKind(change), { ...change, judged: 0, left: change.changes }]));
    this.#most = most;
  }

  /** True if the lines of an act include one of a kind of which too few were checked. */
  isWanted(lines: readonly AuditLine[]): boolean {
    return lines.some((line) => {
      const kind = this.#kinds.get(toKind(line));
      return kind === undefined || kind.judged < this.#most;
    });
  }

  count(lines: readonly AuditLine[], isChecked: boolean): void {
    for (const line of lines) {
      const kind = this.#kinds.get(toKind(line));
      if (kind === undefined) continue;
      kind.left--;
      if (isChecked) kind.judged++;
    }
  }

  /** True if enough changes were checked of each kind that still has some left. */
  isFull(): boolean {
    const open = [...this.#kinds.values()].filter(({ left }) => left > 0);
    return open.length > 0 && open.every((kind) => kind.judged >= this.#most);
  }

  /** Kinds of which only the newest changes were checked. */
  cut(): readonly ReplayedKindJson[] {
    return [...this.#kinds.values()]
      .filter((kind) => kind.judged < kind.changes)
      .map(({ entity, action, judged, changes }) => ({ entity, action, judged, changes }))
      .toSorted((a, b) => b.changes - a.changes);
  }
}
