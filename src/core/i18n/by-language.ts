/** Files with the same name in the folders of languages, as `import.meta.glob` finds them, by language: `de`. */
export const byLanguage = <File>(files: { readonly [path: string]: File }): { readonly [language: string]: File } =>
  Object.fromEntries(Object.entries(files).map(([path, file]) => [path.split("/").at(-2) ?? "", file]));
