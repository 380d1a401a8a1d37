import type { EntityJson, StateJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { useApplication, useCommands, usePerson, usePhone } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { RefusedButton } from "../permissions/explain-button.tsx";
import { Button, buttonClass, IconButton } from "../ui/control/button.tsx";
import { useMainKey } from "../ui/dom/form-keys.ts";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { Menu, type MenuItem } from "../ui/overlay/menu.tsx";
import { usePopup } from "../ui/overlay/popup.tsx";
import {
  areNegativeEnds,
  findMainActs,
  getControlLabel,
  isForOthers,
  listActsInstead,
  type RecordAct,
  type TransitionAct,
} from "../workflow/record-acts.ts";
import { findState, isFinal } from "../workflow/workflow.ts";
import "./record-actions.css";

interface Addition {
  readonly thing: string;
  readonly begin: () => void;
}

/** `isAsked`: the last comment is of somebody else, and nothing has changed since. */
interface Reply extends Addition {
  readonly isAsked: boolean;
}

interface ActionsProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly label: string;
  readonly acts: readonly RecordAct[];
  /** Leads to the box for a comment, `thing`; null if this person cannot add one. */
  readonly reply: Reply | null;
  /** Adds to the first list of the record to which this person can add now. */
  readonly addition: Addition | null;
  /** The transition in progress. */
  readonly busy: string | null;
  readonly perform: (act: RecordAct) => void;
  readonly toMenuItem: (act: RecordAct) => MenuItem;
}

/** Up to this number, all transitions are shown as buttons, whether possible or not. */
const MOST_IN_PLACE = 4;

/**
 * Transitions that start from other states. If there are many transitions, these go into the menu, and so do all if
 * none starts from the current state. Those that lead to no later state are over, and always go there.
 */
const fromOtherStates = (
  { states }: EntityJson,
  now: StateJson | null,
  transitions: readonly TransitionAct[],
): readonly TransitionAct[] => {
  const others = transitions.filter(({ refused }) => refused?.code === "WRONG_STATE");
  if (transitions.length > MOST_IN_PLACE || others.length === transitions.length) return others;
  const placeOf = (state: string | undefined) => states?.states.findIndex(({ name }) => name === state) ?? -1;
  return others.filter(({ transition }) => transition.to.every((to) => placeOf(to) <= placeOf(now?.name)));
};

/** The transitions beside the title: the primary one, other possible ones in document order, refused ones. */
const sortTransitions = (transitions: readonly TransitionAct[]): readonly TransitionAct[] => [
  ...transitions.filter(({ primary }) => primary),
  ...transitions.filter(({ primary, refused }) => !primary && refused === null),
  ...transitions.filter(({ refused }) => refused !== null),
];

/** True if nobody expects a transition of this person, and the record is still open. */
const hasNoTask = (entity: EntityJson, record: RecordJson, transitions: readonly TransitionAct[]): boolean => {
  const state = findState(entity, record);
  return (
    entity.states !== null &&
    state !== null &&
    !isFinal(entity.states, state.name) &&
    transitions.every(({ primary, refused }) => !primary || refused !== null)
  );
};

