/** Lists, quotation marks, and people in lines about a change. */
export const wordArguments = {
  // Lists and quotation marks
  quoted: ["text"],
  "list.and": ["before", "last"],
  "list.or": ["before", "last"],
  "list.separator": [],

  // People
  "holders.administrators": [],
  "holders.themselves": [],
  "holders.group": ["title", "plural"],
  "holders.held": ["title"],
  "holders.group.foreign": ["title"],
  "holders.held.foreign": ["title"],
  "holders.some": ["holders"],
  "that.person": [],
  "the.person": [],
} as const;
