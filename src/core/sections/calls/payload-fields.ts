import type { Named } from "../../document/shape.ts";
import { finding } from "../../findings.ts";
import type { TakenField } from "../../model/endpoint.ts";
import type { Span } from "../../source-text.ts";
import type { Linking } from "../linking/link-context.ts";
import type { Payload } from "./payloads.ts";

/** The accepted names of a payload with the fields at their positions. */
export const payloadFields = (
  payload: Payload,
  linking: Linking,
  accept: (item: {
    readonly name: string;
    readonly key: Span;
    readonly field: string;
    readonly span: Span | undefined;
  }) => boolean,
): readonly TakenField[] | undefined => {
  if ("text" in payload) {
    linking.report(
      finding(
        "WRONG_SHAPE",
        payload.span,
        "The body of a response must be an object.",
        "Write for example { title, text }.",
      ),
    );
    return undefined;
  }
  const walk = (of: readonly Named<Payload | "itself">[], path: readonly string[]): readonly TakenField[] =>
    of.flatMap(({ name, key, value }): readonly TakenField[] => {
      if (value !== "itself" && !("text" in value)) return walk(value, [...path, name]);
      const field = value === "itself" ? name : value.text;
      const span = value === "itself" ? undefined : value.span;
      return accept({ name, key, field, span }) ? [{ path: [...path, name], field }] : [];
    });
  return walk(payload, []);
};
