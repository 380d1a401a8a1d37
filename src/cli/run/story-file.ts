import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { readStory, type Story } from "../../server/sample/story/read-story.ts";
import { exampleNames, toExamplePath } from "../author/example-files.ts";

/** The path of the story of a document: `lending.story.yaml` beside `lending.md`. */
export const toStoryPath = (path: string): string => `${path.replace(/\.md$/u, "")}.story.yaml`;

/** The story beside a document, if it has one. */
export const findStory = async (
  path: string,
): Promise<{ readonly file: string; readonly story: Story } | undefined> => {
  const at = toStoryPath(path);
  const text = await readFile(at, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  return text === undefined ? undefined : { file: at, story: readStory({ file: basename(at), text }) };
};

/** The stories of the examples that the program comes with. */
export const readExampleStories = async (): Promise<readonly Story[]> => {
  const found = await Promise.all(exampleNames.map((name) => findStory(toExamplePath(name))));
  return found.flatMap((one) => (one === undefined ? [] : [one.story]));
};
