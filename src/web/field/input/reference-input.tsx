import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { FieldJson } from "../../../core/wire/entities.ts";
import type { ReferenceJson } from "../../../core/wire/records.ts";
import { useClient, useEntity, usePerson } from "../../app/app-context.tsx";
import { isComposing } from "../../app/keyboard.ts";
import { PEOPLE } from "../../format/names.ts";
import { isReference } from "../../format/value-shapes.ts";
import { useWords } from "../../i18n/words.tsx";
import { SearchInput } from "../../ui/control/search-input.tsx";
import { Icon } from "../../ui/icon.tsx";
import { usePopup } from "../../ui/overlay/popup.tsx";
import { useReadFailureWords } from "../../ui/page/problem-note.tsx";
import { CandidateFacts } from "../control/candidate-facts.tsx";
import { Listbox } from "../control/listbox.tsx";
import { orderCandidates, placeAfterTyping, rememberChoice } from "../control/reference-candidates.ts";
import { useBegin, useLimits, useOpensAtOnce, useRefused } from "../control/sibling-values.tsx";
import { useCandidates } from "../control/use-candidates.ts";
import { useHoldersFirst } from "../control/use-role-holders.ts";
import { controlProps, type InputProps } from "../field.ts";

/**
 * Seed records are chosen like values of a choice. A record that was removed from the document may still be selected.
 */
