import { matchScreen } from "../../core/derive/http/match-screen.ts";
import type { WordId } from "../../core/i18n/catalogue.ts";
import { toTitle } from "../../core/model/inflection.ts";
import { ADMINISTRATOR } from "../../core/model/permissions.ts";
import type { TransitionJson } from "../../core/wire/entities.ts";
import { useAddress, useApplication, useClient, usePerson, useStore } from "../app/app-context.tsx";
import { useWords, type Words } from "../i18n/words.tsx";
import { findWorkbench } from "../routing/routes.ts";
import { CheckBox } from "../ui/control/check-box.tsx";
import { Link } from "../ui/link.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { listEditorKeys, listPageKeys } from "../workbench/editor/editor-keys.ts";
import "./help-dialog.css";

interface Shortcut {
  readonly keys: readonly string[];
  readonly does: WordId;
}

/** The shortcuts by where they work, with the names of keys in the reader's language. */
const listShortcuts = ({ say }: Words): readonly { readonly where: WordId; readonly shown: readonly Shortcut[] }[] => {
  const [control, shift, enter] = [say("key.control"), say("key.shift"), say("key.enter")];
  return [
    {
      where: "keys.everywhere",
      shown: [
        { keys: [`${control} K`], does: "keys.palette" },
        { keys: ["G", "…"], does: "keys.go" },
        { keys: ["C"], does: "keys.create" },
        { keys: ["N"], does: "keys.bell" },
        { keys: [`${control} Z`], does: "keys.undo" },
        { keys: ["W"], does: "keys.why" },
        { keys: ["?"], does: "keys.list" },
      ],
    },
    {
      where: "keys.lists",
      shown: [
        { keys: ["/"], does: "keys.search" },
        { keys: ["F"], does: "keys.filter" },
        { keys: ["S"], does: "keys.sort" },
        { keys: [`${shift} G`], does: "keys.group" },
        { keys: ["↑", "↓"], does: "keys.rows" },
        { keys: [say("key.home"), say("key.end")], does: "keys.ends" },
        { keys: [enter], does: "keys.open" },
        { keys: ["F2"], does: "keys.cell" },
        { keys: ["X"], does: "keys.select" },
        { keys: [`${shift} X`], does: "keys.select.all" },
        { keys: ["E"], does: "keys.edit.rows" },
        { keys: ["."], does: "keys.menu" },
        { keys: ["A"], does: "keys.act" },
        { keys: ["→"], does: "keys.buttons" },
        { keys: ["←", "→"], does: "keys.width" },
      ],
    },
    {
      where: "keys.boards",
      shown: [
        { keys: ["M"], does: "keys.move" },
        { keys: ["Alt ←", "Alt →"], does: "keys.entry" },
        { keys: [`${shift} ←`, `${shift} →`], does: "keys.end" },
      ],
    },
    {
      where: "keys.records",
      shown: [
        { keys: ["K", "J"], does: "keys.neighbours" },
        { keys: ["E"], does: "keys.edit" },
        { keys: ["R"], does: "keys.comment" },
        { keys: [`${control} ${enter}`], does: "keys.save" },
      ],
    },
  ];
};

/**
 * Help for the page at which it is opened: the possible actions, things worth trying, the documentation and the keys, which
 * come first after “?”.
 */
const HelpDialog = ({ isForKeys, onClose }: { isForKeys: boolean; onClose: () => void }) => {
  const { preferences } = useClient();
  const words = useWords();
  const { say } = words;
  const { path } = useAddress();
  const on = useStore(preferences.singleKeys);
  return (
    <Dialog title={say("help.title")} onClose={onClose} read>
      {!isForKeys && <PageHelp onClose={onClose} />}
      <div className="help-content from-tablet">
        <h3>{say("keys.title")}</h3>
      </div>
      {listShortcuts(words).map(({ where, shown }) => (
        <KeyList key={where} where={where} shown={shown} />
      ))}
      {path.startsWith("/workbench") && (
        <KeyList where="keys.editor" shown={[...listEditorKeys(words), ...listPageKeys(words)]} />
      )}
      <CheckBox className="in-dialog from-tablet" checked={on} onTurn={preferences.singleKeys.set}>
        {say("keys.single")}
      </CheckBox>
      {isForKeys && <PageHelp onClose={onClose} />}
    </Dialog>
  );
};

