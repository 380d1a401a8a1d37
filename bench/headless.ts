// The size of the scripts of keyboard controls: ours, and those of two well-maintained libraries.
// Installs the libraries in a folder of its own. `npm run bench:headless`.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "vite";

const versions = {
  "@base-ui/react": "1.9.0",
  "react-aria-components": "1.22.1",
  react: "19.3.1",
  "react-dom": "19.3.1",
};
const web = fileURLToPath(new URL("../src/web/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "ninefold-headless-"));

/** All other files are needed in any case. */
const own = [
  "ui/overlay/popup.tsx",
  "ui/overlay/menu.tsx",
  "field/type/choice/reference.tsx",
  "field/control/listbox.tsx",
  "field/control/mention-area.tsx",
  "field/control/mention.ts",
  "field/control/calendar.tsx",
].map((file) => join(web, file));

const baseMenu = `import { Menu } from "@base-ui/react/menu";
export const M = [Menu.Root, Menu.Trigger, Menu.Portal, Menu.Positioner, Menu.Popup, Menu.Item, Menu.LinkItem];`;
const baseCombobox = `import { Combobox } from "@base-ui/react/combobox";
export const C = [Combobox.Root, Combobox.Input, Combobox.Portal, Combobox.Positioner, Combobox.Popup, Combobox.Status, Combobox.Empty, Combobox.List, Combobox.Item];`;
const ariaMenu = `import { Menu as MMenu, MenuItem as MMenuItem, MenuTrigger as MMenuTrigger, Popover as MPopover } from "react-aria-components";
export const M = [MMenu, MMenuItem, MMenuTrigger, MPopover];`;
const ariaCombobox = `import { ComboBox as CComboBox, Input as CInput, ListBox as CListBox, ListBoxItem as CListBoxItem, Popover as CPopover } from "react-aria-components";
export const C = [CComboBox, CInput, CListBox, CListBoxItem, CPopover];`;
const ariaCalendar = `import { Calendar as DCalendar, CalendarCell as DCalendarCell, CalendarGrid as DCalendarGrid, Heading as DHeading } from "react-aria-components";
export const D = [DCalendar, DCalendarCell, DCalendarGrid, DHeading];`;
const from = (names: string, file: string): string => `export { ${names} } from ${JSON.stringify(join(web, file))};`;
const ownMenu = from("Menu", "ui/overlay/menu.tsx");
const ownCombobox = from("ReferenceSearchBox", "field/type/choice/reference.tsx");
const ownMentions = from("MentionArea", "field/control/mention-area.tsx");
const ownCalendar = from("default as Calendar", "field/control/calendar.tsx");

const entries: readonly (readonly [string, string, readonly string[]])[] = [
  ["by hand", "menu", [ownMenu]],
  ["by hand", "menu and combobox", [ownMenu, ownCombobox]],
  ["by hand", "menu, combobox, mentions and date grid", [ownMenu, ownCombobox, ownMentions, ownCalendar]],
  ["@base-ui/react", "menu", [baseMenu]],
  ["@base-ui/react", "menu and combobox", [baseMenu, baseCombobox]],
  ["react-aria-components", "menu", [ariaMenu]],
  ["react-aria-components", "menu and combobox", [ariaMenu, ariaCombobox]],
  ["react-aria-components", "menu, combobox and date grid", [ariaMenu, ariaCombobox, ariaCalendar]],
];

const isLibrary = (id: string): boolean => id.includes(join(folder, "node_modules"));
const isReact = (id: string): boolean => /^(?:react|react-dom)(?:\/|$)/u.test(id);

const scriptOf = async (code: string): Promise<string> => {
  const entry = join(folder, "entry.tsx");
  writeFileSync(entry, code);
  const built = await build({
    root: folder,
    configFile: false,
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      write: false,
      target: "es2023",
      lib: { entry, formats: ["es"], fileName: "entry" },
      rolldownOptions: {
        // Vite does not remove the white space of a library.
        output: { minify: true },
        external: (id, importer) => {
          if (isReact(id)) return true;
          if (importer === undefined || isLibrary(importer) || importer === entry) return false;
          const file = id.startsWith(".") ? join(importer, "..", id) : id;
          return !own.includes(file);
        },
      },
    },
  });
  const [output] = [built].flat();
  if (output === undefined || !("output" in output)) throw new Error("nothing was built");
  return output.output.map((one) => ("code" in one ? one.code : "")).join("\n");
};

const results = [];
try {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: versions }));
  execFileSync("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: folder });
  for (const [library, parts, code] of entries) {
    const script = await scriptOf(code.join("\n"));
    results.push({
      library,
      parts,
      bytes: script.length,
      gzip: gzipSync(script, { level: 9 }).length,
      brotli: brotliCompressSync(script).length,
    });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

console.table(results);
mkdirSync(new URL("../docs/evidence/", import.meta.url), { recursive: true });
writeFileSync(
  new URL("../docs/evidence/headless.json", import.meta.url),
  `${JSON.stringify({ measured: new Date().toISOString().slice(0, 10), node: process.version, versions, unit: "bytes of minified script, without React and without what the application has in any case", results }, undefined, 2)}\n`,
);
