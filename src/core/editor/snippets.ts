import type { PointNumber } from "../document/read.ts";

/** A block that an author begins with; `${1:name}` are the places to fill in, in order. */
export interface Snippet {
  readonly label: string;
  readonly about: string;
  readonly text: string;
  /** The key below which it is written. Without one, it is a block of its own. */
  readonly below?: string;
}

/** Permissions of a role on an entity. */
const permissions = (role: string): string => `permissions:
  \${2:Thing}:
    read: \${1:${role}}
    create: \${1:${role}}
    update: \${1:${role}}
    delete: none
`;

const keeper = `\${1:keeper}: { members: granted }`;
const member = `\${1:member}: { members: signed in }`;

/** Snippets by the point whose blocks can begin with them. */
export const snippets: { readonly [point in PointNumber]?: readonly Snippet[] } = {
  2: [
    {
      label: "new list",
      about: "a list of records with its columns",
      text: `/\${1:things}:
  list: \${2:Thing}
  columns: [\${3:name}]
`,
    },
  ],
  3: [
    {
      label: "new entity",
      about: "an entity with a name and a choice",
      text: `\${1:Thing}:
  label: "{name}"
  fields:
    name: { type: text, max: 80 }
    \${2:kind}: { type: choice, values: [\${3:usual, urgent}] }
`,
    },
  ],
  4: [
    {
      label: "new life cycle",
      about: "states and transitions of an entity",
      text: `\${1:Thing}:
  initial: \${2:open}
  final: \${3:done}
  states: [\${2:open}, \${3:done}]
  transitions:
    \${4:finish}: { from: \${2:open}, to: \${3:done}, by: \${5:keeper} }
`,
    },
  ],
  6: [
    {
      label: "new role",
      about: "a role that administrators grant, and what it can do with an entity",
      text: `roles:\n  ${keeper}\n${permissions("keeper")}`,
    },
    {
      label: "give me this role",
      about: "a role that everyone has who signs in, so you too, and what it can do with an entity",
      text: `roles:\n  ${member}\n${permissions("member")}`,
    },
    { label: "new role", about: "a role that administrators grant", text: keeper, below: "roles" },
    {
      label: "give me this role",
      about: "a role that everyone has who signs in, so you too",
      text: member,
      below: "roles",
    },
  ],
};
