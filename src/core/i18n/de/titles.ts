import type { TitleTexts } from "../catalogue.ts";

export const texts = {
  "approvals.void": "Genehmigungen verfallen",
} satisfies TitleTexts;
