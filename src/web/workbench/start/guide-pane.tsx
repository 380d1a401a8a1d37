import { type FormEvent, useState } from "react";
import {
  type FirstStep,
  findChoices,
  firstSteps,
  suggestActions,
  type WrittenStep,
  writeEntity,
  writeList,
  writePurpose,
  writeRoles,
  writeStates,
} from "../../../core/draft/write-step.ts";
import type { WordId } from "../../../core/i18n/catalogue.ts";
import { toPathName } from "../../../core/model/inflection.ts";
import { useApplication } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { CheckedText } from "../editor/editor-answers.ts";
import { findOpenSteps, isStepDone, useNewestValidText } from "./open-steps.ts";
import "./guide-pane.css";

interface GuideProps {
  readonly text: string;
  readonly checked: CheckedText;
  readonly canChange: boolean;
  /** True if the draft differs from the live version. */
  readonly changed: boolean;
  readonly onWrite: (written: WrittenStep) => void;
}

/** Names and types of the specification are the same in every language. */
const FIELDS_EXAMPLE = "number\ndoor\nlent: boolean\ndue: date?";

/** The name of the field that the step of states adds. A choice of this name becomes the state. */
const NEW_STATE_FIELD = "status";

/** Names that the document has so far. */
interface Names {
  readonly entities: readonly string[];
  readonly fields: (entity: string) => readonly string[];
  readonly roles: readonly string[];
}

const readNames = ({ clauses }: CheckedText): Names => {
  const match = (pattern: RegExp): readonly string[] => clauses.flatMap(({ id }) => pattern.exec(id)?.[1] ?? []);
  return {
    entities: match(/^3\.([A-Z]\w*)$/u).filter((name) => name !== "User"),
    fields: (entity) => match(new RegExp(`^3\\.${entity}\\.([a-z]\\w*)$`, "u")),
    roles: match(/^6\.roles\.([a-z]\w*)$/u),
  };
};

const titles: Readonly<Record<FirstStep, { readonly title: WordId; readonly words: WordId }>> = {
  purpose: { title: "guide.purpose", words: "guide.purpose.words" },
  entity: { title: "guide.entity", words: "guide.entity.words" },
  list: { title: "guide.list", words: "guide.list.words" },
  roles: { title: "guide.roles", words: "guide.roles.words" },
  states: { title: "guide.states", words: "guide.states.words" },
};

/** The first steps of a document: each asks for a few words, writes a block of them, and explains it. */
export const GuidePane = ({ text, checked: latest, canChange, changed, onWrite }: GuideProps) => {
  const { say } = useWords();
  const { name } = useApplication();
  const checked = useNewestValidText(latest);
  const [chosen, setChosen] = useState<FirstStep | null>(null);
  const names = readNames(checked);
  const [next] = findOpenSteps(checked);
  const shown = chosen ?? next;
  const write = (written: WrittenStep): void => {
    setChosen(null);
    onWrite(written);
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls is reached by the keyboard
    <section className="guide-pane" tabIndex={0} aria-label={say("guide.title")}>
      <p className="guide-lead">{say("guide.lead")}</p>
      <ol>
        {firstSteps.map((step, at) => {
          const done = isStepDone(step, checked);
          const open = shown === step;
          return (
            <li key={step} className={open ? "guide-step open" : "guide-step"}>
              <button
                type="button"
                className="guide-head"
                aria-expanded={open}
                onClick={() => setChosen(open && chosen !== null ? null : step)}
              >
                <span className="guide-mark">{done ? <Icon name="check" /> : at + 1}</span>
                <span>{say(titles[step].title)}</span>
                {done && <span className="hidden-words">{say("guide.done")}</span>}
              </button>
              {open && (
                <div className="guide-body">
                  <p>{say(titles[step].words)}</p>
                  {latest.isRunnable && canChange ? (
                    <StepForm step={step} text={text} names={names} name={name} onWrite={write} />
                  ) : (
                    <p className="small-words">{say("guide.broken")}</p>
                  )}
                </div>
              )}
            </li>
          );
        })}
      </ol>
      <div className="guide-end">
        {next === undefined && <p>{say("guide.end")}</p>}
        {(changed || next !== undefined) && <p>{say(changed ? "guide.publish" : "guide.look")}</p>}
        <Button
          small
          icon="open"
          onClick={() => window.open("/", "application", `width=${Math.round(window.screen.availWidth / 2)}`)}
        >
          {say("guide.open")}
        </Button>
      </div>
    </section>
  );
};

