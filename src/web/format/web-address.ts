/**
 * A web address in running text. A last dot, comma or quote belongs to the sentence, and a bracket to the address only if
 * both are in it: `https://example.com/a_(b)`.
 */
export const webAddress =
  /[Hh]ttps?:\/\/(?:[^\s<>()]|\([^\s<>()]{0,200}\)){0,2000}(?:[^\s<>().,;:!?'"’”»\]]|\([^\s<>()]{0,200}\))/u;

/** A text in pieces; those at odd places are web addresses. */
export const splitAddresses = (text: string): readonly string[] =>
  text.split(new RegExp(`(${webAddress.source})`, "u"));