const Few = (props: InputProps) => {
  const { field, entered, onEnter } = props;
  const { say } = useWords();
  const chosen = isReference(entered) ? entered : null;
  const isRefused = useRefused(field);
  const { data, readable, isPending, failure } = useCandidates(field.entity, "", true, useLimits(field));
  const failureWords = useReadFailureWords();
  const order = field.few ?? [];
  const place = (key: unknown) => (typeof key === "string" ? order.indexOf(key) : -1);
  const found = (data?.items ?? [])
    .filter((one) => !isRefused(one))
    .sort((a, b) => place(a.key) - place(b.key))
    .map((item): ReferenceJson => ({ id: item.id, label: item._label ?? item.id }));
  if (!readable) return <p className="box still">{chosen?.label ?? say("reference.unreadable")}</p>;
  const options = chosen !== null && !found.some(({ id }) => id === chosen.id) ? [...found, chosen] : found;
  return (
    <div className="box select">
      <select
        {...controlProps(props)}
        value={chosen?.id ?? ""}
        onChange={(event) => onEnter(options.find(({ id }) => id === event.currentTarget.value) ?? null)}
      >
        <option value="" hidden={!field.optional && found.length > 0}>
          {failure && data === undefined
            ? failureWords(failure)
            : isPending
              ? say("reference.searching")
              : field.optional
                ? say("value.none")
                : say("form.choose")}
        </option>
        {options.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </div>
  );
};

interface SearchBoxProps extends InputProps {
  /** The text in the box while nothing is typed. */
  readonly words: string;
  readonly isChosen: (one: ReferenceJson) => boolean;
  readonly onChoose: (one: ReferenceJson) => void;
  /** Called when the box was cleared, or on Backspace in an empty box. */
  readonly onEmpty: () => void;
  /** Called when somebody types in the box or opens its list. */
  readonly onTouch?: () => void;
  /** Records to leave out. */
  readonly without?: readonly ReferenceJson[];
  /** Content before and after the text, inside the box. */
  readonly before?: ReactNode;
  readonly behind?: ReactNode;
}

/** The records to choose from. Among many people, the reader is offered even if not one of the first. */
const useOffered = (field: FieldJson, typed: string, isOpen: boolean, without: readonly ReferenceJson[]) => {
  const limits = useLimits(field);
  const person = usePerson();
  const candidates = useCandidates(field.entity, typed, isOpen, limits);
  const first = candidates.found;
  const isMe = ({ id }: ReferenceJson) => id === person?.id;
  const isCut = typeof candidates.data?.next === "string";
  const lacksMe = field.entity === PEOPLE && !typed && isCut && !first.some(isMe);
  const me = useCandidates(field.entity, person?.name ?? "", isOpen && lacksMe, limits).found.filter(isMe);
  const all = lacksMe ? [...me, ...first] : first;
  const isRefused = useRefused(field);
  const holders = useHoldersFirst(field, typed, isOpen);
  if (holders.isLoading) return { ...candidates, found: [], isFetching: true };
  const matching = all.filter((one) => !without.some(({ id }) => id === one.id));
  const allowed = matching.filter((one) => !isRefused(one));
  if (!typed) return { ...candidates, found: holders.order(orderCandidates(allowed, person?.id, field.clause)) };
  // A record searched by its name that a rule refuses can be chosen, and then the rule says at the field why not.
  return { ...candidates, found: holders.order(allowed.length > 0 ? allowed : matching) };
};

/** The entity of a reference if the reader can create its records here. People are invited, not created. */
const useCreatable = (field: FieldJson) => {
  const target = useEntity(field.entity ?? "");
  return target !== null && target.create !== null && field.entity !== PEOPLE ? target : null;
};

/** The words in place of an empty list. */
const noneKey = (isFetching: boolean, typed: string | null) =>
  isFetching ? "reference.searching" : typed ? "reference.none" : "reference.empty";

/** An empty box says that it searches, and can open its list when its dialog opens. */
const useOpening = (words: string) => ({
  placeholder: useWords().say("reference.search"),
  "data-opens": (useOpensAtOnce() && words === "") || undefined,
});

/** A search box following the ARIA combobox pattern with a list. */
export const ReferenceSearchBox = (props: SearchBoxProps) => {
  const { field, words, isChosen, onChoose, onEmpty, onTouch, without = [], before, behind } = props;
  const { say } = useWords();
  const [typed, setTyped] = useState<string | null>(null);
  // Null after typing: the first match by its label is active, and the first arrow key leads to the first match.
  const [at, setAt] = useState<number | "chosen" | null>("chosen");
  const popup = usePopup<HTMLDivElement>();
  const listId = useId();
  const person = usePerson();
  const { found, readable, isFetching, failure } = useOffered(field, typed ?? "", popup.open, without);
  const failureWords = useReadFailureWords();
  const { creations } = useClient();
  const wanted = (typed ?? "").trim();
  const target = useCreatable(field);
  const isKnown = found.some(({ label }) => label.toLocaleLowerCase() === wanted.toLocaleLowerCase());
  const offersCreation =
    target !== null && !isFetching && failure === null && (wanted === "" ? found.length === 0 : !isKnown);
  const last = found.length - (offersCreation ? 0 : 1);
  const chosenAt = Math.max(0, found.findIndex(isChosen));
  const place = Math.min(at === "chosen" ? chosenAt : (at ?? placeAfterTyping(found, offersCreation)), last);
  const active = popup.open ? (found[place] ?? null) : null;
  const isCreating = popup.open && offersCreation && place === found.length;
  const optionId = (one: ReferenceJson) => `${listId}-${one.id}`;
  const creationId = `${listId}-create`;
  const open = () => {
    onTouch?.();
    popup.show();
  };
  const reset = () => {
    setTyped(null);
    setAt("chosen");
    popup.close();
  };
  const choose = ({ id, label }: ReferenceJson) => {
    rememberChoice(person?.id, field.clause, id);
    onChoose({ id, label });
    reset();
  };
  const create = () => {
    reset();
    creations.set([...creations.get(), { entity: field.entity ?? "", typed: wanted, onCreated: choose }]);
  };
  const search = (text: string) => {
    setTyped(text);
    setAt(null);
    if (text === "" && words !== "") onEmpty();
    open();
  };
  const leave = () => {
    reset();
    props.onLeave();
  };
  const handleKey = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!popup.open) open();
      else setAt(at === null ? 0 : Math.max(0, Math.min(last, place + (event.key === "ArrowDown" ? 1 : -1))));
    } else if (event.key === "Enter" && (active || isCreating || typed || (popup.open && isFetching))) {
      // Do not submit the form while a search is incomplete, or its list is loading.
      event.preventDefault();
      if (active) choose(active);
      else if (isCreating) create();
    } else if (event.key === "Tab" && active && typed) {
      // Leaving the box selects the active option.
      choose(active);
    } else if (event.key === "Backspace" && words === "" && !typed) {
      onEmpty();
    } else if (event.key === "Escape" && popup.open) {
      event.preventDefault();
      event.stopPropagation();
      reset();
    }
  };

  const creationWords = say(wanted === "" ? "reference.create.new" : "reference.create", {
    thing: target?.one ?? "",
    typed: wanted,
  });
  const creation = offersCreation
    ? { id: creationId, words: creationWords, isActive: isCreating, start: create }
    : null;
  const opening = useOpening(words);
  const none = failure ? failureWords(failure) : say(noneKey(isFetching, typed), { typed: typed ?? "" });
  if (!readable) return before ?? <p className="box still">{words === "" ? say("reference.unreadable") : words}</p>;

  return (
    <div className={before === undefined ? "box" : "box chosen"} ref={popup.anchor}>
      {before ?? <Icon name="search" />}
      <SearchInput
        {...controlProps({ ...props, onLeave: leave })}
        role="combobox"
        aria-expanded={popup.open}
        aria-controls={popup.id}
        aria-autocomplete="list"
        aria-activedescendant={active ? optionId(active) : isCreating ? creationId : undefined}
        value={typed ?? words}
        {...opening}
        onChange={(event) => search(event.currentTarget.value)}
        onClick={open}
        onKeyDown={handleKey}
      />
      {behind}
      <Listbox
        popup={popup}
        label={field.label}
        entity={field.entity}
        offered={found}
        facts={CandidateFacts}
        optionId={optionId}
        active={active}
        isChosen={isChosen}
        onChoose={choose}
        creation={creation}
        isSearching={isFetching && failure === null}
        none={none}
      />
    </div>
  );
};

