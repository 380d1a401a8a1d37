import type { TextsLike } from "../../catalogue.ts";
import type { texts as english } from "../../en/interface/overview.ts";
import { texts as targets } from "../targets.ts";

export const texts = {
  "start.title": "Ce que vous pouvez faire ici",
  "start.document": "Modifier la spécification",
  "start.document.words":
    "Changez les écrans, les champs, les règles et les droits. Vous voyez chaque effet avant de publier.",
  "start.people": "Gérer les personnes et les rôles",
  "start.people.words":
    "Invitez des personnes, attribuez des rôles et affichez l’application en tant que quelqu’un d’autre.",
  "start.who": "Voir qui peut faire quoi",
  "start.who.words": "Un tableau de tous les droits, chacun avec la clause qui le décide.",
  "start.invite": "Rien n’est encore spécifié. Partez d’un tableau, d’un exemple ou de quelques mots.",
  "start.invite.do": "Commencer",

  "overview.bare":
    "L’administration gère les comptes et la spécification. Pour les données, vous avez les droits de toute personne connectée. Pour en avoir plus, attribuez-vous un rôle ou affichez l’application en tant que quelqu’un d’autre.",

  "overview.none": "Rien à faire ici pour vous en ce moment. Ce qui arrivera apparaîtra ici.",

  "tile.all": "Tout voir",
  "tile.all.of": "Tout voir : « {title} »",
  "tile.more": "{count, plural, one {Encore un} other {Encore #}}",
  "tile.select": "Tout sélectionner",
  "tile.select.of": "Tout sélectionner : « {title} »",
  "tile.select.rest": "Tout sélectionner dans la liste ({count})",
  "tile.more.many": "Beaucoup d’autres",
  "tile.empty": "Pas {things_begins, select, vowel {d’} other {de }}{things} en ce moment.",
  "tile.partial": "Seulement les {things} que vous pouvez voir",
  "tile.actions": "Actions possibles",
  "tile.act": "{transition}, {label}",
  "tile.chart.empty": "Pas encore {things_begins, select, vowel {d’} other {de }}{things}",

  "chart.sentence":
    "{name} : {count, plural, one {une valeur} other {# valeurs}} par {by}. La plus grande est {largest}, avec {value}.",
  "chart.by": "par {by}",
  "chart.step.day": "jour",
  "chart.step.week": "semaine",
  "chart.step.month": "mois",
  "chart.step.quarter": "trimestre",
  "chart.step.year": "année",
  "chart.of.by": "{what} par {by}",
  "chart.count": "Nombre",
  "chart.sum": "Somme {of_begins, select, vowel {d’} other {de }}{of}",
  "chart.min": "Minimum {of_begins, select, vowel {d’} other {de }}{of}",
  "chart.max": "Maximum {of_begins, select, vowel {d’} other {de }}{of}",
  "chart.avg": "Moyenne {of_begins, select, vowel {d’} other {de }}{of}",
  "chart.share": "Part",
  "chart.together": "Total",
  "chart.others": "{count, number} autres",
  "chart.more": "Les {count, number} premiers sont affichés.",
  "chart.as.table": "Afficher {name} en tableau",
  "chart.as.chart": "Afficher {name} en graphique",

  "figure.compared": "{title} : {value}",
  "figure.compared.change": "{title} : {value} ({change})",
  "figure.points": "{points} points de pourcentage",

  ...targets,

  "layout.choose": "Présentation",
  "layout.table": "Tableau",
  "layout.board": "Kanban",
  "layout.calendar": "Calendrier",
  "layout.pivot": "Tableau croisé",

  "board.column": "{column}, {count}",
  "board.waiting": "{count, plural, one {# attend votre action} other {# attendent votre action}}",
  "board.empty": "Rien",
  "board.no.way.short": "impossible",
  "board.no.way": "Impossible depuis « {state} ».",
  "board.move": "Déplacer {label}",
  "board.move.to": "Déplacer vers",

  "calendar.of": "{title} par jour",
  "calendar.scale": "Période affichée",
  "calendar.month": "Mois",
  "calendar.week": "Semaine",
  "calendar.agenda": "Planning",
  "calendar.week.previous": "Semaine précédente",
  "calendar.week.next": "Semaine suivante",
  "calendar.week.empty": "Pas {things_begins, select, vowel {d’} other {de }}{things} cette semaine",
  "calendar.end": "Faites glisser pour déplacer la fin, ou utilisez Maj et les flèches",
  "calendar.end.at": "Fin : {day}",
  "calendar.end.moved": "{label} se termine maintenant le {day}",
  "calendar.end.not": "La fin n’a pas été déplacée : {label}",
  "calendar.end.shut": "Vous ne pouvez pas la modifier ici.",
  "calendar.begins.at": "Début : {day}",
  "calendar.moved": "{label} commence maintenant le {day}",
  "calendar.moved.not": "L’entrée n’a pas été déplacée : {label}",
  "calendar.day": "{day}, {count, plural, =0 {rien} one {une entrée} other {# entrées}}",
  "calendar.more": "+{count, number} {count, plural, one {autre} other {autres}}",
  "calendar.empty": "Pas {things_begins, select, vowel {d’} other {de }}{things} ce jour-là",
  "calendar.month.empty": "Pas {things_begins, select, vowel {d’} other {de }}{things} ce mois-ci",
  "calendar.today": "Aujourd’hui, {day}",
  "calendar.today.nothing": "Rien ne commence aujourd’hui",
  "calendar.cut":
    "Trop {things_begins, select, vowel {d’} other {de }}{things} pour tout afficher. Filtrez la liste pour voir le reste.",

  "deadline.minutes": "{count, plural, one {en retard de # minute} other {en retard de # minutes}}",
  "deadline.hours": "{count, plural, one {en retard de # heure} other {en retard de # heures}}",
  "deadline.days": "{count, plural, one {en retard de # jour} other {en retard de # jours}}",
  "deadline.weeks": "{count, plural, one {en retard de # semaine} other {en retard de # semaines}}",
  "deadline.months": "{count, plural, one {en retard de # mois} other {en retard de # mois}}",
  "deadline.named":
    "{label_time, select, preposition {{begin} {words}} joined {{label} {words}} other {{label} : {words}}}",
} satisfies TextsLike<typeof english>;
