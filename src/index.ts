// The public entry: what a program that embeds Ninefold may rely on. Everything else may change from release to release.
export { type Compiled, compile } from "./core/compile.ts";
export type { Finding, FindingCode, Severity } from "./core/findings.ts";
export { type DefaultCode, defaults } from "./core/model/defaults.ts";
export type { Model } from "./core/model/model.ts";
export { type Place, placesIn, type Source } from "./core/source-text.ts";
// Responses of the calls below /api. Calls below /_/ belong to the browser application.
export type { HistoryJson, HistoryLine, LineCause, PartLine } from "./core/wire/history.ts";
export type { Json } from "./core/wire/json.ts";
export type { Count, ListJson } from "./core/wire/lists.ts";
export type { Problem, ProblemAt } from "./core/wire/problems.ts";
export type { Capabilities, FileJson, MoneyJson, RecordJson, ReferenceJson, WhyNot } from "./core/wire/records.ts";
export type { StepJson, WayJson, WhyJson } from "./core/wire/why.ts";
