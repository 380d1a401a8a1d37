/** SQL that is true for a sample person. `id`: their id in SQL. */
export const isSamplePerson = (id: string): string =>
  `exists (select from ninefold.sample e where e.entity = 'User' and e.record = ${id})`;
