/** A file of a document. */
interface Source {
  readonly file: string;
  readonly text: string;
}

const block = (lines: readonly string[]): string => `\`\`\`yaml\n${lines.join("\n")}\n\`\`\`\n`;

/** A document of `count` entities in several files, as a large one is written; one line contains `day`. */
export const manyThings = (count: number, day: string): readonly Source[] => {
  const names = Array.from({ length: count }, (_, index) => `Thing${index}`);
  const entity = (name: string, index: number): string =>
    [
      `# ${name}\n\n${name} is one of ${count} things that people look after.\n\n## 3. Entities\n`,
      block([
        `${name}:`,
        '  label: "{name}, {from_day}"',
        "  fields:",
        "    name:     { type: text, max: 80 }",
        "    kind:     { type: choice, values: [small, middle, large] }",
        "    amount:   { type: integer, min: 0, max: 1000 }",
        `    from_day: { type: date, default: ${index === 7 ? day : "today"} }`,
        "    to_day:   date",
        "    note:     { type: long text?, max: 2000 }",
        "    owner:    { type: User, set: user }",
        `    other:    ${names[(index * 7) % count]}?`,
      ]),
      "\n## 4. States\n",
      block([
        `${name}:`,
        "  field: status",
        "  initial: draft",
        "  final: [done, refused]",
        "  states: [draft, asked, { done: { tone: good } }, { refused: { tone: bad } }]",
        "  transitions:",
        "    ask:    { from: draft, to: asked, by: owner }",
        '    finish: { from: asked, to: done, by: staff, when: "amount > 0" }',
        "    refuse: { from: asked, to: refused, by: staff, asks: [note] }",
      ]),
      "\n## 5. Rules\n",
      block([
        `${name}:`,
        '  - { rule: "to_day >= from_day", else: REVERSED }',
        '  - { rule: "kind != small || amount > 5", during: ask, else: TOO_FEW }',
        '  - { rule: "note == null || size(note) > 3", else: TOO_SHORT }',
        `  - { rule: "${name}.filter(r, r.owner == owner && r.status == asked).size() < 20", during: ask, else: TOO_MANY }`,
      ]),
      "\n## 6. Roles\n",
      block([
        `roles: { ${name}: { owner: "owner == user" } }`,
        "permissions:",
        `  ${name}:`,
        '    read:   [{ role: staff, when: "status != draft" }, owner]',
        "    create: [{ role: staff, fields: [name, kind, amount, from_day, to_day, note, other] }]",
        '    update: [{ role: owner, when: "status == draft", fields: [name, kind, amount, from_day, to_day, note, other] }]',
        '    delete: [{ role: owner, when: "status == draft" }]',
      ]),
    ].join("\n");
  const first = [
    "# Many things\n\n## 1. What it does\n\nPeople look after many things.\n\n## 6. Roles\n",
    block(["roles:", "  staff: signed in"]),
    "\n## 8. Errors\n",
    block([
      'REVERSED:  { status: 422, message: "The last day ({to_day}) is before the first ({from_day}).", at: to_day }',
      'TOO_FEW:   { status: 422, message: "{amount} is too few.", at: amount }',
      'TOO_SHORT: { status: 422, message: "Say more.", at: note }',
      'TOO_MANY:  { status: 409, message: "That would be too many." }',
    ]),
  ].join("\n");
  return [
    { file: "many/a.md", text: first },
    ...names.map((name, index) => ({ file: `many/${name.toLowerCase()}.md`, text: entity(name, index) })),
  ];
};
