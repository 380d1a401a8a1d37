import type { ErrorTexts } from "../catalogue.ts";

export const texts = {
  NOT_SIGNED_IN: "Vous n’êtes pas connecté. Connectez-vous et réessayez.",
  BAD_CREDENTIALS: "Adresse e-mail ou mot de passe incorrect.",
  NOT_FOUND: "Cette fiche n’existe pas, ou vous n’y avez pas accès.",
  NO_SUCH_CALL: "Cette adresse n’existe pas.",
  FORBIDDEN: "Vous n’êtes pas autorisé à faire cela.",
  NOT_YOURS_TO_WRITE: "Vous ne pouvez pas modifier « {field} ».",
  FOREIGN_ORIGIN: "La requête vient d’un autre site et a été refusée.",
  CHANGED_MEANWHILE: "Quelqu’un a modifié cette fiche entre-temps. Rechargez-la et réessayez.",
  MALFORMED: "Le serveur ne peut pas lire cette requête. Vérifiez son format.",
  BAD_QUERY: "L’adresse n’est pas valide : {detail}.",
  BAD_PATH: "L’adresse contient une valeur qui n’a pas la bonne forme.",
  BAD_CURSOR: "Ce jeton de page appartient à une autre liste. Recommencez à la première page.",
  REQUIRED: "« {field} » est obligatoire.",
  WRONG_TYPE: "« {field} » doit être {type}.",
  TOO_SHORT: "« {field} » doit comporter au moins {min} caractères.",
  TOO_LONG: "« {field} » peut comporter au plus {max} caractères.",
  TOO_SMALL: "« {field} » doit valoir au moins {min}.",
  TOO_LARGE: "« {field} » doit valoir au plus {max}.",
  NOT_A_CHOICE: "« {field} » doit être {choices}.",
  UNKNOWN_FIELD: "Le champ « {field} » n’existe pas.",
  NO_SUCH_FILE: "Le fichier de « {field} » n’a pas été envoyé au cours des dernières 24 heures. Envoyez-le de nouveau.",
  NO_SUCH_PICTURE:
    "L’image de « {field} » doit être un fichier PNG, JPEG, GIF, WebP ou AVIF que vous avez envoyé au cours des dernières 24 heures. Envoyez-la de nouveau.",
  NOT_IN_ZIP: "Le fichier ZIP ne contient pas de fichier « {file} » pour « {field} ». Ajoutez-le, ou corrigez le nom.",
  SEVERAL_IN_ZIP:
    "Plusieurs fichiers du fichier ZIP s’appellent « {file} ». Écrivez le nom avec son dossier dans « {field} ».",
  UNREADABLE_IN_ZIP:
    "Le fichier « {file} » pour « {field} » est chiffré ou endommagé. Ajoutez-le de nouveau au fichier ZIP, sans mot de passe.",
  NO_SUCH_REFERENCE: "La fiche choisie dans « {field} » n’existe pas, ou vous n’y avez pas accès.",
  ROW_REFUSED: "« {text} » se trouve à la ligne {row}, qui est refusée. Corrigez d’abord cette ligne.",
  ROWS_IN_CIRCLE:
    "« {field} » tourne en rond dans ces lignes : {rows}. Laissez-le vide dans l’une d’elles et complétez-le par un second import.",
  NO_SUCH_PART: "Cette ligne n’existe pas, ou vous n’y avez pas accès.",
  PART_TWICE: "Cette ligne figure déjà dans la liste.",
  TOO_MANY_PARTS: "« {field} » peut contenir au plus {max}.",
  NOT_AMONG: "Choisissez une autre valeur pour « {field} ».",
  NO_WAY_TO_STATE: "Aucune transition effectuée par une personne ne mène de « {from} » à « {to} ».",
  KEY_REUSED: "Cette Idempotency-Key a servi à une autre requête. Utilisez-en une nouvelle.",
  PASSWORD_LENGTH: "Un mot de passe doit comporter de {min} à {max} caractères.",
  PASSWORD_WEAK: "Ce mot de passe est trop faible. Choisissez-en un autre.",
  PASSWORD_UNCHANGED: "C’est votre mot de passe actuel. Choisissez-en un autre.",
  WRONG_PASSWORD: "Mot de passe incorrect.",
  SIGN_IN_AGAIN: "Cette action exige une connexion récente. Déconnectez-vous, reconnectez-vous et réessayez.",
  LINK_USED: "Ce lien a déjà servi ou a expiré.",
  INVALID: "Corrigez les problèmes indiqués.",
  WRONG_STATE: "Cette action n’est pas possible dans l’état actuel : {state}.",
  TAKEN: "« {field} » est déjà pris.",
  IN_USE: "Suppression impossible : d’autres fiches y font encore référence.",
  LAST_ADMINISTRATOR: "C’est le dernier compte d’administration. Ajoutez-en d’abord un autre.",
  ACCOUNT_INACTIVE: "Ce compte n’est pas actif.",
  NOT_ONE: "Une seule fiche parmi « {things} » doit correspondre, mais il n’y en a aucune ou plusieurs.",
  GUARD: "Cette action n’est pas possible pour l’instant.",
  NEEDS_ANOTHER_PERSON: "Vous l’avez déjà fait. Il faut une autre personne.",
  DEPUTY_ONESELF: "Vous ne pouvez pas être votre propre remplaçant.",
  DEPUTY_DATES: "Le dernier jour précède le premier.",
  DEPUTY_TOO_LONG: "Un remplacement ne peut pas durer aussi longtemps.",
  DEPUTY_TWICE:
    "Vous avez déjà un remplaçant certains de ces jours. Choisissez d’autres jours ou mettez d’abord fin à l’autre remplacement.",
  DOCUMENT_INVALID: "La spécification contient des erreurs. Corrigez-les, puis réessayez.",
  DOCUMENT_CHANGED: "La spécification a été modifiée entre-temps. Rechargez-la et réessayez.",
  CHANGE_REFUSED: "Publication impossible : des données enregistrées ne conviennent pas.",
  DOCUMENT_FIXED: "Vous ne pouvez pas modifier la spécification ici : {detail}.",
  TOO_MANY_PREVIEWS: "Il y a déjà {most} aperçus. Mettez fin à l’un d’eux, puis réessayez.",
  NO_PREVIEWS: "Vous ne pouvez pas démarrer d’aperçu ici : {detail}.",
  PREVIEW_SENDS_NOTHING: "Un aperçu n’envoie jamais rien.",
  ALREADY_PUBLISHING:
    "Une autre version est en cours de publication. Attendez qu’elle soit en service, ou abandonnez-la.",
  PUBLISHING_ENDED: "Cette version n’est plus en cours de publication. Rechargez la page.",
  SOON_UNIQUE: "Une version en cours de publication n’admet pas cette valeur deux fois. Saisissez-en une autre.",
  NEEDS_APPROVAL: "Cette modification doit être approuvée. Proposez-la.",
  OWN_PROPOSAL: "Vous avez proposé ou modifié ce changement. Une autre personne doit donc l’approuver.",
  PROPOSAL_CHANGED: "Quelqu’un a modifié ou traité cette proposition entre-temps. Rechargez la page.",
  PROPOSAL_TOO_LARGE:
    "Une proposition peut comporter au plus 1 000 000 caractères. Raccourcissez la spécification, ou publiez-la avec « ninefold apply ».",
  TOO_MANY_PROPOSALS:
    "Vous pouvez enregistrer au plus {most} textes et commentaires de propositions en 24 heures. Réessayez demain.",
  FILE_TOO_LARGE: "Un fichier peut faire au plus {max}.",
  TOO_MUCH: "C’est trop pour une seule requête. Envoyez-en moins à la fois.",
  FILE_LOST: "Ce fichier est introuvable ou endommagé. Un administrateur peut le restaurer à partir d’une sauvegarde.",
  TOO_MANY_FILES:
    "Vous avez envoyé beaucoup de fichiers qu’aucune fiche n’utilise encore. Enregistrez les fiches concernées, puis réessayez.",
  UNSUPPORTED: "Ce format n’est pas pris en charge. Envoyez du JSON.",
  TOO_MANY_ATTEMPTS: "Trop de tentatives. Attendez une minute, puis réessayez.",
  NOT_A_TABLE:
    "Le fichier ne contient pas de tableau. Un tableau a un en-tête et au moins une ligne. Enregistrez-le au format CSV ou XLSX.",
  QUOTE_NOT_CLOSED:
    "Le guillemet de la cellule {cell} n’est jamais fermé : les lignes qui suivent ne peuvent pas être lues. Fermez-le ou supprimez-le.",
  NOT_ONE_TABLE:
    "Le fichier ZIP doit contenir exactement un tableau (CSV, TSV ou XLSX) hors de tout dossier. Déplacez les autres fichiers dans un dossier.",
  TABLE_TOO_LARGE:
    "{detail} Un tableau peut avoir au plus {rows} lignes, {columns} colonnes et {max}. Divisez le fichier.",
  TOO_MUCH_IN_ZIP:
    "Le fichier ZIP contient plus que ce qui peut être importé en une fois. Divisez-le, et importez une partie après l’autre.",
  IMPORT_TOUCHED:
    "Certaines fiches importées ont été modifiées ou supprimées depuis ({count}) : l’import ne peut pas être annulé. Modifiez ces fiches à la main.",
  IMPORT_BUSY: "Ce n’est pas possible dans l’état actuel de l’import. Rechargez-le.",
} satisfies ErrorTexts["texts"];