/** The acts on the open record. On a phone, two of its transitions are buttons, and the others are in the menu. */
export const RecordActions = (props: ActionsProps) => {
  const { entity, record, label, acts, reply, addition, busy, perform, toMenuItem } = props;
  const { say } = useWords();
  const { roles } = useApplication();
  const person = usePerson();
  const phone = usePhone();
  const mainKey = `${say("key.control")} ${say("key.enter")}`;
  // The palette has an entry of its own for explanations.
  useCommands(
    acts
      .filter(({ kind }) => kind !== "explain")
      .map((act) => ({
        label: act.label,
        run: () => perform(act),
        ...(act.kind === "transition" && act.primary && act.refused === null && { note: mainKey }),
        ...(act.refused === null ? {} : { refused: act.refused }),
        ...(act.explainedAs === null ? {} : { ask: () => perform(act) }),
      })),
  );
  const all = acts.filter((act) => act.kind === "transition");
  const edit = acts.find((act) => act.kind === "edit");
  // A row of locks alone would look like something to do.
  const isIdle = all.every(({ refused }) => refused !== null) && edit?.refused !== null;
  const isOfOthers = (act: RecordAct): boolean =>
    act.kind === "transition" && isForOthers(entity, record, act, { person, roles });
  const elsewhere = fromOtherStates(entity, findState(entity, record), all);
  const inMenu = isIdle ? all : all.filter((act) => isOfOthers(act) || elsewhere.includes(act));
  const transitions = sortTransitions(all.filter((act) => !inMenu.includes(act)));
  // Then an answer is what can help the record, or what this person can add to its lists. Without words of somebody else,
  // there is nothing to answer.
  const isFree = hasNoTask(entity, record, transitions);
  const replyIsMain = isFree && reply?.isAsked === true;
  const added = reply ?? (isFree ? addition : null);
  const isMain = reply === null ? isFree : replyIsMain;
  // Two possible transitions are the two answers that the state waits for: neither is left to the menu for a comment.
  const isInMenu = areNegativeEnds(transitions) && (added !== null || edit?.refused === null);
  const isChoice = !isMain && !isInMenu && transitions.filter(({ refused }) => refused === null).length === 2;
  const room = added === null || isChoice ? 2 : 1;
  const outside: readonly RecordAct[] = isInMenu ? [] : findMainActs(transitions).slice(0, room);
  const editOutside = edit?.refused === null && outside.length < room;
  // Fields cannot be made editable by what a person does here, as a step can be made possible.
  const editOnPage = edit?.refused === null;
  const main = transitions.find(({ primary, refused }) => primary && refused === null);
  useMainKey(isMain ? added?.begin : main && (() => perform(main)));
  const addWords =
    added && (reply && replyIsMain ? say("conversation.reply") : say("related.add", { thing: added.thing }));
  const canCopy = "clipboard" in navigator;

  const inItems = acts.filter((act) => {
    if (outside.includes(act) || (act === edit && editOutside) || (act.kind === "copy link" && !canCopy)) return false;
    const isOnPage = (act === edit && editOnPage) || (act.kind === "transition" && !inMenu.includes(act));
    return phone || !isOnPage;
  });
  const onReply = { key: "reply", label: addWords ?? "", act: () => reply?.begin(), className: "phone-only" };
  const items: readonly MenuItem[] = [
    ...(isChoice && reply ? [onReply] : []),
    ...inItems.filter(({ refused }) => refused === null).map(toMenuItem),
    // Those that only wait for something. Those of other people never concern the reader.
    ...inItems.filter((act) => act.refused !== null && !isOfOthers(act)).map(toMenuItem),
  ];
  const addButton = added && (
    <Button
      look={isMain ? "primary" : "plain"}
      className={isMain ? "" : isChoice ? "reply from-tablet" : "reply"}
      onClick={added.begin}
      {...(reply === null && { icon: "plus", "aria-haspopup": "dialog" })}
    >
      {addWords}
    </Button>
  );
  const showAct = (act: RecordAct) => {
    const place = outside.includes(act) || (act === edit && editOutside) ? "" : "from-tablet";
    if (act.refused !== null)
      return (
        <RefusedButton
          key={act.key}
          label={act.label}
          why={act.refused}
          question={{ what: `${entity.name}.${act.explainedAs}`, record: record.id }}
          instead={{ acts: listActsInstead(acts, act), perform }}
          className={place}
        />
      );
    if (act.kind !== "transition")
      return (
        act.kind === "edit" &&
        act.href !== null && (
          <Link key={act.key} href={act.href} className={buttonClass("plain", place)}>
            <Icon name="edit" />
            <span className="button-words">{act.label}</span>
          </Link>
        )
      );
    return (
      <Button
        key={act.key}
        look={act.primary ? "primary" : "plain"}
        className={place}
        {...(act === main && !isMain && { "aria-keyshortcuts": "Control+Enter" })}
        busy={busy === act.transition.name}
        // After the first press of a double click, another button may be in this place.
        onClick={({ detail }) => detail < 2 && perform(act)}
      >
        {getControlLabel(act, say)}
      </Button>
    );
  };
  const ofOthers = inItems.filter(isOfOthers).map(toMenuItem);

  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of commands, not of fields
    <div className="actions" role="group" aria-label={say("record.actions", { label })}>
      {isMain && addButton}
      {transitions.map(showAct)}
      {!isMain && addButton}
      {editOnPage && showAct(edit)}
      <MoreActions label={label} items={items} ofOthers={ofOthers} />
    </div>
  );
};

interface MoreActionsProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** The acts of other people, which come last, behind an item that shows them. */
  readonly ofOthers: readonly MenuItem[];
}

const MoreActions = ({ label, items, ofOthers }: MoreActionsProps) => {
  const { say } = useWords();
  const menu = usePopup();
  const more = say("record.more", { label });
  return (
    <>
      <IconButton icon="more" look="plain" label={more} aria-haspopup="menu" {...menu.control} />
      <Menu
        popup={menu}
        label={more}
        items={items}
        folded={{ label: say("record.more.others", { count: ofOthers.length }), items: ofOthers }}
      />
    </>
  );
};
