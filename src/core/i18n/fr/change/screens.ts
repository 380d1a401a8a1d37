import type { TextsLike } from "../../catalogue.ts";
import type { screenArguments } from "../../change-arguments/screens.ts";

export const texts = {
  // Purpose
  "the.default": "la valeur par défaut",
  "product.logo": "Le logo est différent.",
  "product.changed":
    "{what, select, name {Nom} locale {Langue} timezone {Fuseau horaire} accent {Couleur} other {Objet}} : désormais {now} au lieu de {before}.",
  "language.added": "L’application est désormais disponible dans une autre langue : {language}.",
  "language.removed": "L’application n’est plus disponible dans cette langue : {language}.",
  "language.texts": "Certains textes changent dans cette langue : {language}.",

  // Screens
  "screen.added": "Nouvel écran {title} à l’adresse {path}.",
  "screen.removed": "L’écran {title} à l’adresse {path} est supprimé.",
  "screen.called": "L’écran {path} s’appelle désormais {title}.",
  "screen.only": "L’écran {path} est désormais réservé à ces rôles : {roles}.",
  "screen.everybody": "L’écran {path} n’est plus réservé à certains rôles.",
  "screen.also": "L’écran {path} est désormais aussi ouvert à ces rôles : {roles}.",
  "screen.not.for": "L’écran {path} n’est plus ouvert à ces rôles : {roles}.",
  "screen.gains":
    "L’écran {path} affiche désormais {names} {member, select, columns {en colonne} filters {comme filtre} other {comme champ}}.",
  "screen.loses":
    "L’écran {path} n’affiche plus {names} {member, select, columns {en colonne} filters {comme filtre} other {comme champ}}.",
  "screen.replaces":
    "L’écran {path} affiche désormais {gained} au lieu de {lost} {member, select, columns {en colonne} filters {comme filtre} other {comme champ}}.",
  "screen.section.called": "La section {before} de l’écran {path} s’appelle désormais {title}.",
  "screen.section.titled":
    "La section {title} de l’écran {path} {isTitled, select, true {porte désormais ce titre} other {n’a plus de titre}}.",
  "screen.shows": "L’écran {path} affiche désormais {names}.",
  "screen.shows.not": "L’écran {path} n’affiche plus {names}.",
  "screen.order":
    "L’écran {path} affiche ses {member, select, columns {colonnes} fields {champs} tiles {tuiles} other {sections}} dans un autre ordre.",
  "screen.list.columns": "L’écran {path} affiche d’autres colonnes de {list}.",
  "screen.list.gains": "L’écran {path} affiche désormais ces colonnes de {list} : {names}.",
  "screen.list.loses": "L’écran {path} n’affiche plus ces colonnes de {list} : {names}.",
  "screen.list.order": "L’écran {path} affiche les colonnes de {list} dans un autre ordre.",
  "screen.start": "La page d’accueil est désormais l’écran {now} au lieu de {before}.",
  "screens.order": "La navigation affiche les écrans dans un autre ordre.",
  "screens.defaults.end":
    "La spécification a désormais ses propres écrans. Ces listes automatiques ne sont donc plus affichées : {many}.",
  "screens.defaults.start": "La spécification n’a plus d’écrans. Ces listes automatiques sont donc affichées : {many}.",
  "screen.sorted": "L’écran {path} trie désormais ses fiches par {names}.",
  "sort.down": "{name} (ordre décroissant)",
  "screen.grouped": "L’écran {path} regroupe désormais ses fiches par {names}.",
  "screen.grouped.not": "L’écran {path} ne regroupe plus ses fiches.",
  "screen.records": "L’écran {path} affiche désormais ses fiches selon une autre condition.",
  "screen.records.where":
    "L’écran {path} n’affiche désormais que les fiches qui remplissent cette condition : {condition}.",
  "screen.records.all": "L’écran {path} affiche désormais toutes les fiches que l’on peut voir.",
  "screen.letter": "La lettre {path} existe désormais selon une autre condition.",
  "screen.letter.where": "La lettre {path} n’existe désormais qu’à cette condition : {condition}.",
  "screen.letter.always": "Chaque fiche a désormais la lettre {path}.",
  "screen.layouts": "Les présentations de l’écran {path} utilisent désormais d’autres champs.",
  "layout.name": "{kind, select, board {kanban} calendar {calendrier} pivot {tableau croisé} other {tableau}}",
  "screen.layout.added": "L’écran {path} a désormais une autre présentation : {layouts}.",
  "screen.layout.removed": "L’écran {path} n’a plus cette présentation : {layouts}.",
  "screen.layout.first": "L’écran {path} s’ouvre désormais avec la présentation {layout}.",
  "screen.sent":
    "L’écran {path} est maintenant envoyé par e-mail à {roles} {days, select, day {chaque jour} month {le premier jour de chaque mois} monday {chaque lundi} tuesday {chaque mardi} wednesday {chaque mercredi} thursday {chaque jeudi} friday {chaque vendredi} saturday {chaque samedi} sunday {chaque dimanche} other {les jours ouvrés}} à {time}.",
  "screen.sent.not": "L’écran {path} n’est plus envoyé par e-mail.",
  "screen.sent.attached":
    "Les e-mails de l’écran {path} {attached, select, true {contiennent désormais} other {ne contiennent plus}} ses lignes en pièce jointe.",
  "screen.sent.empty":
    "Les e-mails de l’écran {path} {empty, select, true {sont désormais aussi envoyés} other {ne sont plus envoyés}} s’il n’affiche rien.",
  "screen.other":
    "L’écran {path} {member, select, sections {répartit ses champs et ses listes dans d’autres sections} when {affiche certains champs selon d’autres conditions} text {emploie d’autres mots} totals {additionne d’autres colonnes} entity {affiche désormais les fiches d’une autre entité} other {change sur d’autres points : {member}}}.",
  "tile.added": "Nouvelle tuile {title} sur l’écran {path}.",
  "tile.changed":
    "La tuile {title} de l’écran {path} {member, select, where {porte désormais sur d’autres fiches} entity {porte désormais sur une autre entité} columns {a désormais d’autres colonnes} sort {est désormais triée autrement} chart {a désormais un autre type de graphique} per {est désormais groupée autrement} value {affiche désormais une autre valeur} compare {est désormais comparée à autre chose} target {a désormais un autre objectif} rows {a désormais d’autres lignes} sum {additionne désormais un autre champ} other {affiche désormais autre chose}}.",
  "tile.called": "La tuile {before} de l’écran {path} s’appelle désormais {title}.",
  "tile.everybody": "La tuile {title} de l’écran {path} n’est plus réservée à certains rôles.",
  "tile.only": "La tuile {title} de l’écran {path} est désormais réservée à ces rôles : {roles}.",
  "tile.also": "La tuile {title} de l’écran {path} est désormais aussi ouverte à ces rôles : {roles}.",
  "tile.not.for": "La tuile {title} de l’écran {path} n’est plus ouverte à ces rôles : {roles}.",
  "tile.removed": "La tuile {title} de l’écran {path} est supprimée.",
} satisfies TextsLike<typeof screenArguments>;