/** The text after a step. `entity`: the one that the step is about. */
const writeStep = (
  step: FirstStep,
  text: string,
  value: (key: string) => string,
  { entity, names: { entities, fields } }: { readonly entity: string; readonly names: Names },
): WrittenStep => {
  switch (step) {
    case "purpose":
      return writePurpose(text, { name: value("title"), about: value("about") });
    case "entity":
      return writeEntity(text, { name: value("thing"), fields: value("fields") });
    case "list":
      return writeList(text, {
        entity,
        path: toPathName(entity),
        columns: value("columns")
          .split(/[,\s]+/u)
          .filter((column) => fields(entity).includes(column)),
      });
    case "roles":
      return writeRoles(text, { reader: value("reader"), writer: value("writer"), entities });
    case "states":
      return writeStates(text, {
        entity,
        field: value("field"),
        states: value("states"),
        actions: value("actions"),
        role: value("role"),
      });
  }
};

interface StepFormProps {
  readonly step: FirstStep;
  readonly text: string;
  readonly names: Names;
  /** The name of the application. */
  readonly name: string;
  readonly onWrite: (written: WrittenStep) => void;
}

const StepForm = ({ step, text, names, name, onWrite }: StepFormProps) => {
  const { say } = useWords();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [entity = ""] = names.entities.slice(-1);
  const chosen = values.entity ?? entity;
  const fields = names.fields(chosen);
  const choices = findChoices(text, chosen);
  const stateField = values.field ?? (choices.has(NEW_STATE_FIELD) ? NEW_STATE_FIELD : "");
  const stateValues = choices.get(stateField);
  const suggested: Readonly<Record<string, string>> = {
    title: /^# ([^\n]*)/u.exec(text)?.[1] ?? name,
    entity,
    columns: fields.slice(0, 5).join(", "),
    reader: say("guide.roles.reader.value"),
    writer: say("guide.roles.writer.value"),
    field: stateField,
    states: stateValues?.join(", ") ?? say("guide.states.states.value"),
    actions:
      stateValues === undefined && values.states === undefined
        ? say("guide.states.actions.value")
        : suggestActions(values.states ?? stateValues?.join(", ") ?? ""),
    role: names.roles.at(-1) ?? "administrator",
  };
  const value = (key: string): string => values[key] ?? suggested[key] ?? "";
  const line = (key: string, label: WordId, isRequired = true) => (
    <label className="guide-field">
      <span>{say(label)}</span>
      <span className="box">
        <input
          type="text"
          autoComplete="off"
          required={isRequired}
          value={value(key)}
          onChange={(event) => setValues({ ...values, [key]: event.target.value })}
        />
      </span>
    </label>
  );
  const choice = (key: string, label: WordId, among: readonly string[]) =>
    among.length < 2 ? null : (
      <label className="guide-field">
        <span>{say(label)}</span>
        <select
          className="box"
          value={value(key)}
          onChange={(event) => setValues({ ...values, [key]: event.target.value })}
        >
          {among.map((one) => (
            <option key={one} value={one}>
              {one === "" ? say("guide.states.field.new") : one}
            </option>
          ))}
        </select>
      </label>
    );
  if (step !== "purpose" && step !== "entity" && entity === "")
    return <p className="small-words">{say("guide.entity.first")}</p>;
  return (
    <form
      className="guide-form"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        onWrite(writeStep(step, text, value, { entity: chosen, names }));
        setValues({});
      }}
    >
      {step === "purpose" && (
        <>
          {line("title", "guide.purpose.name")}
          {line("about", "guide.purpose.about")}
        </>
      )}
      {step === "entity" && (
        <>
          {line("thing", "guide.entity.name")}
          <label className="guide-field">
            <span>{say("guide.entity.fields")}</span>
            <textarea
              className="box"
              rows={4}
              required
              spellCheck={false}
              placeholder={FIELDS_EXAMPLE}
              value={value("fields")}
              onChange={(event) => setValues({ ...values, fields: event.target.value })}
            />
          </label>
        </>
      )}
      {step === "list" && (
        <>
          {choice("entity", "guide.which", names.entities)}
          {line("columns", "guide.list.columns")}
        </>
      )}
      {step === "roles" && (
        <>
          {line("reader", "guide.roles.reader")}
          {line("writer", "guide.roles.writer")}
        </>
      )}
      {step === "states" && (
        <>
          {choice("entity", "guide.which", names.entities)}
          {choices.size > 0 && choice("field", "guide.states.field", ["", ...choices.keys()])}
          {line("states", "guide.states.states")}
          {line("actions", "guide.states.actions", false)}
          {choice("role", "guide.states.role", names.roles)}
        </>
      )}
      <Button small look="primary" type="submit">
        {say("guide.write")}
      </Button>
    </form>
  );
};
