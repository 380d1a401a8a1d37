import { useApplication } from "../app/app-context.tsx";
import { useStandIns } from "../app/use-stand-ins.ts";
import { useWords } from "../i18n/words.tsx";
import { SHOW_DEPUTIES } from "../routing/platform-pages.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { Menu } from "../ui/overlay/menu.tsx";
import { usePopup } from "../ui/overlay/popup.tsx";
import { UnbrokenNumbers } from "../ui/unbroken-numbers.tsx";
import { useRoleWords } from "../ui/use-role-names.ts";
import { usePersonItems } from "./person-items.ts";

/** Items that are links of the sidebar. */
const inSidebar: readonly string[] = ["people", "workbench"];

/** Number of arrangements in the sidebar; the account page lists all. */
const MOST_STAND_INS = 3;

/**
 * The arrangements of the signed-in user, above the other items at the end of the sidebar: one that begins or ends takes its
 * place from the empty space, and moves nothing.
 */
export const StandInLinks = () => {
  const { say } = useWords();
  const { now, coming } = useStandIns();
  const all = [...now, ...coming];
  const shown = all.length > MOST_STAND_INS ? all.slice(0, MOST_STAND_INS - 1) : all;
  const link = (key: string, words: string) => (
    <Link key={key} className="nav person-stands-in" href={`/sign-in/account?${SHOW_DEPUTIES}`}>
      <Icon name="people" />
      <span className="nav-words">
        <UnbrokenNumbers words={words} />
      </span>
    </Link>
  );
  return (
    <>
      {shown.map(({ id, sentence }) => link(id, sentence))}
      {shown.length < all.length && link("all", say("menu.deputies"))}
    </>
  );
};

/** The signed-in user's menu. `wide` is the form in the sidebar with the name. */
export const PersonMenu = ({ wide = false }: { wide?: boolean }) => {
  const { person, signIn } = useApplication();
  const { say, show } = useWords();
  const roleWords = useRoleWords();
  const popup = usePopup();
  const items = usePersonItems();
  const standIns = useStandIns().now.map(({ sentence }) => sentence);
  if (!person) return null;
  // A demonstration knows who of its people holds a role on records, such as a manager.
  const sayHeldRoles = (): string => {
    if (person.administrator) return say("menu.administrator");
    const sample = signIn.demonstration?.find(({ name, roles }) => name === person.name && roles.length === 0);
    return sample === undefined ? roleWords.all(person.everybody) : show.list(sample.titles);
  };
  const roles = person.roles.length > 0 ? roleWords.all(person.roles) : sayHeldRoles();
  const name = say("menu.person", { name: person.name });
  return (
    <>
      <button
        type="button"
        className={wide ? "nav person" : "button quiet topbar-button"}
        aria-haspopup="menu"
        {...popup.control}
      >
        <Avatar name={person.name} of={person.id} large />
        <span className="hidden-words">{wide ? say("menu.signed.in") : name}</span>
        {wide && (
          <span className="nav-words person-words">
            <bdi className="cut">{person.name}</bdi>
            {roles !== "" && <span className="small-words cut">{roles}</span>}
          </span>
        )}
        {standIns.length > 0 && (
          <span className="dot person-dot">
            <span className="hidden-words">{standIns.join(". ")}</span>
          </span>
        )}
      </button>
      <Menu
        popup={popup}
        label={name}
        items={wide ? items.filter(({ key }) => !inSidebar.includes(key)) : items}
        side={wide ? "start" : "end"}
      >
        <div className="menu-head">
          <bdi className="cut">{person.name}</bdi>
          {roles !== "" && <span className="small-words cut">{roles}</span>}
          {signIn.demonstration && (
            <span className="small-words">{say(person.administrator ? "trial.menu.administrator" : "trial.menu")}</span>
          )}
        </div>
      </Menu>
    </>
  );
};
