/** Where the program runs: secrets and addresses that the document names, by names that begin with `APP_`. */
export type Environment = { readonly [name: string]: string | undefined };
