/** Texts about the target of a figure, on pages and in mails. */
export const texts = {
  "target.least": "Target: at least {value}",
  "target.least.kept": "Reached the target of {value}",
  "target.least.missed": "Below the target of {value}",
  "target.most": "Limit: {value}",
  "target.most.kept": "Within the limit of {value}",
  "target.most.missed": "Above the limit of {value}",
};
