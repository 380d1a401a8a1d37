import type { DefaultTexts } from "../catalogue.ts";

export const texts = {
  NOTHING_INVENTED: {
    silent: "la spécification dans son ensemble",
    inForce: "Rien n’apparaît qui ne soit défini par une clause ou une valeur par défaut.",
  },
  PURPOSE_UNKNOWN: {
    silent: "l’objet du produit",
    inForce: "L’application a le titre de la spécification et aucune description.",
  },
  AUDIENCE_INVITED: {
    silent: "les personnes à qui il s’adresse",
    inForce: "Seules les personnes avec un compte créé par l’administration peuvent se connecter.",
  },
  LOCALE_ENGLISH: {
    silent: "la langue",
    inForce: "Les textes sont en anglais, les dates et les nombres comme en Grande-Bretagne.",
  },
  TIMEZONE_UTC: { silent: "le fuseau horaire", inForce: "Le fuseau horaire est UTC." },
  ACCENT_PETROL: { silent: "la couleur", inForce: "La couleur des boutons et des liens est le bleu pétrole." },
  SCREENS_OF_ENTITIES: {
    silent: "les écrans",
    inForce:
      "Chaque entité qu’une personne peut voir a une liste et une page par fiche. Chaque entité qu’une personne peut modifier a aussi un formulaire.",
  },
  ROUTES_OF_ENTITIES: {
    silent: "les adresses",
    inForce:
      "L’adresse d’une liste est le pluriel de son entité, par exemple /bookings, et ses fiches se trouvent en dessous.",
  },
  ROUTE_BY_ID: {
    silent: "les paramètres des adresses",
    inForce: "Le seul paramètre d’une adresse est l’identifiant d’une fiche.",
  },
  RECORD_AND_FORMS_OF_LISTS: {
    silent: "la fiche et les formulaires d’une liste",
    inForce:
      "Chaque liste a une page par fiche et des formulaires de création et de modification, avec tous les champs.",
  },
  FIRST_COLUMNS: {
    silent: "les colonnes d’une liste",
    inForce: "Une liste affiche les six premiers champs de son entité.",
  },
  NEWEST_FIRST: { silent: "l’ordre d’une liste", inForce: "Une liste affiche d’abord les fiches les plus récentes." },
  NO_ENTITIES: {
    silent: "les entités",
    inForce: "Il n’y a pas d’entités hormis les personnes qui se connectent ; rien ne peut donc être enregistré.",
  },
  NO_FIELDS: {
    silent: "les champs",
    inForce:
      "Il n’y a pas de champs. Les personnes ont un nom et une adresse e-mail, et une image seulement si un droit le permet.",
  },
  LABEL_FIRST_TEXT: {
    silent: "le libellé d’une entité",
    inForce: "Le libellé d’une fiche est son premier champ de texte, sinon le nom de son entité.",
  },
  FIELD_WITHOUT_COLUMN: { silent: "le type d’un champ", inForce: "Le champ n’est ni enregistré ni affiché." },
  NO_STATES: { silent: "les états", inForce: "Les fiches n’ont pas d’état." },
  NO_TRANSITIONS: { silent: "les transitions", inForce: "Il n’y a pas de transitions." },
  FIRST_STATE_BEGINS: { silent: "l’état initial", inForce: "Une fiche commence dans le premier état." },
  COLOURS_BY_ORDER: {
    silent: "la couleur d’un état",
    inForce: "Les états reçoivent des couleurs dans leur ordre, mais jamais le rouge ni le vert.",
  },
  NOTIFICATIONS_AT_ONCE: {
    silent: "le moment des notifications par e-mail",
    inForce:
      "Les notifications sont envoyées aussitôt par e-mail, si un serveur de messagerie est configuré. Chaque personne peut choisir un e-mail par jour, ou aucun. Les e-mails proposent les transitions que leur lecteur peut faire.",
  },
  TRANSITION_BY_ADMINISTRATORS: {
    silent: "qui peut faire une transition",
    inForce: "Seule l’administration peut la faire.",
  },
  TYPES_ALONE: {
    silent: "les règles de validation",
    inForce:
      "Une valeur doit correspondre au type de son champ, et les champs obligatoires doivent être remplis. Aucune autre règle ne s’applique.",
  },
  ADMINISTRATORS_ONLY: { silent: "les droits", inForce: "Seule l’administration peut voir ou modifier des fiches." },
  NO_ROLES: {
    silent: "les rôles",
    inForce: "Le seul rôle est celui d’administrateur, et il y a un premier administrateur.",
  },
  CHANGES_BY_ADMINISTRATORS: {
    silent: "qui propose et approuve les modifications de la spécification",
    inForce: "Un administrateur publie seul une modification.",
  },
  ACTION_BY_NOBODY: {
    silent: "une action sur une entité que le point 6 mentionne",
    inForce: "Personne ne peut la faire.",
  },
  ROLE_GRANTED: { silent: "les membres d’un rôle", inForce: "L’administration accorde le rôle à des personnes." },
  CONVENTIONAL_CALLS: {
    silent: "les appels",
    inForce: "Chaque entité a les appels habituels, et il n’y en a pas d’autres.",
  },
  PASSWORD_ALONE: {
    silent: "les fournisseurs",
    inForce: "On se connecte avec une adresse e-mail et un mot de passe, sans fournisseur.",
  },
  SIGN_UP_CLOSED: {
    silent: "l’inscription",
    inForce: "Personne ne peut s’inscrire. L’administration crée les comptes.",
  },
  NO_TOKENS: {
    silent: "les jetons pour les programmes",
    inForce: "Personne ne peut créer de jetons d’API. Un programme se connecte comme une personne.",
  },
  BUILT_IN_ERRORS: {
    silent: "les erreurs",
    inForce: "Les erreurs intégrées s’appliquent, avec leurs codes et leurs messages.",
  },
  STATUS_422: { silent: "le statut d’une erreur", inForce: "Le statut d’une erreur est 422." },
  BUILT_IN_LIMITS: {
    silent: "les constantes",
    inForce:
      "Les limites intégrées s’appliquent : 50 fiches par page et 200 au plus, des sessions de 12 heures, 10 tentatives de connexion.",
  },
} satisfies DefaultTexts;
