import type { MailTexts } from "../mail-arguments.ts";
import { texts as targets } from "./targets.ts";

export const texts = {
  "register.subject": "Confirmez votre adresse pour {application}",
  "register.text":
    "Confirmez votre adresse e-mail pour créer votre compte {application}. Le lien fonctionne une seule fois et reste valable 24 heures.\n\nConfirmer l’adresse :\n{link}\n\nVous n’avez rien demandé ? Ignorez cet e-mail.\n",
  "known.subject": "Votre compte pour {application}",
  "known.text":
    "Vous avez déjà un compte pour {application}.\n\nSe connecter :\n{link}\n\nMot de passe oublié ? Choisissez « Mot de passe oublié ? » sur cette page.\n\nVous n’avez rien demandé ? Ignorez cet e-mail.\n",
  "invited.subject": "{person} vous invite à rejoindre {application}",
  "invited.who": "{person} vous invite à rejoindre {application}.",
  "invited.text":
    "Choisissez votre mot de passe pour commencer. Le lien fonctionne une seule fois et reste valable {days} jours.\n\nChoisir un mot de passe :\n{link}\n\nEnsuite, connectez-vous sur {site} avec cette adresse e-mail.\n\nVous n’attendiez pas cette invitation ? Ignorez cet e-mail.\n",
  "password.subject": "Réinitialisez votre mot de passe pour {application}",
  "password.text":
    "{person} vous envoie ce lien pour réinitialiser votre mot de passe pour {application}. Il fonctionne une seule fois et reste valable {hours} heures.\n\nRéinitialiser le mot de passe :\n{link}\n\nVotre mot de passe actuel reste valable jusqu’à ce que vous en choisissiez un nouveau.\n\nVous n’attendiez pas cet e-mail ? Ignorez-le.\n",
  "forgotten.subject": "Réinitialisez votre mot de passe pour {application}",
  "forgotten.text":
    "Quelqu’un a demandé un lien pour réinitialiser votre mot de passe pour {application}. Il fonctionne une seule fois et reste valable une heure.\n\nRéinitialiser le mot de passe :\n{link}\n\nVotre mot de passe actuel reste valable jusqu’à ce que vous en choisissiez un nouveau.\n\nVous n’avez rien demandé ? Ignorez cet e-mail.\n",
  "first.subject": "Choisissez votre mot de passe pour {application}",
  "first.text":
    "Quelqu’un a demandé un lien pour choisir votre mot de passe pour {application}. Il fonctionne une seule fois et reste valable une heure.\n\nChoisir un mot de passe :\n{link}\n\nVous n’avez rien demandé ? Ignorez cet e-mail.\n",
  "password.set.subject": "Votre mot de passe pour {application} a été changé",
  "password.set.text":
    "Le mot de passe de votre compte pour {application} a été changé le {at}, depuis l’adresse IP {from}. Toutes vos autres sessions sont terminées, et vos jetons d’API révoqués.\n\nSi ce n’était pas vous, choisissez « Mot de passe oublié ? » sur la page de connexion et prévenez tout de suite l’administration.\n\nSe connecter :\n{link}\n",
  "address.changed.subject": "Votre adresse e-mail pour {application} a été changée",
  "address.changed.text":
    "L’adresse e-mail de votre compte pour {application} a été changée le {at} : {from} est remplacée par {to}. Connectez-vous désormais avec la nouvelle.\n\nSi c’est une erreur, prévenez tout de suite l’administration.\n",
  "token.made.subject": "Nouveau jeton d’API pour votre compte {application}",
  "token.made.text":
    "Le jeton « {name} » a été créé pour votre compte {application} le {at}, depuis l’adresse IP {from}. Un programme qui l’utilise peut faire en votre nom ce que le jeton permet.\n\nSi ce n’était pas vous, révoquez le jeton sur la page de votre compte, changez votre mot de passe et prévenez l’administration.\n\nOuvrir le compte :\n{link}\n",
  "token.ended.subject": "Un jeton d’API de votre compte {application} a été révoqué",
  "token.ended.text":
    "Le jeton « {name} » de votre compte {application} a été révoqué le {at}, depuis l’adresse IP {from}. Le programme qui l’utilisait n’a plus accès.\n\nLa page de votre compte montre les jetons valables.\n\nOuvrir le compte :\n{link}\n",
  "proposal.subject": "{application} : la proposition {number} attend d’être approuvée",
  "proposal.text":
    "{event, select, person {{name} propose une modification de la spécification de {application}} file {Le serveur de {application} a démarré avec un fichier de spécification modifié} operator {L’exploitant propose une modification de la spécification de {application}} other {Une modification proposée de la spécification de {application} a un nouveau texte, elle a donc besoin de nouvelles approbations}}. Approuvez-la ou rejetez-la (proposition {number}).\n\nOuvrir la proposition :\n{link}\n\nVous recevez cet e-mail parce que vous pouvez approuver les modifications de {application}.\n",
  "notice.subject": "{application} : nouvelle notification",
  "notice.open": "Ouvrir",
  "notice.act": "« {title} »",
  "notice.acts":
    "{count, plural, one {Le lien {acts} fonctionne une fois, pendant {hours, plural, one {# heure} other {# heures}}, et agit en votre nom} other {Les liens {acts} fonctionnent une fois, pendant {hours, plural, one {# heure} other {# heures}}, et agissent en votre nom}}. Ne transférez pas cet e-mail.",
  "notice.others": "et {count, plural, one {# autre} other {# autres}}",
  "notice.deputy": "Ces jours-là, vous pouvez, pour {person} :",
  "notice.all": "Toutes les notifications",
  "notice.foot":
    "Vous recevez cet e-mail parce que {application} vous envoie les notifications {timing, select, daily {une fois par jour à {time}} other {immédiatement}}.",
  "notice.settings": "Paramètres des e-mails",
  "notice.stop": "Se désabonner",
  "digest.subject": "{application} : {count, plural, one {# notification} other {# notifications}}",
  "report.rows": "{count, plural, one {# {thing}} other {# {things}}}",
  "report.more": "{shown} sur {total}",
  "report.empty": "Aucun élément en ce moment.",
  "report.earlier": "{count, plural, one {# période antérieure} other {# périodes antérieures}}",
  ...targets,
  "report.foot":
    "Vous recevez cet e-mail parce que {application} envoie « {title} » {on, select, day {chaque jour} month {le premier jour de chaque mois} monday {chaque lundi} tuesday {chaque mardi} wednesday {chaque mercredi} thursday {chaque jeudi} friday {chaque vendredi} saturday {chaque samedi} sunday {chaque dimanche} other {les jours ouvrés}} à {time}.",
  "report.file": "Le fichier joint contient les {count, number} premières lignes.",
  "report.total": "En tout",
  "report.none": "Sans {field}",
  "report.others": "{count, plural, one {1 autre} other {# autres}}",
  "letter.unprintable":
    "Ce fichier ne peut pas afficher certains caractères. Ils apparaissent comme □. La page dans l’application les affiche.",
  "only.domains": "Seules les adresses de {domains} permettent de s’inscrire.",
} satisfies MailTexts;
