import type { ReactNode } from "react";
import type { Failure } from "../api/api-error.ts";
import { useLocale } from "../app/app-context.tsx";
import { type Narrowed, type SiblingValues, SiblingValuesProvider } from "../field/control/sibling-values.tsx";
import { getSiblingsOfForm } from "../field/siblings-of-form.ts";
import { Button } from "../ui/control/button.tsx";
import { sendByKey } from "../ui/dom/form-keys.ts";
import { pasteFiles } from "../ui/dom/paste-files.ts";
import { Icon } from "../ui/icon.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { useDismissLabel } from "../ui/overlay/dismiss-label.ts";
import { type RunningAct, StopOr } from "../ui/overlay/stop-or.tsx";
import { ProblemList, ProblemNote } from "../ui/page/problem-note.tsx";
import { DialogErrors } from "./error-summary.tsx";
import { FormChangedNote } from "./form-changed-note.tsx";
import type { BrokenRule } from "./state/check-rules.ts";
import { beginField } from "./state/edit-form.ts";
import { isChanged } from "./state/form-node.ts";
import { OneShotFields, type OneShotForm } from "./use-one-shot-form.tsx";

interface AskDialogProps {
  readonly oneShot: OneShotForm;
  readonly title: ReactNode;
  /** Label of the confirming button. */
  readonly act: string;
  /** Title above the errors. */
  readonly refused: string;
  /** Title above a refusal of the whole, if different. */
  readonly failed?: (failure: Failure) => string;
  /** The record concerned, and values that are passed along. */
  readonly of?: {
    readonly record: string | null;
    readonly values?: { readonly [name: string]: string };
    readonly narrowed?: Narrowed;
  };
  /** The reason why the action can no longer be performed. The input stays, to be copied. */
  readonly removed?: string | undefined;
  /** The other actions, if this one is refused whatever is entered. */
  readonly instead?: ReactNode;
  /** True if the action is performed on several records: a value that only one of them needs is not proposed. */
  readonly several?: boolean;
  /** True if there is nothing left to perform it on. */
  readonly isEmpty?: boolean;
  /** How far an action on several records is. */
  readonly running?: RunningAct | null;
  /** True if its first question is a choice, whose list is open at once. */
  readonly opensAtOnce?: boolean;
  readonly before?: ReactNode;
  readonly after?: ReactNode;
  readonly onClose: () => void;
}

/** A dialog that asks for some fields and performs one action with them. */
export const FormDialog = ({
  oneShot,
  title,
  act,
  refused,
  failed = () => refused,
  of = { record: null },
  removed,
  instead,
  several = false,
  isEmpty = false,
  running = null,
  opensAtOnce = false,
  before,
  after,
  onClose,
}: AskDialogProps) => {
  const dismiss = useDismissLabel(act);
  const context = useLocale();
  const { form, brokenAlready, isSpent, isRefused, leastLength, change, failure, renewal, busy, submit } = oneShot;
  const { narrowed = {} } = of;
  const isBroken = brokenAlready.length > 0;
  const isOfferedByFailure = failure !== null && isRefusedForGood(failure);
  // A refusal that was found out beforehand and by trying is said once.
  const said = new Set([
    failure?.kind === "refused" ? failure.problem.clause : null,
    ...form.errors.map(({ clause }) => clause),
  ]);
  const saidBefore = brokenAlready.filter(({ clause }) => !said.has(clause));
  const beside: SiblingValues = {
    ...getSiblingsOfForm(form, of.record, context, of.values),
    narrowed,
    opensAtOnce,
    isRefused,
    leastLength,
    begin: several ? undefined : (name, value) => change((now) => beginField(now, name, value)),
  };
  return (
    <Dialog title={title} onClose={onClose} hasInput={isChanged(form)}>
      <SiblingValuesProvider value={beside}>
        <form
          className="dialog-form"
          noValidate
          onSubmit={(event) => (isEmpty ? event.preventDefault() : submit(event))}
          onKeyDownCapture={sendByKey}
          onPaste={pasteFiles}
        >
          {removed !== undefined && (
            <div className="note warn" role="status">
              <Icon name="alert" size={18} />
              <p className="grow">{removed}</p>
            </div>
          )}
          {renewal && <FormChangedNote renewal={renewal} />}
          {failure && (
            <ProblemNote title={failed(failure)} failure={failure}>
              {isOfferedByFailure && instead}
            </ProblemNote>
          )}
          {/* The other actions are offered once. */}
          <DialogErrors
            title={refused}
            node={form}
            instead={isOfferedByFailure || saidBefore.length > 0 ? undefined : instead}
          />
          {before}
          {saidBefore.length > 0 && (
            <BrokenAlreadyNote rules={saidBefore} instead={isOfferedByFailure ? undefined : instead} />
          )}
          <OneShotFields oneShot={oneShot} />
          {after}
          <footer className="dialog-foot">
            {removed === undefined && (
              <Button
                type="submit"
                look={isSpent || isEmpty ? "plain" : "primary"}
                busy={busy}
                aria-disabled={isBroken || isSpent || isEmpty || undefined}
              >
                {act}
              </Button>
            )}
            <StopOr running={running}>
              <Button look="quiet" onClick={onClose}>
                {dismiss}
              </Button>
            </StopOr>
          </footer>
        </form>
      </SiblingValuesProvider>
    </Dialog>
  );
};

/** True unless the same action could succeed on the record as it has become meanwhile. */
const isRefusedForGood = (failure: Failure): boolean => failure.kind === "refused" && failure.problem.status !== 412;

/** The reason why the action is impossible, before anybody tries it. */
const BrokenAlreadyNote = ({
  rules,
  instead,
}: {
  readonly rules: readonly BrokenRule[];
  readonly instead: ReactNode;
}) => (
  <div className="note bad">
    <Icon name="alert" size={18} />
    <div className="grow">
      {/* The buttons below are not read out with the reason. */}
      <div role="status">
        <ProblemList
          several={rules.map(({ clause, message, help }) => ({
            at: "",
            code: clause,
            clause,
            message,
            ...(help === null ? {} : { help }),
          }))}
        />
      </div>
      {instead}
    </div>
  </div>
);
