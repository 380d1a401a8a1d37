import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll } from "vitest";
import { scratch } from "../program.ts";

/** The smallest document with two fields, one of which refers to the same entity. */
export const shelf = `# Shelf

## 3. Entities and their fields

\`\`\`yaml
Book:
  fields:
    title: text
    sequel: Book?
\`\`\`

## 6. Roles and permissions

\`\`\`yaml
roles:
  reader: { members: signed in }
permissions:
  Book: { read: [reader], create: [reader], update: [reader], delete: [reader] }
\`\`\`
`;

export interface Room {
  /** A path in the folder. */
  at(...names: readonly string[]): string;
  /** Writes a file into the folder; returns its path. */
  write(name: string, content: string | Buffer): Promise<string>;
}

/** A folder for the files of one test file. */
export const createRoom = (): Room => {
  let folder = "";
  beforeAll(async () => {
    folder = await scratch();
  });
  const at = (...names: readonly string[]) => join(folder, ...names);
  return {
    at,
    write: async (name, content) => {
      await writeFile(at(name), content);
      return at(name);
    },
  };
};
