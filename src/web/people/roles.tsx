import { useWords } from "../i18n/words.tsx";
import { CheckBox } from "../ui/control/check-box.tsx";
import { useRoleWords } from "../ui/use-role-names.ts";

interface RolesProps {
  /** All roles that can be granted. */
  readonly roles: readonly string[];
  readonly chosen: ReadonlySet<string>;
  /** The role being changed at the moment. */
  readonly busy?: string | null;
  /** Text below the checkboxes. */
  readonly help: string;
  readonly onChange: (role: string, holds: boolean) => void;
}

/** Checkboxes for the roles of a person. */
export const Roles = ({ roles, chosen, busy = null, help, onChange }: RolesProps) => {
  const { say } = useWords();
  const words = useRoleWords();
  return (
    <fieldset className="roles">
      <legend>{say("person.roles")}</legend>
      {roles.map((role) => (
        <CheckBox key={role} busy={busy === role} checked={chosen.has(role)} onTurn={(holds) => onChange(role, holds)}>
          {words.one(role)}
        </CheckBox>
      ))}
      <p className="help">{help}</p>
    </fieldset>
  );
};
