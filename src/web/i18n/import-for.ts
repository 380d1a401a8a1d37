import { importWithRetries } from "../util/import-with-retries.ts";

/** Loads one of several files by language, as `byLanguage` lists them. */
export const importFor = async <File>(
  language: string,
  files: { readonly [language: string]: () => Promise<File> },
): Promise<File> => {
  const load = files[language];
  if (load === undefined) throw new Error(`There are no texts in ${language}.`);
  return importWithRetries(load);
};
