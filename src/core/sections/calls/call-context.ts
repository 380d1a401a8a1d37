import type { Said } from "../../document/shape.ts";
import type { Call, UniquenessRule } from "../../model/model.ts";
import type { Span } from "../../source-text.ts";
import type { EffectNames } from "../states/effects.ts";

/** What calls may name. */
export interface CallNames extends EffectNames {
  /** The addresses of the screens. */
  readonly screens: readonly string[];
  /** Roles that a person holds everywhere. */
  readonly roles: ReadonlySet<string>;
  /** Those of them that an administrator grants. */
  readonly granted: ReadonlySet<string>;
  /** Whether the document says who may register. */
  readonly signsUp: boolean;
  /** What holds between the records of each entity. */
  readonly together: ReadonlyMap<string, readonly UniquenessRule[]>;
}

/** A method and a path, and what stands under them. */
export interface CallPlace {
  readonly name: string;
  readonly key: Span;
  readonly method: Call["method"];
  /** As written, without the base. */
  readonly path: string;
  readonly base: string;
  /** What all calls have in common, where they say nothing else. */
  readonly usual: {
    readonly statuses: ReadonlyMap<string, Said<string>>;
    readonly headers: readonly (readonly [name: string, value: string])[];
  };
}