export const choices = {
  unknown: "l’un des choix proposés",
  more: "l’un des {count} autres",
} satisfies ErrorTexts["choices"];

export const queries = {
  KEY_LENGTH: "une Idempotency-Key comporte de 1 à 255 caractères",
  IF_MATCH: 'If-Match est une version entre guillemets droits, par exemple "3"',
  TWICE: "« {word} » y figure plus d’une fois",
  LIMIT: "« {word} » va de 1 à {most}",
  OFFSET: "« {word} » est le nombre de fiches à passer",
  PAGE: "« {word} » est le numéro d’une page, à partir de 1",
  SEARCH: "« search » n’est pas un texte",
  GROUP: "la liste ne peut pas être groupée ou additionnée par « {word} »",
  GROUPS: "les groupes ont besoin d’un ou deux champs différents",
  PIVOT: "un tableau croisé a besoin de deux champs différents",
  TOO_MANY_FILTERS: "il y a trop de filtres",
  AMONG: "« among » est une référence comme Request.kind ou Request.kind/ID",
  NO_SUCH_LIST: "aucune liste de ces fiches ne s’appelle « {word} »",
  CHOOSES_NOTHING: "« {word} » ne choisit rien parmi ces fiches",
  NO_PARAMETERS: "cet appel ne prend aucun paramètre dans son adresse",
  IMPORT_ACT: "« {word} » n’est ni check ni run",
  IMPORT_SETTINGS: "les réglages ne correspondent pas aux colonnes et aux champs de l’import",
  IMPORT_OPEN: "certaines colonnes peuvent se lire de deux façons ; choisissez-en une pour chacune",
  NO_SUCH_PARAMETER: "cet appel ne connaît pas « {word} »",
  VALUE: "« {word} » ne peut pas avoir cette valeur",
  VALUE_NOW: "« {word} » ne peut pas avoir cette valeur, qui s’appelle maintenant « {now} »",
  FILTER: "on ne peut pas filtrer par « {word} »",
  FILTER_NOW: "on ne peut pas filtrer par « {word} », qui s’appelle maintenant « {now} »",
  FIELDS: "on ne peut pas choisir le champ « {word} »",
  SORT: "on ne peut pas trier par « {word} »",
  SORT_NOW: "on ne peut pas trier par « {word} », qui s’appelle maintenant « {now} »",
  ACTION: "« {word} » n’est pas une action",
  NO_SUCH_ENTITY: "« {word} » n’existe pas",
  NOTHING_UNDECIDED: "rien n’est à décider pour « {word} »",
  TOO_MANY_VIEWS: "on peut enregistrer {most} vues au plus",
} satisfies ErrorTexts["queries"];

