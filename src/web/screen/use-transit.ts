import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import type { EntityJson, RecordJson, TransitionJson } from "../../core/wire.ts";
import { type Body, newKey } from "../client/calls.ts";
import { keys } from "../client/queries.ts";
import { stateOf } from "../client/standing.ts";
import { useClient } from "../part/context.tsx";
import { useToast } from "../part/spoken.tsx";
import { useWords } from "../words/words.tsx";

/** Makes transitions of an entity's records, one at a time; whatever happens, what is shown is fetched anew. */
export const useTransit = (entity: EntityJson) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const toast = useToast();
  const busy = useRef(false);
  const make = useMutation({
    mutationFn: (made: { record: RecordJson; transition: TransitionJson; body: Body; key: string }) =>
      calls.transition(entity.calls, made.record.id, made.transition.name, made.record.version, made.body, made.key),
  });
  /** Makes the transition, or throws. */
  const transit = async (record: RecordJson, transition: TransitionJson, body: Body): Promise<void> => {
    if (busy.current) return;
    busy.current = true;
    try {
      const made = await make.mutateAsync({ record, transition, body, key: newKey() });
      const now = stateOf(entity, made);
      toast(now ? say("record.moved", { state: now.label }) : say("form.saved"));
    } finally {
      busy.current = false;
      await queries.invalidateQueries({ queryKey: keys.of(entity.calls) });
    }
  };
  const pending = make.isPending ? (make.variables ?? null) : null;
  return { transit, pending };
};
