/** A document in which nothing is decided: it runs, and each point says what it is about. */
export const writeEmptyDocument = (title: string): string => `# ${title}

## 1. What the product does and for whom

What the application does and for whom is not shown.

\`\`\`yaml
ninefold: 1
name: "${title}"
\`\`\`

## 2. Screens and routes

No screens are shown.

## 3. Entities and their fields

No entities are shown.

## 4. States and transitions

No states and transitions are shown.

## 5. Validation rules

No rules are shown.

## 6. Roles and permissions

No roles and permissions are shown.

## 7. The calls it makes

No calls are shown.

## 8. Error catalogue

No errors are shown.

## 9. Business constants and limits

No constants are shown.
`;