/**
 * Begins a limited reference that must be given with its only possible target, once and while nobody has touched its box:
 * it can be cleared. Returns what to call when the box is touched.
 */
const useOnlyTarget = ({ field, entered }: InputProps): (() => void) => {
  const limits = useLimits(field);
  const isRefused = useRefused(field);
  const begin = useBegin();
  const isSettled = useRef(false);
  const isOpen = begin !== undefined && !field.optional && limits.length > 0 && entered === null;
  const { data } = useCandidates(field.entity, "", isOpen, limits);
  useEffect(() => {
    if (!isOpen || isSettled.current || data === undefined || data.next !== null) return;
    const [only, ...others] = data.items.filter((one) => !isRefused(one));
    if (only === undefined || others.length > 0) return;
    isSettled.current = true;
    begin(field.name, { id: only.id, label: only._label ?? only.id });
  });
  return () => {
    isSettled.current = true;
  };
};

const Searched = (props: InputProps) => {
  const { field, entered, onEnter } = props;
  const { say } = useWords();
  const touch = useOnlyTarget(props);
  const chosen = isReference(entered) ? entered : null;
  return (
    <ReferenceSearchBox
      {...props}
      words={chosen?.label ?? ""}
      isChosen={({ id }) => id === chosen?.id}
      onChoose={onEnter}
      onEmpty={() => chosen && onEnter(null)}
      onTouch={touch}
      behind={
        chosen && (
          <button
            type="button"
            className="box-button"
            // The box can be cleared by keyboard, so this needs no tab stop.
            tabIndex={-1}
            aria-label={say("reference.clear", { field: field.label })}
            // Another one is wanted: a click into the box opens its list.
            onClick={({ currentTarget }) => {
              onEnter(null);
              const box = currentTarget.closest(".box")?.querySelector("input");
              box?.focus();
              box?.click();
            }}
          >
            <Icon name="close" />
          </button>
        )
      }
    />
  );
};

export const ReferenceInput = (props: InputProps) =>
  props.field.few === undefined ? <Searched {...props} /> : <Few {...props} />;
