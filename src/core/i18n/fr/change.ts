import type { ChangeTexts } from "../catalogue.ts";

export const texts = {
  // Lists and quotation marks
  quoted: "« {text} »",
  "list.and": "{before} et {last}",
  "list.or": "{before} ou {last}",
  "list.separator": " ; ",

  // People
  "holders.administrators": "les administrateurs",
  "holders.themselves": "les personnes concernées",
  "holders.group": "les personnes avec le rôle « {title} »",
  "holders.held": "les personnes avec le rôle « {title} »",
  "holders.group.foreign": "les personnes avec le rôle « {title} »",
  "holders.held.foreign": "les personnes avec le rôle « {title} »",
  "that.person": "cette personne",
  "the.person": "la personne",

  // Purpose
  "the.default": "la valeur par défaut",
  "product.changed":
    "{what, select, name {Nom} locale {Langue} timezone {Fuseau horaire} accent {Couleur} other {Objet}} : désormais {now} au lieu de {before}.",
  "language.added": "L’application est désormais disponible dans une autre langue : {language}.",
  "language.removed": "L’application n’est plus disponible dans la langue {language}.",
  "language.texts": "Certains textes sont différents dans la langue {language}.",

  // Screens
  "screen.added": "Nouvel écran {title} à l’adresse {path}.",
  "screen.removed": "L’écran {title} à l’adresse {path} est supprimé.",
  "screen.called": "L’écran {path} s’appelle désormais {title}.",
  "screen.only": "L’écran {path} est désormais réservé à : {roles}.",
  "screen.everybody": "L’écran {path} est désormais visible par toutes les personnes qui peuvent voir ses fiches.",
  "screen.also": "L’écran {path} est désormais aussi visible par : {roles}.",
  "screen.not.for": "L’écran {path} n’est plus visible par : {roles}.",
  "screen.gains": "L’écran {path} a désormais {names} dans « {member} ».",
  "screen.loses": "L’écran {path} n’a plus {names} dans « {member} ».",
  "screen.replaces": "L’écran {path} a désormais {gained} et n’a plus {lost} dans « {member} ».",
  "screen.sorted": "L’écran {path} est trié autrement.",
  "screen.records": "L’écran {path} montre d’autres fiches.",
  "screen.layouts": "L’écran {path} a d’autres présentations.",
  "screen.other": "L’écran {path} est différent : « {member} ».",
  "tile.added": "L’écran {path} a une nouvelle tuile {title}.",
  "tile.changed": "L’écran {path} a une autre tuile {title}.",
  "tile.removed": "L’écran {path} n’a plus la tuile {title}.",

  // Entities and their records
  "entity.added": "Nouvelle entité {name} : {many}.",
  "entity.removed": "L’entité {name} est supprimée, avec ses champs, ses règles et ses droits : {many}.",
  "entity.labelled": "Les fiches {many_begins, select, vowel {d’} other {de }}{many} sont désignées autrement.",
  "entity.called": "{name} s’appelle désormais {now} au lieu de {before}.",
  "entity.address":
    "Les adresses {many_begins, select, vowel {d’} other {de }}{many} commencent par {now} au lieu de {before}.",
  "entity.derived":
    "Les fiches {many_begins, select, vowel {d’} other {de }}{many} découlent désormais d’autres fiches, et personne ne peut les modifier.",
  "entity.plain": "Les fiches {many_begins, select, vowel {d’} other {de }}{many} ne découlent plus d’autres fiches.",
  "entity.derived.differently":
    "Les fiches {many_begins, select, vowel {d’} other {de }}{many} découlent autrement d’autres fiches.",
  "entity.other": "{name} est décrit autrement : {member}.",
  "record.added": "Nouvelle fiche {name}.",
  "record.removed": "La fiche {name} n’appartient plus au document ; elle reste une fiche ordinaire.",
  "record.changed": "La fiche {name} a d’autres valeurs.",

  // Fields
  "field.added":
    "Nouveau champ {field} {many_begins, select, vowel {d’} other {de }}{many}{required, select, true {, obligatoire} other {}}.",
  "field.removed": "Le champ {field} {many_begins, select, vowel {d’} other {de }}{many} est supprimé.",
  "type.list": "une liste de {type}",
  "field.type": "{field} {many_begins, select, vowel {d’} other {de }}{many} est désormais {now} au lieu de {before}.",
  "field.former":
    "Les valeurs enregistrées de {field} {many_begins, select, vowel {d’} other {de }}{many} découlent de {names}, comme l’indique « fill ».",
  "field.filled": "{many_upper} sans {field} : la valeur de « fill » est enregistrée une fois.",
  "field.refers":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} renvoie désormais à {now} au lieu de {before}.",
  "field.required": "{field} {many_begins, select, vowel {d’} other {de }}{many} est désormais obligatoire.",
  "field.optional": "{field} {many_begins, select, vowel {d’} other {de }}{many} peut désormais rester vide.",
  "field.can.miss": "{field} {many_begins, select, vowel {d’} other {de }}{many} peut désormais manquer.",
  "field.cannot.miss": "{field} {many_begins, select, vowel {d’} other {de }}{many} ne peut plus manquer.",
  "field.unique": "{many_upper} : chaque valeur de {field} doit désormais être unique.",
  "field.not.unique": "{many_upper} : la même valeur de {field} peut désormais se répéter.",
  "field.one.missing": "{many_upper} : {field} ne peut désormais manquer qu’une fois.",
  "field.several.missing": "{many_upper} : {field} peut désormais manquer plusieurs fois.",
  "field.personal":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} est désormais marqué comme personnel, pour les copies masquées.",
  "field.not.personal":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} n’est plus marqué comme personnel, pour les copies masquées.",
  "field.once":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} ne peut plus être modifié après la création.",
  "field.not.once":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} peut désormais être modifié après la création.",
  "field.set":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} est désormais rempli par le programme, et personne ne peut le saisir.",
  "field.not.set": "{field} {many_begins, select, vowel {d’} other {de }}{many} n’est plus rempli par le programme.",
  "field.set.differently":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} est rempli par le programme avec une autre valeur.",
  "field.default.added":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} a désormais une valeur par défaut.",
  "field.default.removed": "{field} {many_begins, select, vowel {d’} other {de }}{many} n’a plus de valeur par défaut.",
  "field.default.changed": "{field} {many_begins, select, vowel {d’} other {de }}{many} a une autre valeur par défaut.",
  "field.computed":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} est désormais calculé, et personne ne peut le saisir.",
  "field.not.computed": "{field} {many_begins, select, vowel {d’} other {de }}{many} n’est plus calculé.",
  "field.lists": "{field} {many_begins, select, vowel {d’} other {de }}{many} liste d’autres fiches.",
  "field.computed.differently": "{field} {many_begins, select, vowel {d’} other {de }}{many} est calculé autrement.",
  "field.yes.more":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} est désormais « oui » dans plus de cas.",
  "field.yes.fewer":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} est désormais « oui » dans moins de cas.",
  "field.values.added": "{field} {many_begins, select, vowel {d’} other {de }}{many} peut désormais être : {names}.",
  "field.values.removed": "{field} {many_begins, select, vowel {d’} other {de }}{many} ne peut plus être : {names}.",
  "field.bound.removed":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} n’a plus de limite de {bound}{characters, select, true { caractères} other {}}.",
  "field.bound.added":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} est désormais {which, select, max {au plus} other {au moins}} {bound}{characters, select, true { caractères} other {}}.",
  "field.bound.changed":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} est désormais {which, select, max {au plus} other {au moins}} {bound}{characters, select, true { caractères} other {}} au lieu de {before}.",
  "field.part": "{many_upper} : ce sont désormais des parties de la fiche dans {field}, supprimées avec elle.",
  "field.not.part": "{many_upper} : ce ne sont plus des parties de la fiche dans {field}.",
  "field.among.more":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} peut désormais renvoyer à plus de fiches.",
  "field.among.fewer":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} peut désormais renvoyer à moins de fiches.",
  "field.needed.more":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} est désormais obligatoire dans plus de cas.",
  "field.needed.fewer":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} est désormais obligatoire dans moins de cas.",
  "field.was.called": "{field} {many_begins, select, vowel {d’} other {de }}{many} s’appelait {before}.",
  "field.other": "{field} {many_begins, select, vowel {d’} other {de }}{many} est décrit autrement : {members}.",

  // States and transitions
  "state.first": "{many_upper} : il y a désormais des états.",
  "state.none": "{many_upper} : il n’y a plus d’états ni de transitions.",
  "state.added": "Nouvel état {state} {many_begins, select, vowel {d’} other {de }}{many}.",
  "state.removed": "L’état {state} {many_begins, select, vowel {d’} other {de }}{many} est supprimé.",
  "state.other": "L’état {state} {many_begins, select, vowel {d’} other {de }}{many} est différent : « {member} ».",
  "state.initial": "{many_upper} : l’état initial est désormais {state}.",
  "state.final": "{state} est désormais un état final {many_begins, select, vowel {d’} other {de }}{many}.",
  "state.not.final": "{state} n’est plus un état final {many_begins, select, vowel {d’} other {de }}{many}.",
  "transition.added":
    "Nouvelle transition {transition} {many_begins, select, vowel {d’} other {de }}{many}, pour {by}.",
  "transition.added.automatic":
    "Nouvelle transition {transition} {many_begins, select, vowel {d’} other {de }}{many}, qui a lieu automatiquement.",
  "transition.removed": "La transition {transition} {many_begins, select, vowel {d’} other {de }}{many} est supprimée.",
  "transition.from":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} est désormais possible depuis {states}.",
  "transition.not.from":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} n’est plus possible depuis {states}.",
  "transition.to": "{transition} {many_begins, select, vowel {d’} other {de }}{many} mène désormais à {state}.",
  "transition.more":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} est désormais possible dans plus de cas.",
  "transition.more.if":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} est désormais possible dans plus de cas. Condition : {condition}.",
  "transition.fewer":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} est désormais possible dans moins de cas.",
  "transition.fewer.if":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} est désormais possible dans moins de cas. Condition : {condition}.",
  "transition.asks.not": "{transition} {many_begins, select, vowel {d’} other {de }}{many} ne demande plus {field}.",
  "transition.requires": "{transition} {many_begins, select, vowel {d’} other {de }}{many} exige désormais {field}.",
  "transition.asks":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} demande désormais {field}, qui peut rester vide.",
  "transition.sets":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} définit désormais d’autres valeurs.",
  "transition.automatic":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} a désormais aussi lieu automatiquement.",
  "transition.not.automatic":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} n’a plus lieu automatiquement.",
  "transition.another.time":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} a désormais lieu automatiquement après un autre délai.",
  "transition.another.condition":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} a désormais lieu automatiquement à une autre condition.",
  "transition.was.called": "{transition} {many_begins, select, vowel {d’} other {de }}{many} s’appelait {before}.",
  "transition.other":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} est décrit autrement : {members}.",

  // Effects of a write
  "when.create": "À la création ({many})",
  "when.update": "À la modification ({many})",
  "when.delete": "À la suppression ({many})",
  "when.transition": "Après {transition} {many_begins, select, vowel {d’} other {de }}{many}",
  "does.notify": "notifier des personnes",
  "does.call": "faire l’appel {call}",
  "does.create": "créer des fiches ({many})",
  "does.put": "créer ou modifier des fiches ({many})",
  "does.update": "modifier des fiches ({many})",
  "does.delete": "supprimer des fiches ({many})",
  "does.make": "faire la transition {transition} {many_begins, select, vowel {d’} other {de }}{many}",
  "effect.added": "{when}, le programme doit désormais {does}.",
  "effect.removed": "{when}, le programme ne doit plus {does}.",
  "effect.changed": "{when}, le programme procède autrement pour {does} : {how}.",
  "how.each": "pour d’autres fiches",
  "how.when": "à une autre condition",
  "how.to": "à d’autres personnes",
  "how.text": "avec un autre texte",
  "how.values": "avec d’autres valeurs",
  "how.key": "trouvées par d’autres champs",

  // Rules
  "rule.added": "Nouvelle règle pour {many} : {error}.",
  "rule.added.is": "Nouvelle règle pour {many}, {error} : {condition}.",
  "rule.removed": "La règle {error} pour {many} est supprimée.",
  "rule.stricter": "La règle {error} pour {many} est plus stricte.",
  "rule.stricter.is": "La règle {error} pour {many} est plus stricte : {condition}.",
  "rule.looser": "La règle {error} pour {many} est moins stricte.",
  "rule.looser.is": "La règle {error} pour {many} est moins stricte : {condition}.",
  "rule.moment": "La règle {error} pour {many} est désormais vérifiée {now} au lieu de {before}.",
  "moment.each": "à chaque modification{related, select, true { et quand des fiches liées changent} other {}}",
  "moment.on": "lors de {moments}{related, select, true { et quand des fiches liées changent} other {}}",
  "rule.was.called": "La règle {error} pour {many} s’appelait {before}.",
  "pair.any": "Deux {many}{overlap, select, true { qui se chevauchent} other {}}",
  "pair.same": "Deux {many} avec les mêmes valeurs ({fields}){overlap, select, true { qui se chevauchent} other {}}",
  "pairs.not.possible": "{pair} : ce n’est plus possible.",
  "pairs.possible": "{pair} : c’est désormais possible.",
  "pairs.only": "{pair} : c’est désormais le seul cas impossible.",
  "pairs.instead": "{pair} : ce cas est désormais impossible, au lieu d’autres.",
  "pairs.even": "{pair} : c’est impossible, même sans chevauchement.",
  "pairs.overlap": "{pair} : c’est impossible.",
  "pairs.more": "{pair} : c’est désormais refusé dans plus de cas.",
  "pairs.fewer": "{pair} : c’est désormais refusé dans moins de cas.",
  "pairs.missing": "{pair} : une valeur manquante compte désormais comme une valeur.",
  "pairs.not.missing": "{pair} : une valeur manquante ne compte plus comme une valeur.",

  // Permissions
  "object.all": "toutes les fiches ({many})",
  "object.fields": "{fields} {many_begins, select, vowel {d’} other {de }}{many}",
  "object.fields.all": "{fields} de toutes les fiches ({many})",
  act: "{action, select, read {voir} create {créer} update {modifier} other {supprimer}} {object}",
  "act.transition": "faire la transition {transition} {many_begins, select, vowel {d’} other {de }}{many}",
  "act.transition.all": "faire la transition {transition} de toutes les fiches ({many})",
  can: "{who_upper} peuvent désormais {act}{anonymous, select, true {, même sans se connecter} other {}}.",
  "can.where":
    "{who_upper} peuvent désormais {act}{anonymous, select, true {, même sans se connecter} other {}}. Condition : {condition}.",
  "can.only": "{who_upper} ne peuvent désormais {act} qu’à une condition : {condition}.",
  "cannot.always": "{who_upper} ne peuvent plus {act} dans tous les cas.",
  cannot: "{who_upper} ne peuvent plus {act}{anonymous, select, true {, même sans se connecter} other {}}.",
  "cannot.where":
    "{who_upper} ne peuvent plus {act}{anonymous, select, true {, même sans se connecter} other {}}. Cas concerné : {condition}.",

  // Roles and approval
  "members.anyone": "pour tout le monde, même sans se connecter",
  "members.signed.in": "pour toutes les personnes connectées",
  "members.granted": "accordé par l’administration",
  "role.added": "Nouveau rôle {title}, {members}.",
  "role.removed": "Le rôle {title} est supprimé.",
  "role.members": "Le rôle {title} est désormais {members}.",
  "role.was.called": "Le rôle {title} s’appelait {before}.",
  "held.added": "Nouveau rôle pour chacune des fiches ({many}) : {title}.",
  "held.removed": "Le rôle {title} {many_begins, select, vowel {d’} other {de }}{many} est supprimé.",
  "held.more": "Plus de personnes ont le rôle {title} {many_begins, select, vowel {d’} other {de }}{many}.",
  "held.fewer": "Moins de personnes ont le rôle {title} {many_begins, select, vowel {d’} other {de }}{many}.",
  "held.was.called": "Le rôle {title} {many_begins, select, vowel {d’} other {de }}{many} s’appelait {before}.",
  "approval.can":
    "Le rôle {title} peut désormais {action, select, propose {proposer} other {approuver}} des modifications de la spécification.",
  "approval.cannot":
    "Le rôle {title} ne peut plus {action, select, propose {proposer} other {approuver}} de modifications de la spécification.",
  "approval.count":
    "Une modification de la spécification nécessite désormais {now, plural, one {# approbation} other {# approbations}} au lieu de {before, plural, one {# approbation} other {# approbations}}.",
  "approval.not.own": "Personne ne peut plus approuver ses propres modifications de la spécification.",
  "approval.own": "On peut désormais approuver ses propres modifications de la spécification.",

  // Sign-in and tokens
  "password.on": "On peut désormais se connecter avec un mot de passe.",
  "password.off": "On ne peut plus se connecter avec un mot de passe.",
  "provider.on": "On peut désormais se connecter avec {title}.",
  "provider.off": "On ne peut plus se connecter avec {title}.",
  "provider.other": "Le fournisseur {title} est différent : « {member} ».",
  "register.on": "On peut désormais s’inscrire soi-même.",
  "register.off": "On ne peut plus s’inscrire soi-même.",
  "register.any": "On peut désormais s’inscrire avec n’importe quelle adresse.",
  "register.at": "On peut désormais s’inscrire avec une adresse chez {names}.",
  "register.roles": "À l’inscription, ces rôles sont accordés : {names}.",
  "register.no.roles": "À l’inscription, aucun rôle n’est accordé.",
  "outgoing.added": "Le programme peut faire un nouvel appel à un autre programme : {name}.",
  "outgoing.removed": "L’appel {name} à un autre programme est supprimé.",
  "outgoing.other": "L’appel {name} à un autre programme est différent : « {member} ».",
  "errors.form": "Les erreurs des appels ont une autre forme.",
  "origins.added": "Les pages de {names} peuvent désormais faire des appels.",
  "origins.removed": "Les pages de {names} ne peuvent plus faire d’appels.",
  "tokens.by": "Les jetons pour programmes peuvent désormais être créés par : {names}.",
  "tokens.by.nobody": "Personne ne peut plus créer de jetons pour programmes.",
  "tokens.days": "Les jetons pour programmes sont désormais valables {now} jours au plus au lieu de {before}.",
  "tokens.scheme": "Les jetons pour programmes sont désormais envoyés comme {now} au lieu de {before}.",

  // Errors and constants
  "error.added": "Nouvelle erreur {code} : {message}",
  "error.removed": "L’erreur {code} est supprimée.",
  "error.status": "L’erreur {code} a désormais le statut {now} au lieu de {before}.",
  "error.message": "L’erreur {code} dit désormais {now} au lieu de {before}",
  "error.help": "L’erreur {code} a un autre texte d’aide.",
  "error.at": "L’erreur {code} s’affiche à un autre champ.",
  "constant.added": "Nouvelle constante {name} : {value}.",
  "constant.removed": "La constante {name} est supprimée ; elle valait {value}.",
  "constant.changed": "La constante {name} vaut {now} au lieu de {before}.",

  // Calls
  "calls.of": "Les appels {many_begins, select, vowel {d’} other {de }}{many}",
  "call.of": "L’appel {name}",
  "calls.removed": "{of} sont supprimés : {names}.",
  "call.removed": "Il n’y a plus d’appel {names}.",
  "call.added": "Nouvel appel : {names}.",
  "calls.added": "{of} sont nouveaux : {names}.",
  "calls.breaking": "{of} peuvent échouer pour les programmes qui les utilisent : {facts}.",
  "call.breaking": "{of} peut échouer pour les programmes qui l’utilisent : {facts}.",
  "calls.compatible":
    "{count} appels {many_begins, select, vowel {d’} other {de }}{many} changent de façon compatible : {facts}.",
  "call.compatible": "{of} change de façon compatible : {facts}.",
  "fact.input": "la saisie",
  "fact.answer": "la réponse",
  "fact.requires.parameter": "le paramètre {names} est désormais obligatoire",
  "fact.limited.by": "peuvent désormais être limités par {names}",
  "fact.not.limited.by": "ne peuvent plus être limités par {names}",
  "fact.sorted.by": "peuvent désormais être triés par {names}",
  "fact.not.sorted.by": "ne peuvent plus être triés par {names}",
  "fact.status": "répondent désormais avec le statut {names}",
  "fact.not.status": "ne répondent plus avec le statut {names}",
  "fact.answers.as": "répondent désormais en {names}",
  "fact.not.answers.as": "ne répondent plus en {names}",
  "fact.accepts.form": "acceptent une autre forme de saisie : {names}",
  "fact.gives.form": "donnent une autre forme de réponse : {names}",
  "fact.accepts.no.value": "acceptent désormais l’absence de {names}",
  "fact.gives.no.value": "peuvent désormais répondre sans valeur pour {names}",
  "fact.not.missing": "n’acceptent plus l’absence de {names}",
  "fact.always.gives": "donnent toujours {names}",
  "fact.accepts.type": "acceptent un autre type de {names}",
  "fact.gives.type": "donnent un autre type de {names}",
  "fact.accepts.fewer": "acceptent moins de valeurs de {names}",
  "fact.gives.fewer": "donnent moins de valeurs de {names}",
  "fact.accepts.more": "acceptent plus de valeurs de {names}",
  "fact.gives.more": "donnent plus de valeurs de {names}",
  "fact.not.accepts": "n’acceptent plus {names}",
  "fact.not.gives": "ne donnent plus {names}",
  "fact.gives": "donnent désormais {names}",
  "fact.requires": "exigent désormais {names}",
  "fact.accepts": "acceptent désormais {names}",
  "fact.not.requires": "n’exigent plus {names}",
  "fact.can.leave.out": "peuvent désormais omettre {names}",
  "call.by": "L’appel {name} est désormais pour {roles}.",
  "call.by.everybody": "L’appel {name} est désormais pour toutes les personnes qui peuvent faire ce qu’il fait.",
  "call.headers": "L’appel {name} est décrit autrement : ses en-têtes.",
  "call.differently": "L’appel {name} fonctionne autrement.",
} satisfies ChangeTexts;
