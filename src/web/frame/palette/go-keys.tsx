import { useApplication } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import "./go-keys.css";

/** The screens with their letters, while G waits for one. */
const GoKeys = ({ letters }: { readonly letters: ReadonlyMap<string, string> }) => {
  const { screens } = useApplication();
  const { say } = useWords();
  const titleOf = (address: string) => screens.find(({ path }) => path === address)?.title ?? address;
  return (
    <div className="go-keys" role="status">
      <p>{say("keys.go.waiting")}</p>
      <ul>
        {[...letters].map(([letter, address]) => (
          <li key={letter}>
            <kbd>{letter.toUpperCase()}</kbd> <span className="cut">{titleOf(address)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
};

export default GoKeys;
