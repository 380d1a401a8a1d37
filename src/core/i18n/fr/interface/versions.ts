import type { TextsLike } from "../../catalogue.ts";
import type { texts as english } from "../../en/interface/versions.ts";

export const texts = {
  "plan.title": "Plan",
  "plan.none": "Aucune modification",
  "plan.none.words": "Modifiez le texte. Le plan montre alors l’effet de vos modifications, avant leur publication.",
  "plan.errors":
    "{count, plural, one {Votre brouillon contient 1 erreur. Corrigez-la pour voir le plan.} other {Votre brouillon contient # erreurs. Corrigez-les pour voir le plan.}}",
  "plan.errors.before":
    "{count, plural, one {Votre brouillon contient 1 erreur. Le plan ci-dessous date d’avant.} other {Votre brouillon contient # erreurs. Le plan ci-dessous date d’avant.}}",
  "plan.errors.show": "{count, plural, one {Aller au problème} other {Aller au premier problème}}",
  "plan.offline": "Le serveur est inaccessible. Les données enregistrées seront vérifiées dès qu’il répondra.",
  "plan.data.behind": "La base de données n’a pas encore répondu. Ce qui suit concerne un texte antérieur.",
  "plan.outdated":
    "La version {version, number} a été publiée entre-temps. Votre brouillon part d’une version antérieure.",
  "plan.update": "Mettre à jour le brouillon",
  "plan.updated":
    "Votre brouillon part maintenant de la version {version, number}.{collisions, plural, =0 {} one { 1 passage a été modifié des deux côtés et garde vos lignes. Vérifiez-le dans le plan.} other { # passages ont été modifiés des deux côtés et gardent vos lignes. Vérifiez-les dans le plan.}}",
  "plan.before": "Avant",
  "plan.now": "Maintenant",
  "plan.opened": "Nouveau point ouvert : {statement}",
  "plan.closed": "Décidé maintenant : {statement}",
  "plan.renames": "Renommé ?",
  "plan.rename":
    "« {old} » a disparu, et « {now} » est nouveau. C’est un nouveau nom ? Indiquez-le, et les données sont conservées.",
  "plan.rename.in":
    "Dans {place}, « {old} » a disparu, et « {now} » est nouveau. C’est un nouveau nom ? Indiquez-le, et les données sont conservées.",
  "plan.rename.write": "C’était « {old} »",
  "plan.written": "Écrit à la ligne {line, number} :",
  "plan.written.example": "Remplacez la valeur sélectionnée, puis publiez le brouillon. Votre note est conservée.",
  "plan.was": "Les fiches avec « {value} » reçoivent :",
  "plan.convert": "Convertir l’ancien texte de « {field} »",
  "plan.fill": "Donner une valeur à « {field} » (fill)",
  "plan.one": "Choisir une des valeurs de « {field} » (fill)",
  "plan.during": "Ne vérifier la règle que lorsque des fiches sont créées ou modifiées (during)",
  "plan.unwritten": "Impossible de l’ajouter automatiquement. Écrivez-le dans le texte.",
  "plan.misfits": "{count, plural, one {Afficher la fiche} other {Afficher les # fiches}}",
  "plan.misfits.inside":
    "{count, plural, one {Afficher la fiche avec ces lignes} other {Afficher les # fiches avec ces lignes}}",
  "plan.misfits.unread": "{count, plural, one {Vous ne pouvez pas en voir 1.} other {Vous ne pouvez pas en voir #.}}",
  "plan.misfits.hidden":
    "{count, plural, one {Vous ne pouvez pas voir cette fiche.} other {Vous ne pouvez pas voir ces fiches.}}",
  "plan.misfits.hidden.first": "Vous ne pouvez pas voir les premières de ces fiches.",
  "plan.misfits.first": "{count, plural, one {Afficher la première fiche} other {Afficher les # premières fiches}}",
  "plan.misfits.fixed":
    "{count, plural, one {Vous ne pouvez pas en modifier 1.} other {Vous ne pouvez pas en modifier #.}}",
  "plan.misfits.permissions": "Voir qui le peut",
  "plan.misfits.more": "{count, plural, one {Et 1 autre.} other {Et # autres.}}",
  "plan.misfits.more.inside":
    "{count, plural, one {1 autre ligne n’est pas affichée.} other {# autres lignes ne sont pas affichées.}}",
  "plan.records.all": "{count, plural, one {Ouvrir la liste avec cette fiche} other {Ouvrir la liste des # fiches}}",
  "plan.records.title": "Fiches du plan",
  "plan.records.words":
    "La liste affiche les fiches dans leur état actuel. Ouvrez une fiche pour la modifier, puis revenez et rechargez cette page.",
  "plan.records.none": "Le plan ne compte ici aucune fiche que vous pouvez voir ({point}).",
  "plan.records.lost": "Il n’y a pas de brouillon sur cet appareil.",

  "behaviour.title": "Ce qui change",
  "behaviour.parts": "Afficher {count, plural, one {l’appel} other {les # appels}}",
  "behaviour.none": "Rien : l’application fonctionne comme avant.",
  "behaviour.comparing": "Comparaison…",
  "behaviour.broken": "L’un des textes contient des erreurs : impossible de les comparer.",
  "behaviour.possible": "possible",
  "behaviour.example": "Par exemple : {example}",
  "behaviour.allows": "Désormais autorisé",
  "behaviour.adds": "Nouveau",
  "behaviour.forbids": "N’est plus autorisé",
  "behaviour.removes": "Supprimé",
  "behaviour.changes": "Modifié",
  "behaviour.loses.access": "perte d’accès",
  "behaviour.loses.data": "données retirées",
  "behaviour.loses.compatibility": "programmes affectés",
  "behaviour.today": "Aujourd’hui :",
  "behaviour.records": "{count, plural, one {# fiche} other {# fiches}} parmi celles que vous pouvez voir",
  "behaviour.records.more": "plus de {count, number} fiches parmi celles que vous pouvez voir",
  "behaviour.people": "{count, plural, one {# personne} other {# personnes}}",
  "behaviour.failed": "Impossible de comparer les textes",

  "replay.title": "Modifications récentes, vérifiées selon cette version",
  "replay.words":
    "Voyez quelles modifications {days, plural, one {du dernier jour} other {des # derniers jours}} ce brouillon aurait refusées.",
  "replay.do": "Vérifier les modifications récentes",
  "replay.running":
    "Vérification des modifications {days, plural, one {du dernier jour} other {des # derniers jours}}…",
  "replay.failed": "Impossible de vérifier les modifications récentes",
  "replay.nothing": "Personne n’a modifié de fiche {days, plural, one {le dernier jour} other {ces # derniers jours}}.",
  "replay.refused":
    "Sur {acts, plural, one {# modification} other {# modifications}} {days, plural, one {du dernier jour} other {des # derniers jours}}, {refused, plural, =0 {aucune n’aurait été refusée.} one {# aurait été refusée :} other {# auraient été refusées :}}",
  "replay.allowed":
    "Sur {refusals, plural, one {# demande refusée} other {# demandes refusées}}, {allowed, plural, one {# ne serait plus refusée} other {# ne seraient plus refusées}} en raison des droits ou de l’état. Leur contenu n’est pas enregistré :",
  "replay.effects":
    "{effects, plural, one {# effet ou transition automatique se serait produit} other {# effets ou transitions automatiques se seraient produits}} autrement :",
  "replay.acts": "{acts, plural, one {# fois :} other {# fois :}}",
  "replay.by.forbidden": "Non autorisé",
  "replay.by.removed": "N’est plus dans la spécification",
  "replay.by.required": "Une valeur obligatoire manque",
  "replay.by.state": "Impossible dans cet état",
  "replay.examples": "Exemples",
  "replay.did.create": "Créer : {thing}",
  "replay.did.update": "Modifier : {thing}",
  "replay.did.delete": "Supprimer : {thing}",
  "replay.did.transition": "{transition} : {thing}",
  "replay.gone": "(supprimée depuis)",
  "replay.cut.acts":
    "Seules les {acts, number} dernières modifications de chaque type ont été vérifiées. La plus ancienne modification vérifiée date du {at}.",
  "replay.cut.time":
    "La vérification commence par les dernières modifications et s’est arrêtée après {seconds, plural, one {# seconde} other {# secondes}}. La plus ancienne modification vérifiée date du {at}.",
  "replay.cut.kinds": "Types de modifications vérifiés en partie",
  "replay.cut.kind": "{judged, number} sur {changes, number} vérifiées :",
  "replay.left": "Non vérifié, ou pas entièrement",
  "replay.left.refused":
    "{acts, plural, one {# modification que la version en service refuse aussi :} other {# modifications que la version en service refuse aussi :}}",
  "replay.left.many":
    "{acts, plural, one {# modification :} other {# modifications :}} la clause lit des fiches de {name}, et une vérification en lit au plus {most, number} :",
  "replay.left.type":
    "{acts, plural, one {# modification :} other {# modifications :}} les valeurs de {name} avaient alors un autre type :",
  "replay.left.history":
    "{acts, plural, one {# modification :} other {# modifications :}} la clause lit {name}, qui ne figure pas dans l’historique :",
  "replay.left.person":
    "{acts, plural, one {# modification} other {# modifications}} de personnes dont le compte d’alors est inconnu.",
  "replay.left.record":
    "{acts, plural, one {# modification} other {# modifications}} sur des fiches inconnues à ce moment.",
  "replay.left.entity":
    "{acts, plural, one {# modification} other {# modifications}} pour lesquelles la version en service n’a pas d’entité ou de transition :",
  "replay.left.values":
    "{acts, plural, one {# modification :} other {# modifications :}} la nouvelle version définit d’autres valeurs ; les règles ont été vérifiées avec les valeurs d’alors :",
  "replay.left.records":
    "{acts, plural, one {# modification :} other {# modifications :}} une règle peut aussi échouer dans d’autres fiches ; seules les fiches écrites ont été vérifiées :",
  "replay.left.content":
    "{acts, plural, one {# demande refusée} other {# demandes refusées}} dont le droit dépend du contenu :",

  "try.title": "Essayer sur une copie",
  "try.words":
    "Un aperçu exécute ce brouillon avec une copie des données, à sa propre adresse. Il n’envoie rien et prend fin au bout d’un jour.",
  "try.mask": "Remplacer les données personnelles par des données inventées",
  "try.start": "Essayer sur une copie",
  "try.failed": "Impossible de démarrer l’aperçu",
  "try.failed.link": "Impossible d’obtenir le lien",
  "try.failed.end": "Impossible de mettre fin à l’aperçu",
  "try.list": "Aperçus",
  "try.item":
    "{data, select, copy {Copie des données de la version {base}} masked {Copie des données de la version {base}, avec des données personnelles inventées} other {Données d’exemple}}, jusqu’au {until}",
  "try.copying": "Copie des données en cours, {size} Mo jusqu’ici",
  "try.link": "Obtenir le lien",
  "try.open": "Ouvrir l’aperçu",

  "publishing.title": "Version en cours de publication",
  "publishing.running": "Publication d’une version",
  "publishing.paused": "Publication suspendue",
  "publishing.failed": "La publication a échoué",
  "publishing.abandoning": "Abandon de la publication",
  "publishing.checking": "Vérification du texte et des données enregistrées. Elle n’est pas encore en service.",
  "publishing.expand": "Préparation des tables",
  "publishing.backfill": "Remplissage des fiches",
  "publishing.validate": "Vérification des fiches et création des index",
  "publishing.switch": "Mise en service de la version",
  "publishing.retire": "Nettoyage",
  "publishing.time": "{minutes, plural, =0 {} other {# min }}{seconds} s écoulées.",
  "publishing.meanwhile": "Tout le monde continue avec la version en service.",
  "publishing.live": "La version est en service.",
  "publishing.records": "{done, number} sur {total, number} fiches",
  "publishing.record": "Fiche {number, number}",
  "publishing.pause": "Suspendre",
  "publishing.resume": "Reprendre",
  "publishing.abandon": "Abandonner la publication",
  "publishing.unchanged":
    "{act, select, pause {Impossible de suspendre la publication} resume {Impossible de reprendre la publication} other {Impossible d’abandonner la publication}}",
  "publishing.begun": "La publication a commencé. Vous pouvez la suivre ici.",

  "proposals.words": "Modifications proposées de la spécification. La dernière approbation les publie.",
  "proposals.none": "Aucune proposition. Modifiez la spécification, puis proposez votre modification.",

  "proposal.number": "Proposition {number, number}",
  "proposal.state.open": "Ouverte",
  "proposal.state.approved": "Approuvée",
  "proposal.state.outdated": "Dépassée",
  "proposal.state.rejected": "Rejetée",
  "proposal.state.withdrawn": "Retirée",
  "proposal.state.published": "Publiée",
  "proposal.by.file": "D’un fichier du serveur",
  "proposal.by.operator": "Exploitant (ligne de commande)",
  "proposal.by.gone": "D’un compte supprimé",
  "proposal.approvals": "{count, plural, one {# approbation} other {# approbations}} sur {needs, number}",
  "proposal.approve": "Approuver",
  "proposal.publish": "Approuver et publier",
  "proposal.reject": "Rejeter",
  "proposal.withdraw": "Retirer",
  "proposal.reopen": "Rouvrir",
  "proposal.comment": "Commenter",
  "proposal.comment.label": "Votre commentaire",
  "proposal.own": "Vous avez proposé ou modifié ce changement. Une autre personne doit donc l’approuver.",
  "approvers.people":
    "{needs, plural, one {Une approbation suffit : {names}.} other {Ce changement a besoin de # approbations. Peuvent l’approuver : {names}.}}",
  "approvers.few":
    "Ce changement a besoin de {needs, number} approbations, mais seuls peuvent l’approuver actuellement : {names}. L’administration doit donner à d’autres personnes un de ces rôles : {roles}.",
  "approvers.none":
    "Personne d’autre ne peut approuver ce changement actuellement. L’administration doit donner à quelqu’un un de ces rôles : {roles}.",
  "proposal.outdated": "Une autre version a été publiée depuis. Les modifications ne se contredisent pas.",
  "proposal.outdated.others": "Les personnes qui peuvent proposer des modifications peuvent la mettre à jour.",
  "proposal.edit.loses": "Si vous modifiez cette proposition, quelqu’un d’autre doit l’approuver.",
  "proposal.rebase.loses": "Si vous la mettez à jour, quelqu’un d’autre doit l’approuver.",
  "proposal.collides":
    "{count, plural, one {La version {version, number} a été publiée depuis et a modifié un passage que votre proposition modifie aussi. Choisissez « Modifier », mettez le brouillon à jour, puis proposez à nouveau le texte.} other {La version {version, number} a été publiée depuis et a modifié # passages que votre proposition modifie aussi. Choisissez « Modifier », mettez le brouillon à jour, puis proposez à nouveau le texte.}}",
  "proposal.collisions": "Clauses modifiées des deux côtés",
  "proposal.edit": "Modifier",
  "proposal.edit.opened": "Le brouillon est maintenant le texte de la proposition {number, number}.",
  "proposal.edit.closed": "Cette proposition ne peut plus être modifiée.",
  "proposal.editing": "Texte de la proposition {number, number}",
  "proposal.replace": "Remplacer le texte de la proposition {number, number}",
  "proposal.propose.new": "Proposer comme nouvelle",
  "proposal.replaced": "La proposition {number, number} a le nouveau texte. Elle a besoin de nouvelles approbations.",
  "proposal.rebase": "Mettre à jour",
  "proposal.failed": "Impossible de modifier la proposition",
  "proposal.propose.failed": "Impossible de proposer ce brouillon",
  "proposal.decision": "Décision",
  "proposal.history": "Historique",
  "proposal.did.proposed": "A proposé cette modification",
  "proposal.did.changed": "A modifié le texte (texte {revision, number})",
  "proposal.did.commented": "A commenté",
  "proposal.did.approved": "A approuvé le texte {revision, number}",
  "proposal.did.rejected": "A rejeté cette modification",
  "proposal.did.withdrawn": "A retiré cette modification",
  "proposal.did.reopened": "A rouvert cette proposition",
  "proposal.propose.draft": "Proposer…",
  "proposal.propose.title": "Proposer ce brouillon ?",
  "proposal.propose": "Proposer",
  "proposal.proposed": "Vous avez proposé la modification. Les personnes qui peuvent l’approuver sont informées.",

  "versions.approved": "Approuvée par {names}",
  "versions.words":
    "Toutes les versions publiées de la spécification, la plus récente en premier. Restaurer une version publie son texte comme nouvelle version.",
  "versions.none": "Aucune version pour l’instant.",
  "versions.number": "Version {number, number}",
  "versions.live": "En service",
  "versions.by.start": "Publiée par l’exploitant",
  "versions.restores": "Texte de la version {number, number}",
  "versions.steps":
    "{count, plural, one {# modification de la base de données} other {# modifications de la base de données}}",
  "versions.summary.none": "Rien n’a changé pour les personnes qui l’utilisent.",
  "versions.summary.more": "{count, plural, one {# autre changement} other {# autres changements}}",
  "versions.compare": "Comparer",
  "versions.restore": "Restaurer…",
  "versions.draft": "Modifier d’abord comme brouillon",
  "versions.draft.opened": "Le brouillon est maintenant le texte de la version {number, number}.",
  "versions.draft.failed": "La version {number, number} n’a pas pu être chargée.",
  "versions.restore.title": "Restaurer la version {number, number} ?",
  "versions.restore.words":
    "Le texte de la version {number, number} devient la version la plus récente. Toutes les autres versions sont conservées.",

  "compare.draft": "Votre brouillon",
  "compare.draft.none": "Il n’y a pas de brouillon sur cet appareil.",
  "compare.title": "Comparer des versions",
  "compare.from": "Avant",
  "compare.to": "Après",
  "compare.swap": "Inverser",
  "compare.same": "Ces versions ont le même texte.",
  "compare.added": "{count, plural, one {# ligne ajoutée} other {# lignes ajoutées}}",
  "compare.removed": "{count, plural, one {# ligne supprimée} other {# lignes supprimées}}",
  "compare.unchanged": "{count, plural, one {Afficher # ligne inchangée} other {Afficher # lignes inchangées}}",
  "compare.line.added": "Ajoutée :",
  "compare.line.removed": "Supprimée :",

  "retired.title": "Données retirées",
  "retired.words":
    "Champs et entités que la spécification n’a plus. Leurs valeurs restent jusqu’à leur suppression. Les valeurs remplacées par une version sont aussi conservées et reviennent si vous revenez en arrière.",
  "retired.none": "Aucune donnée retirée",
  "retired.records": "{count, plural, one {Valeurs dans 1 fiche} other {Valeurs dans # fiches}}",
  "retired.records.more": "Valeurs dans plus de {count, number} fiches",
  "retired.since": "Retiré par la version {version, number}",
  "retired.sample.failed": "Les valeurs n’ont pas pu être chargées",
  "retired.sample.unread":
    "Les valeurs ne sont pas affichées, car vous ne pouviez pas toutes les voir avant leur retrait. Rétablissez-les pour voir ce que la spécification vous permet de voir.",
  "retired.sample.gone":
    "Les valeurs ne sont pas affichées, car la spécification n’a plus {entity}. Rétablissez d’abord cette entité.",
  "retired.back": "Rétablir",
  "retired.not.written":
    "Impossible d’ajouter automatiquement les anciennes lignes. Corrigez les erreurs du brouillon, ou copiez les lignes depuis la comparaison.",
  "retired.export": "Exporter les valeurs",
  "retired.delete": "Supprimer définitivement…",
  "retired.delete.title": "Supprimer définitivement {name} ?",
  "retired.delete.words":
    "{count, plural, one {Les valeurs d’une fiche seront supprimées} other {Les valeurs de # fiches seront supprimées}} de la base de données. Aucune version ne pourra les rétablir.",
  "retired.delete.words.more":
    "Les valeurs de plus de {count, number} fiches seront supprimées de la base de données. Aucune version ne pourra les rétablir.",
  "retired.delete.export": "Vous en aurez peut-être besoin plus tard. Exportez-les d’abord :",
  "retired.delete.unread":
    "Vous ne pouvez pas exporter ces valeurs ici, car vous ne pouvez pas toutes les lire. Pour en garder une copie, exécutez plutôt sur le serveur :",
  "retired.delete.type": "Saisissez {name} pour confirmer",
  "retired.delete.now": "Supprimer définitivement",
  "retired.delete.failed": "Impossible de supprimer les valeurs",
  "retired.deleted": "{name} a été supprimé définitivement",
} satisfies TextsLike<typeof english>;
