import { useState } from "react";
import type { EntityJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { type Failure, toFailure } from "../api/api-error.ts";
import type { Body } from "../api/requests.ts";
import { useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import type { MenuItem } from "../ui/overlay/menu.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { useFailureWords } from "../ui/page/problem-note.tsx";
import { getControlLabel, type RecordAct } from "../workflow/record-acts.ts";

interface PerformInput {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  /** Makes a transition, or throws. */
  readonly make: (transition: TransitionJson, body: Body) => Promise<void>;
  /** Shows the failure of a transition that opened no dialog. Without it, a toast does. */
  readonly onFailed?: (transition: TransitionJson, failure: Failure) => void;
}

/**
 * Performs an act on a record. If the act has a question or is refused, `asked` is that act until its dialog or its
 * explanation is closed (`RecordActDialog`).
 */
export const usePerform = ({ entity, record, make, onFailed }: PerformInput) => {
  const { navigation, permissionQuestion } = useClient();
  const { say } = useWords();
  const toast = useToast();
  const sentence = useFailureWords();
  const [asked, setAsked] = useState<RecordAct | null>(null);

  const announce = ({ label }: TransitionJson, failure: Failure) =>
    toast(`${say("record.not.made", { transition: label })} ${sentence(failure)}`);
  const transit = (transition: TransitionJson) =>
    void make(transition, {}).catch((thrown: unknown) => {
      const failure = toFailure(thrown);
      if (failure.kind !== "signed out") (onFailed ?? announce)(transition, failure);
    });
  const explain = () => permissionQuestion.set({ entity: entity.name, record: record.id });
  const copyLink = (href: string | null) =>
    void navigator.clipboard
      .writeText(href === null ? location.href : new URL(href, location.href).href)
      .then(() => toast(say("record.link.copied")));

  const perform = (act: RecordAct): void => {
    if (act.kind === "explain") explain();
    else if (act.refused !== null || act.question !== null) setAsked(act);
    else if (act.kind === "transition") transit(act.transition);
    else if (act.kind === "copy link") copyLink(act.href);
    else if (act.kind === "print") window.print();
    else if (act.kind !== "delete" && act.href !== null) navigation.go(act.href);
  };

  const toMenuItem = (act: RecordAct): MenuItem => {
    const { key, icon, refused, explainedAs } = act;
    const item = { key, label: getControlLabel(act, say), ...(icon === null ? {} : { icon }) };
    const press = () => perform(act);
    if (refused !== null) return { ...item, refused, ...(explainedAs === null ? {} : { ask: press }) };
    if (act.kind === "open" || act.kind === "edit" || act.kind === "letter")
      return { ...item, ...(act.href === null ? {} : { href: act.href }) };
    return { ...item, act: press, ...(act.kind === "explain" ? { asks: true } : {}) };
  };

  return { perform, toMenuItem, asked, close: () => setAsked(null) };
};
