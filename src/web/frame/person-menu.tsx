import { useApplication } from "../app/app-context.tsx";
import { useStandIns } from "../app/use-stand-ins.ts";
import { useWords } from "../i18n/words.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { Menu } from "../ui/overlay/menu.tsx";
import { usePopup } from "../ui/overlay/popup.tsx";
import { useRoleWords } from "../ui/use-role-names.ts";
import { usePersonItems } from "./person-items.ts";

/** Items that are links of the sidebar. */
const inSidebar: readonly string[] = ["people", "workbench"];

/** The signed-in user's menu. `wide` is the form in the sidebar with the name. */
export const PersonMenu = ({ wide = false }: { wide?: boolean }) => {
  const { person, signIn } = useApplication();
  const { say, show } = useWords();
  const roleWords = useRoleWords();
  const popup = usePopup();
  const items = usePersonItems();
  const { now, coming } = useStandIns();
  const standIns = now.map(({ sentence }) => sentence);
  // Of the coming ones, only the next has room here.
  const named = [...now, ...coming.slice(0, 1)];
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
            {named.map(({ id, sentence }) => (
              <span key={id} className="small-words person-stands-in">
                {sentence}
              </span>
            ))}
          </span>
        )}
        {standIns.length > 0 && (
          <span className="dot person-dot">{!wide && <span className="hidden-words">{standIns.join(". ")}</span>}</span>
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
