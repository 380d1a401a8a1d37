import { useEffect, useMemo, useRef } from "react";
import type { EntityJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import type { Command } from "../app/app-state.ts";
import { useWords } from "../i18n/words.tsx";
import { RefusedButton } from "../permissions/explain-button.tsx";
import { listLetters } from "../routing/routes.ts";
import { Button, buttonClass, IconButton } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { Menu, type MenuItem } from "../ui/overlay/menu.tsx";
import { usePopup } from "../ui/overlay/popup.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { listTransitionControls, mainActions, opensDialog, type TransitionControl } from "../workflow/workflow.ts";
import "./record-actions.css";

interface ActionsProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly label: string;
  /** Address of the edit form; null if nothing may be edited. */
  readonly edit: string | null;
  /** The transition in progress. */
  readonly busy: string | null;
  readonly onPress: (transition: TransitionJson) => void;
  readonly onDelete: () => void;
}

/** Up to this number, all transitions are shown as buttons, whether possible or not. */
const MOST_IN_PLACE = 4;

/**
 * Transitions that start from other states. If there are many transitions, these go into the menu, and so do all if
 * none starts from the current state.
 */
const withoutCurrentStates = (actions: readonly TransitionControl[]): readonly TransitionControl[] => {
  const others = actions.filter((action) => action.kind === "refused" && action.why.code === "WRONG_STATE");
  return actions.length <= MOST_IN_PLACE && others.length < actions.length ? [] : others;
};

type Letter = ReturnType<typeof listLetters>[number];

const toCommand =
  (go: (href: string) => void) =>
  ({ title, href, refused }: Letter): Command => ({
    label: title,
    run: () => go(href),
    ...(refused === undefined ? {} : { refused }),
  });

const toMenuItem = ({ title, href, refused }: Letter): MenuItem => ({
  key: href,
  label: title,
  icon: "document",
  ...(refused === undefined ? { href } : { refused }),
});

/** Transitions: the primary one, other possible ones in document order, refused ones; on a phone two of them, with the others in the menu. */
export const RecordActions = ({ entity, record, label, edit, busy, onPress, onDelete }: ActionsProps) => {
  const { say } = useWords();
  const toast = useToast();
  const menu = usePopup();
  const { screens } = useApplication();
  const letters = useMemo(() => listLetters(screens, entity.name, record), [screens, entity.name, record]);
  const all = listTransitionControls(entity, record);
  const inMenu = withoutCurrentStates(all);
  const inPlace = all.filter((action) => !inMenu.includes(action));
  const isRefused = ({ kind }: TransitionControl) => kind === "refused";
  const isPrimary = (action: TransitionControl) => action.kind === "permitted" && action.primary;
  const actions = [
    ...inPlace.filter(isPrimary),
    ...inPlace.filter((action) => !isRefused(action) && !isPrimary(action)),
    ...inPlace.filter(isRefused),
  ];
  const outside = mainActions(actions);
  const { commands, navigation, permissionQuestion } = useClient();
  const ask = (what?: string) => () =>
    permissionQuestion.set({ entity: entity.name, record: record.id, ...(what === undefined ? {} : { what }) });
  const press = useRef(onPress);
  press.current = onPress;
  useEffect(() => {
    commands.set([
      ...listTransitionControls(entity, record).map((action) => ({
        label: action.transition.label,
        run: () => press.current(action.transition),
        ...(action.kind === "refused" ? { refused: action.why, what: action.transition.name } : {}),
      })),
      ...(edit ? [{ label: say("record.edit"), run: () => navigation.go(edit) }] : []),
      ...letters.map(toCommand(navigation.go)),
    ]);
    return () => commands.set([]);
  }, [commands, navigation, entity, record, edit, letters, say]);

  const editOutside = outside.length < 2;
  const words = (transition: TransitionJson) =>
    opensDialog(entity, transition) ? say("record.asks", { transition: transition.label }) : transition.label;

  const items: readonly MenuItem[] = [
    ...all
      .filter((action) => !outside.includes(action))
      .map((action): MenuItem => {
        const { transition } = action;
        const className = inMenu.includes(action) ? "" : "phone-only";
        const shared = { key: transition.name, label: words(transition), className };
        return action.kind === "refused"
          ? { ...shared, refused: action.why, ask: ask(transition.name) }
          : { ...shared, act: () => onPress(transition) };
      }),
    ...(edit && !editOutside
      ? [{ key: " edit", label: say("record.edit"), icon: "edit" as const, href: edit, className: "phone-only" }]
      : []),
    ...(!edit && record.may?.updateRefused
      ? [
          {
            key: " edit",
            label: say("record.edit"),
            refused: record.may.updateRefused,
            ask: ask("update"),
            className: "phone-only",
          },
        ]
      : []),
    ...("clipboard" in navigator
      ? [
          {
            key: " link",
            label: say("record.copy.link"),
            icon: "link" as const,
            act: () => {
              void navigator.clipboard.writeText(location.href).then(() => toast(say("record.link.copied")));
            },
          },
        ]
      : []),
    ...letters.map(toMenuItem),
    { key: " print", label: say("record.print"), icon: "print", act: () => window.print() },
    ...(record.may?.delete
      ? [{ key: " delete", label: say("record.delete"), icon: "delete" as const, act: onDelete }]
      : record.may?.deleteRefused
        ? [{ key: " delete", label: say("record.delete"), refused: record.may.deleteRefused, ask: ask("delete") }]
        : []),
    { key: " why", label: say("may.what"), icon: "why", act: ask(), asks: true },
  ];

  // On a phone, the menu button shows that refused actions can be explained.
  const locked = items.filter(({ refused }) => refused !== undefined).length;
  const more = say(locked === 0 ? "record.more" : "record.more.refused", { label, count: locked });

  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of commands, not of fields
    <div className="actions" role="group" aria-label={say("record.actions", { label })}>
      {actions.map((action) => {
        const { transition } = action;
        const place = outside.includes(action) ? "" : "from-tablet";
        return action.kind === "refused" ? (
          <RefusedButton
            key={transition.name}
            label={transition.label}
            why={action.why}
            question={{ what: `${entity.name}.${transition.name}`, record: record.id }}
            className={place}
          />
        ) : (
          <Button
            key={transition.name}
            look={action.primary ? "primary" : "plain"}
            className={place}
            busy={busy === transition.name}
            // After the first press of a double click, another button may be in this place.
            onClick={({ detail }) => detail < 2 && onPress(transition)}
          >
            {words(transition)}
          </Button>
        );
      })}
      {edit && (
        <Link href={edit} className={buttonClass("plain", editOutside ? "" : "from-tablet")}>
          <Icon name="edit" />
          <span className="button-words">{say("record.edit")}</span>
        </Link>
      )}
      {!edit && record.may?.updateRefused && (
        <RefusedButton
          label={say("record.edit")}
          why={record.may.updateRefused}
          question={{ what: `${entity.name}.update`, record: record.id }}
          className="from-tablet"
        />
      )}
      <IconButton
        icon="more"
        look="plain"
        label={more}
        badge={
          locked > 0 && (
            <span className="locked" aria-hidden="true">
              <Icon name="lock" size={12} />
              {locked}
            </span>
          )
        }
        aria-haspopup="menu"
        {...menu.control}
      />
      <Menu popup={menu} label={say("record.more", { label })} items={items} />
    </div>
  );
};
