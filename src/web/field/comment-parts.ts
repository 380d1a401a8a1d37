/** Records whose comments are counted by one request. */
const AT_ONCE = 50;

/**
 * The ids in parts that are counted by one request each. An id that comes or goes leaves the other parts as they were: ids
 * that come fill the first parts with room, and then new ones.
 */
export const keepParts = (
  before: readonly (readonly string[])[],
  ids: readonly string[],
): readonly (readonly string[])[] => {
  const wanted = new Set(ids);
  const kept = before.map((part) => part.filter((id) => wanted.has(id)));
  const known = new Set(kept.flat());
  const added = [...wanted].filter((id) => !known.has(id));
  const further = Array.from({ length: Math.ceil(added.length / AT_ONCE) }, (): readonly string[] => []);
  return [...kept, ...further]
    .map((part) => [...part, ...added.splice(0, AT_ONCE - part.length)])
    .filter((part) => part.length > 0);
};
