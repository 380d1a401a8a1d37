import type { Spanned } from "../../document/shape.ts";
import type { Scope } from "../../expression/values/type.ts";
import type { Call } from "../../model/endpoint.ts";
import type { UniquenessRule } from "../../model/entity.ts";
import type { Span } from "../../source-text.ts";
import type { LinkedErrors } from "../linking/error-catalogue.ts";
import type { Linking } from "../linking/link-context.ts";
import type { EffectNames } from "../states/effects.ts";
import type { PayloadNames } from "./payloads.ts";

/** Names that calls can refer to. */
export interface CallNames extends EffectNames {
  /** Paths of the screens. */
  readonly screens: readonly string[];
  /** Global roles. */
  readonly roles: ReadonlySet<string>;
  /** Global roles that an administrator grants. */
  readonly granted: ReadonlySet<string>;
  /** How people register, if the document has a clause on registration. */
  readonly signsUp: "with a mailed link" | "at once" | null;
  /** The header in which programs send a token. */
  readonly token: string;
  /** Fields that people must enter to register. */
  readonly registrationFields: readonly string[];
  /** Uniqueness rules by entity. */
  readonly uniquenessRules: ReadonlyMap<string, readonly UniquenessRule[]>;
  readonly errorCatalogue: LinkedErrors & {
    /** Codes that rules raise. */
    readonly raised: ReadonlySet<string>;
  };
}

/** The method and path of a call. */
export interface CallPlace {
  readonly name: string;
  readonly key: Span;
  readonly method: Call["method"];
  /** The path as written, without the base path. */
  readonly path: string;
  readonly base: string;
  /** Settings of all calls, used where a call has none of its own. */
  readonly usual: {
    readonly statuses: ReadonlyMap<string, Spanned<string>>;
    readonly headers: readonly (readonly [name: string, value: string])[];
    readonly ignoresUnknown: boolean;
    readonly omitsMissing: boolean;
    readonly accepts: Call["accepts"];
  };
}

/** Everything that the parts of one call are linked against. */
export interface CallContext {
  /** The clause of the call, named in findings. */
  readonly clause: string;
  readonly names: CallNames;
  readonly shapes: PayloadNames;
  readonly scope: Scope;
  readonly linking: Linking;
}