const PageHelp = ({ onClose }: { onClose: () => void }) => {
  const { say } = useWords();
  return (
    <div className="help-content">
      <PossibleActions />
      <Tour onClose={onClose} />
      <p>
        <a href="/_/docs" target="_blank" rel="noreferrer">
          {say("help.docs")}
        </a>
      </p>
    </div>
  );
};

const KeyList = ({ where, shown }: { readonly where: WordId; readonly shown: readonly Shortcut[] }) => {
  const { say } = useWords();
  return (
    <section className="keys from-tablet">
      <h4>{say(where)}</h4>
      <dl>
        {shown.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{say(does)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
};

/**
 * False for automatic transitions, and for those of roles that the reader lacks. A role on records is among them: the
 * reader may have it on some record.
 */
const useIsOwn = () => {
  const { roles, person } = useApplication();
  const own = new Set([
    ...(person?.roles ?? []),
    ...(person?.everybody ?? []),
    ...(person?.administrator ? [ADMINISTRATOR] : []),
  ]);
  const isGranted = (role: string) => role === ADMINISTRATOR || role in roles;
  return ({ itself, by }: TransitionJson): boolean =>
    itself === undefined && by.some(({ role }) => own.has(role) || !isGranted(role));
};

/** The actions that the document allows the reader, for the records of this page. */
const PossibleActions = () => {
  const { screens, entities } = useApplication();
  const { path } = useAddress();
  const { say, show } = useWords();
  const isOwn = useIsOwn();
  const screen = matchScreen(screens, path)?.screen;
  const shown =
    screen === undefined ? [] : screen.kind === "tiles" ? screen.tiles.map(({ entity }) => entity) : [screen.entity];
  const lines = [...new Set(shown)].flatMap((name) => {
    const entity = entities[name];
    const actions = [
      ...(entity?.create ? [say("help.adds")] : []),
      ...(entity?.states?.transitions.filter(isOwn).map(({ label }) => label) ?? []),
    ];
    return entity === undefined || actions.length === 0 ? [] : [{ name, things: toTitle(entity.many), actions }];
  });
  if (lines.length === 0) return null;
  return (
    <>
      <h3>{say("help.actions")}</h3>
      <ul>
        {lines.map(({ name, things, actions }) => (
          <li key={name}>{say("help.does", { things, actions: show.list(actions) })}</li>
        ))}
      </ul>
    </>
  );
};

/** A short tour of features that other applications do not have, each with the page on which to try it. */
const Tour = ({ onClose }: { onClose: () => void }) => {
  const { screens, entities } = useApplication();
  const person = usePerson();
  const { say } = useWords();
  const workbench = findWorkbench(person);
  const lists = screens.filter((screen) => screen.kind === "list");
  const withActions = lists.find(({ entity }) => (entities[entity]?.states?.transitions.length ?? 0) > 0);
  const board = lists.find(({ layouts }) => layouts.some(({ kind }) => kind === "board"));
  const steps = [
    ...(withActions === undefined ? [] : [{ href: withActions.path, words: "help.tour.why" as const }]),
    ...(board === undefined ? [] : [{ href: `${board.path}?layout=board`, words: "help.tour.board" as const }]),
    ...(workbench === null ? [] : [{ href: workbench, words: "help.tour.document" as const }]),
  ];
  if (steps.length === 0) return null;
  return (
    <>
      <h3>{say("help.tour")}</h3>
      <ol>
        {steps.map(({ href, words }) => (
          <li key={words}>
            <Link href={href} onClick={onClose}>
              {say(words)}
            </Link>
          </li>
        ))}
      </ol>
    </>
  );
};

export default HelpDialog;
