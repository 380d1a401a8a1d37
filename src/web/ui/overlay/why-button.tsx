import { useState } from "react";
import { useApplication, useClient, usePerson } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { ClauseLink } from "../clause.tsx";
import { Button } from "../control/button.tsx";
import { PopupPanel, usePopup } from "./popup.tsx";
import { useToast } from "./toast.tsx";
import { WhyClose, WhyTop } from "./why-top.tsx";

/** If an explanation names clauses by their ids: to administrators always, to others on request. */
export interface ShownClauses {
  readonly areShown: boolean;
  /** Null if they always are. */
  readonly toggle: (() => void) | null;
}

export const useShownClauses = (): ShownClauses => {
  const administrator = usePerson()?.administrator === true;
  const [isAsked, ask] = useState(false);
  return { areShown: administrator || isAsked, toggle: administrator ? null : () => ask(!isAsked) };
};

/** Shows the ids of clauses, which say nothing to somebody who cannot open the document. */
export const ClausesButton = ({ areShown, toggle }: ShownClauses) => {
  const { say } = useWords();
  if (toggle === null) return null;
  return (
    <button type="button" className="why-ask" aria-pressed={areShown} onClick={toggle}>
      {say("why.clauses")}
    </button>
  );
};

interface WhyFootProps {
  readonly clause: string;
  readonly clauses: ShownClauses;
  readonly copied: string;
  /** Only if nothing is above it. */
  readonly close?: () => void;
}

/** The last line of an explanation: the deciding clause, and a button that copies the explanation. */
export const WhyFoot = ({ clause, clauses, copied, close }: WhyFootProps) => {
  const { say } = useWords();
  const toast = useToast();
  const copy = async () => {
    await navigator.clipboard.writeText(copied);
    toast(say("why.copied"));
  };
  return (
    <div className="why-foot">
      <ClausesButton {...clauses} />
      {clauses.areShown && (
        <span className="why-decides">
          {say("why.decides")} <ClauseLink of={clause} />
        </span>
      )}
      <span className="grow" />
      {"clipboard" in navigator && (
        <Button icon="copy" look="quiet" small onClick={() => void copy()}>
          {say("why.copy")}
        </Button>
      )}
      {close && <WhyClose close={close} />}
    </div>
  );
};

/** The explanation that a clause adds to the sentence of a refusal. */
interface Addition {
  readonly sentence: string | null;
  /** The question that the dialog of permissions answers. */
  readonly permission: { readonly entity: string; readonly record: null; readonly what: string } | null;
}

/**
 * Finds more about a clause than the sentence of a refusal says: the condition of a rule, the transition that a
 * notification follows, the transition that requires a field, or who has a permission. Null if there is nothing more.
 */
const useAddition = (clause: string, isAtField: boolean): Addition | null => {
  const { entities } = useApplication();
  const { say } = useWords();
  const [point, name = "", ...rest] = clause.split(".");
  const entity = entities[name];
  if (entity === undefined) return null;
  const condition = entity.rules?.find((rule) => rule.clause === clause)?.says ?? entity.requirements?.[clause];
  if (condition !== undefined) return { sentence: say("why.rule", { condition }), permission: null };
  const [first = "", followed] = rest;
  const transitions = entity.states?.transitions ?? [];
  const transition = transitions.find((one) => one.name === (first === "after" ? followed : first));
  if (point === "4" && first === "after" && transition !== undefined)
    return { sentence: say("why.after", { transition: transition.label }), permission: null };
  if (point === "4" && isAtField && transition !== undefined)
    return { sentence: say("why.asks", { transition: transition.label }), permission: null };
  const isPermission =
    (point === "4" && transition !== undefined) || (point === "6" && /^(read|create|update|delete)$/.test(first));
  return isPermission ? { sentence: null, permission: { entity: name, record: null, what: first } } : null;
};

export interface WhyButtonProps {
  readonly words: string;
  readonly clause: string;
  readonly describedBy: string;
  /** True for an error of a field. */
  readonly isAtField?: boolean;
}

/**
 * "Why?": opens a panel with what the clause adds to the words, and names it. Administrators get a link to the clause; for
 * others there is no "Why?" that would only repeat the words.
 */
export const WhyButton = ({ words, clause, describedBy, isAtField = false }: WhyButtonProps) => {
  const { say } = useWords();
  const { permissionQuestion } = useClient();
  const popup = usePopup();
  const addition = useAddition(clause, isAtField);
  const clauses = useShownClauses();
  if (addition === null && clauses.toggle !== null) return null;
  const { sentence = null, permission = null } = addition ?? {};
  return (
    <>
      <button
        type="button"
        {...popup.control}
        className="why-ask"
        aria-haspopup="dialog"
        aria-describedby={describedBy}
      >
        {say("why.ask")}
      </button>
      <PopupPanel popup={popup} label={words} className="why" focus="panel">
        {addition !== null && (
          <WhyTop close={popup.close}>
            {sentence !== null && <p>{sentence}</p>}
            {permission !== null && (
              <Button
                small
                onClick={() => {
                  popup.close();
                  permissionQuestion.set(permission);
                }}
              >
                {say("why.who")}
              </Button>
            )}
          </WhyTop>
        )}
        <WhyFoot
          clause={clause}
          clauses={clauses}
          copied={[words, ...(sentence === null ? [] : [sentence]), clause].join("\n")}
          {...(addition === null && { close: popup.close })}
        />
      </PopupPanel>
    </>
  );
};