export const reasons = {
  NOT_UTF8: "{word} n’est pas en UTF-8",
  NOT_WRITABLE: "le programme n’a pas le droit d’écrire dans {word}",
  UNREADABLE: "ses fichiers ne peuvent pas être lus",
  CHANGED_OUTSIDE: "ses fichiers ont été modifiés hors du programme. Redémarrez le programme pour les utiliser",
  OTHER_FILES: "vous pouvez modifier des fichiers ici, mais pas en ajouter ni en retirer",
  PREVIEW: "ceci est un aperçu",
  NO_ADDRESS: "démarrez le programme avec --preview PORT=ORIGIN",
} satisfies ErrorTexts["reasons"];

export const sizes = {
  ROWS: "Ce tableau a {count, number} lignes.",
  COLUMNS: "Ce tableau a {count, number} colonnes.",
  BYTES: "Ce fichier fait {count}.",
  UNPACKED: "Ce classeur fait plus de 300 Mo une fois décompressé.",
} satisfies ErrorTexts["sizes"];

export const kinds = {
  text: "une ligne de texte",
  "long text": "un texte",
  "rich text": "un texte mis en forme",
  integer: "un nombre entier",
  decimal: "un nombre",
  "short decimal": "un nombre avec au plus 28 chiffres avant et 10 après le séparateur décimal",
  "exact decimal": "un nombre de 15 chiffres au plus ; envoyez un nombre plus long comme texte",
  money: "un montant",
  boolean: "oui ou non",
  date: "une date",
  "ordered date":
    "une date dans l’ordre {days, select, dmy {jour, mois, année} mdy {mois, jour, année} other {année, mois, jour}}, comme les autres dates de sa colonne",
  "unordered date": "une date dans un ordre connu : choisissez l’ordre du jour et du mois pour sa colonne",
  "zoned date": "une date sans heure : dans le fuseau horaire {zone}, ce moment tombe un autre jour",
  time: "une heure",
  datetime: "une date et une heure avec leur décalage",
  duration: "une durée, par exemple P14D ou PT1H30M",
  choice: "l’un de ses choix",
  email: "une adresse e-mail",
  url: "une adresse web qui commence par http:// ou https://",
  phone: "un numéro de téléphone",
  file: "un fichier déjà envoyé",
  image: "une image (PNG, JPEG, GIF, WebP ou AVIF) déjà envoyée",
  json: "du JSON, à 50 niveaux au plus",
  sequence: "un numéro attribué par le programme",
  "integer sequence": "un nombre entier attribué par le programme",
  slug: "des minuscules et des chiffres, séparés par des traits d’union",
  position: "un nombre entier à partir de 1",
  reference: "l’identifiant d’une fiche",
  state: "l’un de ses états",
  amount:
    "un montant en {currency} {places, plural, =0 {sans décimales} one {avec # décimale au plus} other {avec # décimales au plus}}",
  object: "un objet",
  "objects in a list": "une liste d’objets",
  rows: "une liste",
  "list in place of null": "une liste ; envoyez [] pour la vider",
  "part id": "l’identifiant d’une partie",
  list: "une liste de 200 valeurs au plus, dont chacune est {kind}",
} satisfies ErrorTexts["kinds"];

