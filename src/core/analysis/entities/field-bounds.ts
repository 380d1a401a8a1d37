import Big from "big.js";
import { toJs } from "../../expression/compile/to-js.ts";
import { type Duration, durationLength } from "../../expression/values/duration.ts";
import { readDuration, toIsoDuration } from "../../expression/values/iso-duration.ts";
import type { Type } from "../../expression/values/type.ts";
import { noRecord, type Value } from "../../expression/values/value.ts";
import { type Finding, finding } from "../../findings.ts";
import type { Field } from "../../model/field.ts";
import { durationWords } from "../../model/format.ts";
import type { Model } from "../../model/model.ts";

/** Finds bounds that exclude every value, and defaults outside their field's bounds. */
export const analyzeFieldBounds = (model: Model): readonly Finding[] =>
  [...model.entities.values()].flatMap((entity) => [...entity.fields.values()].flatMap(checkBounds));

const checkBounds = (field: Field): readonly Finding[] => {
  const { name, clause, min, max } = field;
  const compare = comparing(field.ruleType);
  const describe = (bound: string) => inWords(bound, field.ruleType);
  if (min !== null && max !== null && compare(min, max) > 0)
    return [
      finding(
        "BOUNDS_REVERSED",
        clause.span,
        `${name} must be at least ${describe(min)} and at most ${describe(max)}, which no value can be.`,
        "Swap “min” and “max”, or change one of them.",
        { clause: clause.id },
      ),
    ];
  const value =
    field.default?.kind === "constant" ? findWrittenText(toJs(field.default)(noRecord, nowhere)) : undefined;
  if (value === undefined || field.default === null) return [];
  const isText = field.ruleType.kind === "text";
  const wrong = isText
    ? max !== null && [...value].length > Number(max) && `has more than ${max} characters`
    : (min !== null && compare(value, min) < 0 && `is below ${describe(min)}`) ||
      (max !== null && compare(value, max) > 0 && `is above ${describe(max)}`);
  if (wrong === false) return [];
  return [
    finding(
      "BAD_DEFAULT",
      field.default.span,
      `The field ${name} doesn’t accept its own default: it ${wrong}.`,
      "Change the default or the bound.",
      { clause: clause.id },
    ),
  ];
};

const nowhere = { now: "", today: "", rows: () => [] };

const findWrittenText = (value: Value): string | undefined =>
  value instanceof Big
    ? value.toFixed()
    : typeof value === "string" || typeof value === "number"
      ? String(value)
      : value !== null && typeof value === "object" && "milliseconds" in value
        ? toIsoDuration(value as Duration)
        : undefined;

const inWords = (bound: string, type: Type): string => {
  const duration = type.kind === "duration" ? readDuration(bound) : undefined;
  return duration === undefined ? bound : durationWords(duration, "en");
};

const comparing = (type: Type) => (type.kind === "duration" ? byLength : compare);

const byLength = (a: string, b: string): number => {
  const [one, other] = [readDuration(a), readDuration(b)];
  return one === undefined || other === undefined ? 0 : durationLength(one) - durationLength(other);
};

/** Compares numbers by value, dates and times in order. */
const compare = (a: string, b: string): number => {
  const isNumber = (written: string) => /^-?\d+(\.\d+)?$/u.test(written);
  if (isNumber(a) && isNumber(b)) return new Big(a).cmp(b);
  return a < b ? -1 : a > b ? 1 : 0;
};
