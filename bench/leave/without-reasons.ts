import { mkdir, mkdtemp, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The one module through which requests reach the reasons of refusals. */
const REASONS = "/src/server/explain/why-answers.ts";

const silent = `
  const none = () => Promise.reject(new Error("nothing says why here"));
  export const answerWhy = none;
  export const permissionsFor = none;
  export const withReasons = (service, intent, refusal) => Promise.resolve(refusal);
`;

/** Builds the same program without reasons of refusals, into a folder that looks like a checkout. Returns its path. */
export const buildWithoutReasons = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "ninefold-silent-"));
  let isReplaced = false;
  for (const config of ["vite.program.config.ts", "vite.commands.config.ts"])
    await build({
      root,
      configFile: join(root, config),
      logLevel: "warn",
      build: { outDir: join(folder, "dist"), sourcemap: false },
      plugins: [
        {
          name: "without-reasons",
          enforce: "pre",
          load: (id) => {
            if (!id.endsWith(REASONS)) return undefined;
            isReplaced = true;
            return silent;
          },
        },
      ],
    });
  if (!isReplaced) throw new Error(`${REASONS} is not part of the program`);
  await mkdir(join(folder, "bench"));
  for (const path of ["node_modules", "package.json", "dist/web", "bench/leave.md"])
    await symlink(join(root, path), join(folder, path));
  return folder;
};
