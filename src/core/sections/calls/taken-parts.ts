import type { FieldShape } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { TakenField } from "../../model/endpoint.ts";
import type { Span } from "../../source-text.ts";
import { mentionShape, reportUnknownName } from "../linking/link-context.ts";
import type { CallContext, CallNames } from "./call-context.ts";
import { payloadFields } from "./payload-fields.ts";

/** A list of parts in a request body, in the form of a shape. */
export interface TakenParts {
  readonly field: string;
  readonly parts: NonNullable<TakenField["parts"]>;
}

/** `Line.sent(lines)` in “takes”: the shape and the list. */
const appliedShape = /^([A-Z][A-Za-z0-9]*)\.([a-z][a-z0-9_]*)\(([a-z][a-z0-9_]*)\)$/u;

/** True if a value of “takes” applies a shape. */
export const appliesShape = (text: string): boolean => appliedShape.test(text);

/** True for a list of parts, which can be sent with their record. */
export const isPartList = ({ inverse }: FieldShape, { entities }: CallNames): boolean =>
  inverse !== undefined && entities.get(inverse.entity)?.fields.get(inverse.by)?.partOf === true;

/** Links a list of parts whose members a shape names. Undefined, with a finding, if a request cannot have that form. */
export const linkTakenParts = (
  text: string,
  span: Span,
  entity: string,
  context: CallContext,
): TakenParts | undefined => {
  const { clause, shapes, names, scope, linking } = context;
  const [, of = "", shape = "", list = ""] = appliedShape.exec(text) ?? [];
  const payload = shapes.written.get(`${of}.${shape}`);
  const fields = scope.entities.get(entity)?.fields;
  const field = fields?.get(list);
  if (payload === undefined) {
    reportUnknownName(linking, span, "shape", `${of}.${shape}`, shapes.written.keys());
    return undefined;
  }
  mentionShape(linking, span, of, shape);
  linking.mentions.push({ of: "field", entity, name: list, span });
  if (field === undefined) {
    reportUnknownName(linking, span, `field of ${entity}`, list, fields?.keys() ?? []);
    return undefined;
  }
  if (!isPartList(field, names) || field.inverse?.entity !== of) {
    const message = `“${list}” is no list of parts of ${entity} that are ${of}.`;
    linking.report(finding("BAD_VALUE", span, message, "Apply a shape of the parts to their list.", { clause }));
    return undefined;
  }
  const takes = linkPartMembers(payload, of, field.inverse.by, span, context);
  return takes === undefined ? undefined : { field: list, parts: { entity: of, takes } };
};

/** The fields of a part at the places that the shape gives them. */
const linkPartMembers = (
  payload: Parameters<typeof payloadFields>[0],
  entity: string,
  parent: string,
  span: Span,
  context: CallContext,
): readonly TakenField[] | undefined => {
  const fields = context.scope.entities.get(entity)?.fields;
  const inner = new Map<string, TakenParts>();
  let isComplete = true;
  const taken = payloadFields(payload, context.linking, ({ field: text }) => {
    if (appliesShape(text)) {
      const parts = linkTakenParts(text, span, entity, context);
      if (parts !== undefined) inner.set(text, parts);
      isComplete &&= parts !== undefined;
      return parts !== undefined;
    }
    const field = fields?.get(toFieldName(text));
    const isReference = field?.type.kind === "record";
    if (field?.column !== undefined && field.name !== parent && (text === field.name || isReference)) return true;
    isComplete = false;
    context.linking.report(
      finding(
        "BAD_VALUE",
        span,
        `A request can’t write “${text}” of ${entity}, which the shape names.`,
        "Use a shape of fields that a request gives, with references as ids, such as { product: product.id, amount }.",
        { clause: context.clause },
      ),
    );
    return false;
  });
  if (taken === undefined || !isComplete) return undefined;
  return taken.map(({ path, field }): TakenField => {
    const list = inner.get(field);
    return list === undefined ? { path, field: toFieldName(field) } : { path, ...list };
  });
};

/** `product.id` and `product` both name the reference. */
const toFieldName = (text: string): string => text.replace(/\.id$/u, "");
