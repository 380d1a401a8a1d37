import type { Named, ReportFinding, ShapeValue } from "../../document/shape.ts";
import type { Tree } from "../../document/tree.ts";
import type { Span } from "../../source-text.ts";
import { buildList, buildMapping, buildScalar } from "../linking/build-tree.ts";
import { effectsShape } from "./effect-syntax.ts";
import {
  type ApprovalPart,
  type ApprovalSyntax,
  isVoidable,
  stateFieldName,
  untilFields,
  voidingTransition,
} from "./read-approval.ts";
import type { EntityStates } from "./states-syntax.ts";

type Effects = ShapeValue<typeof effectsShape>;

/** Effects that make approvals void when the record or a part of it changes. */
export const withVoidingEffects = (
  states: readonly Named<EntityStates>[],
  approvals: readonly ApprovalSyntax[],
  parts: ReadonlyMap<ApprovalSyntax, readonly ApprovalPart[]>,
  report: ReportFinding,
): readonly Named<EntityStates>[] => {
  const more = new Map<string, Map<string, Tree[]>>();
  const add = (entity: string, action: string, effect: Tree): void => {
    const actions = more.get(entity) ?? new Map<string, Tree[]>();
    more.set(entity, actions.set(action, [...(actions.get(action) ?? []), effect]));
  };
  for (const approval of approvals) {
    const { entity, field, from, transition } = approval;
    const { span } = field;
    const make = buildScalar(voidingTransition(transition.name), span);
    const open = (path: string) => `${path}${stateFieldName(approval)} == '${from}' && size(${path}${field.value}) > 0`;
    const until = untilFields(approval);
    const changes = until?.map(({ name, value }) =>
      value.many?.value === true
        ? `${name}.exists(one, !(one in old.${name})) || old.${name}.exists(one, !(one in ${name}))`
        : `${name} != old.${name}`,
    );
    if (isVoidable(approval)) {
      const when = changes === undefined ? open("") : `${open("")} && (${changes.join(" || ")})`;
      add(entity, "update", buildMapping(span, { make, when: buildScalar(when, span) }));
    }
    for (const part of parts.get(approval) ?? [])
      for (const action of ["create", "update", "delete"])
        add(
          part.entity,
          action,
          buildMapping(span, {
            make,
            of: buildScalar(part.path, span),
            when: buildScalar(open(`${part.path}.`), span),
          }),
        );
  }
  const effectsFor = (entity: string, span: Span): Effects =>
    effectsShape.read(
      buildMapping(
        span,
        Object.fromEntries([...(more.get(entity) ?? [])].map(([action, trees]) => [action, buildList(span, trees)])),
      ),
      report,
    ) ?? [];
  const known = states.map((state): Named<EntityStates> => {
    if (!more.has(state.name)) return state;
    const added = effectsFor(state.name, state.key);
    const after = [
      ...(state.value.after ?? []).map((own) => ({
        ...own,
        value: [...own.value, ...(added.find(({ name }) => name === own.name)?.value ?? [])],
      })),
      ...added.filter(({ name }) => state.value.after?.some((own) => own.name === name) !== true),
    ];
    return {
      ...state,
      value: { ...state.value, after, keys: { ...state.value.keys, after: state.value.keys.after ?? state.key } },
    };
  });
  const named = new Set(known.map(({ name }) => name));
  const others = [...more.keys()]
    .filter((entity) => !named.has(entity))
    .map((name): Named<EntityStates> => {
      const span = approvals[0]?.field.span ?? { file: "", start: 0, end: 0 };
      return { name, key: span, value: { ...emptyStates(span), after: effectsFor(name, span) } };
    });
  return [...known, ...others];
};

const emptyStates = (span: Span): EntityStates => ({
  field: undefined,
  initial: undefined,
  final: undefined,
  states: undefined,
  transitions: undefined,
  after: undefined,
  remind: undefined,
  span,
  keys: { after: span },
});
