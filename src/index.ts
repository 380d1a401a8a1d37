// The public entry: what a program that embeds Ninefold may rely on. Everything else may change from release to release.
export { type Compiled, compile } from "./core/compile.ts";
export type { Finding, FindingCode, Severity } from "./core/findings.ts";
export { type DefaultCode, defaults } from "./core/model/defaults.ts";
export type { Model } from "./core/model/model.ts";
export { type Place, placesIn, type Source } from "./core/text.ts";
export type * as Wire from "./core/wire.ts";
