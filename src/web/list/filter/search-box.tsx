import { useEffect, useRef, useState } from "react";
import { usePhone } from "../../app/app-context.tsx";
import { isComposing } from "../../app/keyboard.ts";
import { useWords } from "../../i18n/words.tsx";
import { SearchInput } from "../../ui/control/search-input.tsx";
import { Icon } from "../../ui/icon.tsx";

/** Searches when typing pauses. */
export const SearchBox = ({
  words,
  onSearch,
  label,
}: {
  words: string;
  onSearch: (words: string) => void;
  /** The name of the box, if it does not search a list of the document. */
  label?: string;
}) => {
  const { say } = useWords();
  const phone = usePhone();
  const [typed, setTyped] = useState(words);
  const lastSearch = useRef(words);
  useEffect(() => {
    if (words === lastSearch.current) return;
    lastSearch.current = words;
    setTyped(words);
  }, [words]);
  useEffect(() => {
    const query = typed.trim();
    if (query === lastSearch.current) return;
    const timer = setTimeout(() => {
      lastSearch.current = query;
      onSearch(query);
    }, 250);
    return () => clearTimeout(timer);
  }, [typed, onSearch]);
  return (
    <div className="box search-box">
      <Icon name="search" />
      <SearchInput
        type="search"
        data-filter="search"
        aria-label={label ?? say("list.search")}
        title={say("list.search.hint")}
        placeholder={say("list.search.short")}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (isComposing(event)) return;
          if (event.key === "ArrowDown") {
            // The down arrow moves from the search box to the first result.
            const first = document.querySelector<HTMLElement>("main [data-row]");
            if (first) event.preventDefault();
            first?.focus();
          }
          if (event.key !== "Escape" || typed === "") return;
          event.stopPropagation();
          setTyped("");
        }}
      />
      {/* A phone has no Escape. */}
      {phone && typed !== "" && (
        <button
          type="button"
          className="chip-clear"
          aria-label={say("list.search.clear")}
          onClick={({ currentTarget }) => {
            setTyped("");
            currentTarget.parentElement?.querySelector("input")?.focus();
          }}
        >
          <Icon name="close" size={13} />
        </button>
      )}
    </div>
  );
};
