import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { readStory, type Story } from "../../server/sample/story/read-story.ts";

/** The path of the story of a document: `lending.story.yaml` beside `lending.md`. */
const toStoryPath = (path: string): string => `${path.replace(/\.md$/u, "")}.story.yaml`;

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