export const unavailable = {
  FAULT: {
    title: "Erreur interne",
    detail: "Une erreur s’est produite de notre côté. Réessayez dans un instant.",
  },
  TOO_BUSY: {
    title: "Serveur occupé",
    detail: "Le serveur est occupé. Rien n’a été enregistré. Réessayez dans un instant.",
  },
  TOOK_TOO_LONG: {
    title: "Délai dépassé",
    detail: "L’action a duré trop longtemps et a été interrompue. Rien n’a été enregistré. Réessayez dans un instant.",
  },
  STORE_AWAY: {
    title: "Base de données inaccessible",
    detail: "La base de données est inaccessible. Rien n’est perdu. Réessayez dans un instant.",
  },
  FILES_AWAY: {
    title: "Fichiers indisponibles",
    detail:
      "Les fichiers ne peuvent être ni enregistrés ni ouverts pour le moment. Tout le reste fonctionne. Réessayez dans quelques minutes.",
  },
} satisfies ErrorTexts["unavailable"];

export const offline = {
  title: "Impossible de joindre {application}",
  words:
    "Vérifiez votre connexion ou patientez un instant. Cette page réessaie d’elle-même et s’ouvre dès que possible.",
  drafts: "Les brouillons commencés sur cet appareil sont toujours là.",
  retry: "Réessayer",
} satisfies ErrorTexts["offline"];

export const previewEnded = {
  title: "Cet aperçu est terminé",
  words:
    "La copie des données dans laquelle le brouillon était essayé a été supprimée. Ce qui y a été saisi n’est jamais arrivé dans l’application.",
  back: "Retour à l’application",
} satisfies ErrorTexts["previewEnded"];

export const titles = {
  400: "Requête incorrecte",
  401: "Non connecté",
  403: "Non autorisé",
  404: "Introuvable",
  409: "Conflit",
  412: "Modifié entre-temps",
  413: "Trop volumineux",
  415: "Format non pris en charge",
  422: "Non valide",
  429: "Trop de tentatives",
} satisfies ErrorTexts["titles"];

export const refused = "Refusé";

export const renamed = "« {name} » s’appelle maintenant « {now} ».";
export const moved = "Cette page se trouve maintenant à l’adresse {now}.";
export const removedBy =
  "La version {version} de la spécification a supprimé « {name} ». Ses valeurs sont conservées : voir Versions, Données retirées.";
