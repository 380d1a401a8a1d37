import type { TextsLike } from "../../catalogue.ts";
import type { importArguments } from "../../change-arguments/imports.ts";

export const texts = {
  "table.above": "La ligne {row, number} ({text}) est au-dessus de l’en-tête.",
  "table.total": "La ligne {row, number} ({text}) est un total.",
  "table.note": "La ligne {row, number} ({text}) n’a qu’une valeur, comme une note.",
  "table.headless": "La colonne {column} a des valeurs, mais pas de titre.",
  "table.merged":
    "La colonne {column} a des cellules fusionnées, par exemple {cells}. Chacune de leurs lignes reçoit la valeur.",
  "table.formula":
    "La colonne {column} a des formules sans résultat enregistré, par exemple en {cells}. Ces cellules sont vides. Enregistrez le fichier dans un tableur pour que les résultats y soient.",
  "table.column": "Colonne {column}",
  "table.hidden": "La feuille {sheet} est masquée.",
  "table.other": "La feuille {sheet} est un autre tableau.",
  "table.none": "La feuille {sheet} n’a pas d’en-tête suivi de lignes.",
  "table.file.unnamed": "Aucune ligne ne nomme le fichier {file} : il est laissé de côté.",
  "table.file.outside": "Le chemin {file} sort du fichier ZIP : ce fichier est laissé de côté.",
  "table.rounded":
    "{field} : arrondi à {decimals, plural, =0 {un nombre entier} one {# décimale} other {# décimales}} dans {count, plural, one {# ligne} other {# lignes}}, par exemple {from} → {to}.",
  "table.cut":
    "{field} : l’heure a été laissée de côté dans {count, plural, one {# ligne} other {# lignes}}, par exemple {from} → {to}.",
  "table.reasons": "Refusé parce que",
} satisfies TextsLike<typeof importArguments>;
