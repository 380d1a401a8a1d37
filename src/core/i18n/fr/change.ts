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
  "tile.added": "L’écran {path} a une nouvelle tuile, {title}.",
  "tile.changed": "L’écran {path} a une tuile modifiée, {title}.",
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
  "entity.derived.more":
    "Plus de fiches {many_begins, select, vowel {d’} other {de }}{many} découlent d’autres fiches.",
  "entity.derived.fewer":
    "Moins de fiches {many_begins, select, vowel {d’} other {de }}{many} découlent d’autres fiches.",
  "entity.other": "{name} est décrit autrement : {member}.",
  "record.added": "Nouvelle fiche {name}.",
  "record.removed": "La fiche {name} ne fait plus partie de la spécification ; elle reste une fiche ordinaire.",
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
    "{field} {many_begins, select, vowel {d’} other {de }}{many} est désormais rempli automatiquement, et personne ne peut le saisir.",
  "field.not.set": "{field} {many_begins, select, vowel {d’} other {de }}{many} n’est plus rempli automatiquement.",
  "field.set.differently":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} est désormais rempli automatiquement avec une autre valeur.",
  "field.default.added":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} a désormais une valeur par défaut.",
  "field.default.removed": "{field} {many_begins, select, vowel {d’} other {de }}{many} n’a plus de valeur par défaut.",
  "field.default.changed": "{field} {many_begins, select, vowel {d’} other {de }}{many} a une autre valeur par défaut.",
  "field.computed":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} est désormais calculé, et personne ne peut le saisir.",
  "field.not.computed": "{field} {many_begins, select, vowel {d’} other {de }}{many} n’est plus calculé.",
  "field.lists": "{field} {many_begins, select, vowel {d’} other {de }}{many} liste d’autres fiches.",
  "field.computed.differently": "{field} {many_begins, select, vowel {d’} other {de }}{many} est calculé autrement.",
  "field.kept":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} est désormais calculé {now} au lieu de {before}.",
  "kept.always": "en continu",
  "kept.write": "à chaque modification de la fiche",
  "kept.good": "à la création seulement",
  "kept.fields": "à la création et à chaque modification de {fields}",
  "kept.transitions": "à la création et après {transitions}",
  "kept.both": "à la création, à chaque modification de {fields} et après {transitions}",
  "field.yes.more":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} est désormais « oui » dans plus de cas.",
  "field.yes.fewer":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} est désormais « oui » dans moins de cas.",
  "field.values.added": "{field} {many_begins, select, vowel {d’} other {de }}{many} peut désormais être : {names}.",
  "field.values.removed": "{field} {many_begins, select, vowel {d’} other {de }}{many} ne peut plus être : {names}.",
  "field.values.merged":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} ne peut plus être {names}. Ces fiches reçoivent {now}.",
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
  "field.currency":
    "{field} {many_begins, select, vowel {d’} other {de }}{many} est désormais en {now} au lieu de {before}. Les montants enregistrés ne sont pas convertis.",
  "field.series": "{field} {many_begins, select, vowel {d’} other {de }}{many} est numéroté autrement.",
  "field.from": "{field} {many_begins, select, vowel {d’} other {de }}{many} découle d’un autre champ.",
  "field.unit": "{field} {many_begins, select, vowel {d’} other {de }}{many} a une autre unité.",
  "field.help": "{field} {many_begins, select, vowel {d’} other {de }}{many} a un autre texte d’aide.",
  "field.examples": "{field} {many_begins, select, vowel {d’} other {de }}{many} a d’autres exemples.",
  "field.other": "{field} {many_begins, select, vowel {d’} other {de }}{many} est décrit autrement : {members}.",

  // States and transitions
  "state.first": "{many_upper} : il y a désormais des états.",
  "state.none": "{many_upper} : il n’y a plus d’états ni de transitions.",
  "state.added": "Nouvel état {state} {many_begins, select, vowel {d’} other {de }}{many}.",
  "state.removed": "L’état {state} {many_begins, select, vowel {d’} other {de }}{many} est supprimé.",
  "state.merged":
    "L’état {state} {many_begins, select, vowel {d’} other {de }}{many} est supprimé. Ces fiches passent à l’état {now}.",
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
  "precondition.added":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} peut désormais être refusé d’avance avec {error}.",
  "precondition.added.is":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} est désormais refusé d’avance avec {error}. Condition : {condition}.",
  "precondition.removed":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} n’est plus refusé d’avance avec {error}.",
  "precondition.stricter":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} est refusé d’avance avec {error} dans plus de cas.",
  "precondition.looser":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} est refusé d’avance avec {error} dans moins de cas.",
  "precondition.otherwise":
    "{transition} {many_begins, select, vowel {d’} other {de }}{many} est refusé avec d’autres erreurs.",
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
  "register.any": "On peut désormais s’inscrire avec n’importe quelle adresse e-mail.",
  "register.at": "On peut désormais s’inscrire avec une adresse e-mail chez {names}.",
  "register.roles": "À l’inscription, ces rôles sont accordés : {names}.",
  "register.no.roles": "À l’inscription, aucun rôle n’est accordé.",
  "outgoing.added": "L’application appelle désormais un autre programme : {name}.",
  "outgoing.removed": "L’appel {name} à un autre programme est supprimé.",
  "outgoing.other": "L’appel {name} à un autre programme est différent : « {member} ».",
  "errors.form": "Les erreurs des appels ont une autre forme.",
  "origins.added": "Les pages de {names} peuvent désormais appeler l’application.",
  "origins.removed": "Les pages de {names} ne peuvent plus appeler l’application.",
  "tokens.by": "Les jetons d’API peuvent désormais être créés par : {names}.",
  "tokens.by.nobody": "Personne ne peut plus créer de jetons d’API.",
  "tokens.days": "Les jetons d’API sont désormais valables {now} jours au plus au lieu de {before}.",
  "tokens.scheme": "Les jetons d’API sont désormais envoyés comme {now} au lieu de {before}.",

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
  "call.removed": "L’appel {names} est supprimé.",
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
  "fact.limited.by": "peuvent désormais être filtrés par {names}",
  "fact.not.limited.by": "ne peuvent plus être filtrés par {names}",
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
  "call.errors": "L’appel {name} refuse avec d’autres erreurs.",
  "call.unknown.ignored": "L’appel {name} ignore désormais les données et les paramètres qu’il ne connaît pas.",
  "call.unknown.refused": "L’appel {name} refuse désormais les données et les paramètres qu’il ne connaît pas.",
  "call.differently": "L’appel {name} fonctionne autrement.",

  // Steps of a migration
  "step.optional": "{clause} : rendre facultatif",
  "step.required": "{clause} : rendre obligatoire",
  "step.computed.removed": "{clause} : supprimer la colonne calculée",
  "step.plain": "{clause} : garder les valeurs calculées et permettre la saisie",
  "step.recompute": "{clause} : recalculer",
  "step.several": "{clause} : permettre plusieurs valeurs",
  "step.one": "{clause} : ne permettre qu’une valeur",
  "step.table": "{clause} : créer la table {name}",
  "step.column": "{clause} : ajouter la colonne {name}",
  "step.reference": "{clause} : ajouter une référence à {table}",
  "step.index": "{clause} : ajouter l’index {name}",
  "step.index.rebuild": "{clause} : reconstruire l’index {name}",
  "step.index.later": "{clause} : reconstruire l’index {name} en arrière-plan",
  "step.index.removed": "{clause} : supprimer l’index inutilisé {name}",
  "step.check": "{clause} : ajouter un contrôle de la base de données",
  "step.check.changed": "{clause} : modifier le contrôle de la base de données",
  "step.check.removed": "{clause} : supprimer le contrôle de la base de données",
  "step.value.removed": "{clause} : supprimer {value}",
  "step.filled": "{clause} : remplir {rows, plural, one {# fiche} other {# fiches}}",
  "step.converted": "{clause} : convertir les valeurs ({rows, plural, one {# fiche} other {# fiches}})",
  "step.restored": "{clause} : rétablir les anciennes valeurs ({rows, plural, one {# fiche} other {# fiches}})",
  "step.unfilled": "{clause} : retirer la valeur de « fill » ({rows, plural, one {# fiche} other {# fiches}})",
  "step.dangling":
    "{clause} : retirer les références à des fiches supprimées ({rows, plural, one {# fiche} other {# fiches}})",
  "step.bound":
    "{clause} : permettre {which, select, max {au plus} other {au moins}} {bound}{characters, select, true { caractères} other {}}",
  "kept.values":
    "{rows, plural, =0 {Aucune fiche n’a de valeur} one {Les valeurs de # fiche sont conservées comme données retirées} other {Les valeurs de # fiches sont conservées comme données retirées}}",
  "kept.records":
    "{rows, plural, =0 {Il n’y a pas de fiches} one {# fiche est conservée comme donnée retirée} other {# fiches sont conservées comme données retirées}}",
  "step.removed": "{clause} : supprimer. {kept}",
  "step.retyped": "{clause} : changer de {from} à {to}. {kept}",
  "type.computed": "calculé",
  "type.reference": "une référence à {to}",
  "step.derived": "{clause} : déduire les fiches d’autres fiches. {kept}",
  "step.table.back": "{clause} : rétablir avec {rows, plural, one {# fiche} other {# fiches}}",
  "step.column.back": "{clause} : rétablir avec les valeurs de {rows, plural, one {# fiche} other {# fiches}}",
  "step.column.gets": "{clause} reçoit la colonne {name}",
  "step.stale":
    "{clause} : {rows, plural, one {# fiche a été modifiée} other {# fiches ont été modifiées}} dans ce champ depuis qu’il avait ce type. Les valeurs saisies depuis sont conservées comme données retirées, et les anciennes reviennent",
  "step.merged":
    "{clause} : supprimer {old}. {rows, plural, =0 {Aucune fiche ne l’a} one {# fiche reçoit {now}} other {# fiches reçoivent {now}}}",
  "step.renamed":
    "{clause} : renommer {old} en {now}{of, select, entity { ; ses fiches et leur historique sont conservés} field { ; ses valeurs sont conservées} value { ; les fiches avec cette valeur changent} record { ; la fiche est conservée} role { ; les personnes gardent ce rôle} other {}}",
  "step.value.renamed":
    "{clause} : renommer {old} en {now} ; {rows, plural, =0 {aucune fiche n’a cette valeur} one {# fiche change} other {# fiches changent}}",
  "step.record.added": "{clause} : ajouter la fiche",
  "step.record.changed": "{clause} : modifier {fields}",
  "step.record.edited": "{clause} : ne plus proposer la fiche ; elle est conservée, car des personnes l’ont modifiée",
  "step.record.used": "{clause} : ne plus proposer la fiche ; elle est conservée, car d’autres fiches l’utilisent",
  "step.record.deleted": "{clause} : supprimer la fiche ; aucune autre fiche ne l’utilise",
  "step.searches":
    "Les recherches lisent des tables entières, car l’extension pg_trgm manque et le propriétaire de la base ne peut pas la créer",
  "step.stopped":
    "L’essai s’est arrêté après {seconds} secondes, car beaucoup de fiches changent ou sont utilisées. La publication vérifie le reste.",
  "step.checked.later":
    "Certaines fiches ne peuvent être vérifiées qu’à la publication. Si elles ne conviennent pas, la version actuelle reste en service.",
  "step.pause":
    "{name} : à la mise en service de la version, personne ne peut voir ou modifier ses fiches pendant environ {minutes, plural, =0 {{seconds, plural, one {# seconde} other {# secondes}}} one {# minute} other {# minutes}}",

  // Refusals of a migration
  "refused.required.added":
    "{clause} ne peut pas être ajouté comme champ obligatoire : {rows, plural, one {# fiche n’a} other {# fiches n’ont}} pas de valeur. Rendez-le facultatif, ou ajoutez « fill » avec leur valeur.",
  "refused.required":
    "{clause} ne peut pas devenir obligatoire : {rows, plural, one {# fiche n’a} other {# fiches n’ont}} pas de valeur. {filled, select, true {« fill » ne leur en donne pas.} other {Ajoutez « fill » avec leur valeur.}}",
  "refused.one":
    "{clause} ne peut pas avoir qu’une valeur : {rows, plural, one {# fiche a} other {# fiches ont}} {required, select, true {plusieurs valeurs ou aucune} other {plusieurs valeurs}}.",
  "refused.unique":
    "{clause} ne peut pas devenir unique : {rows, plural, one {# valeur apparaît} other {# valeurs apparaissent}} plusieurs fois.",
  "refused.unique.any": "{clause} ne peut pas devenir unique.",
  "refused.pairs":
    "{clause} ne peut pas prendre effet : des fiches enregistrées {same, select, true {ont les mêmes valeurs} other {se chevauchent}}.",
  "refused.value":
    "{clause} ne permet plus {value}, mais {rows, plural, one {# fiche a} other {# fiches ont}} cette valeur. Ajoutez « was » et {value} à la valeur qu’elles reçoivent, par exemple « {example} ».",
  "refused.violates":
    "{clause} ne peut pas prendre effet : {rows, plural, one {# fiche ne la respecte pas} other {# fiches ne la respectent pas}}.",
  "refused.unfit":
    "{what} : cela ne peut pas prendre effet, {rows, plural, one {# fiche ne convient pas} other {# fiches ne conviennent pas}}.",
  "refused.bound":
    "{clause} ne peut pas être limité à {which, select, max {au plus} other {au moins}} {bound}{characters, select, true { caractères} other {}} : {characters, select, true {{rows, plural, one {# fiche est} other {# fiches sont}} plus {which, select, max {longues} other {courtes}}} other {{rows, plural, one {# fiche a} other {# fiches ont}} une valeur plus {which, select, max {élevée} other {basse}}}}.",
  "refused.dangling":
    "{clause} ne peut pas être rétabli comme champ obligatoire : {rows, plural, one {# fiche renvoie} other {# fiches renvoient}} à une fiche supprimée. Rendez-le d’abord facultatif.",
  "refused.other.type":
    "{clause} : « was » dit que {name} était {said}, mais c’est {is}. Indiquez le type qu’il a dans la version en service.",
  "former.value": "l’ancienne valeur",
  "refused.converted":
    "{clause} ne peut pas être converti : aucune valeur ne découle de {names} dans {rows, plural, one {# fiche} other {# fiches}}. Corrigez-{rows, plural, one {la} other {les}}, ou indiquez dans « fill » la valeur à enregistrer.",
  "refused.computed": "{clause} ne peut pas être calculé pour 1 fiche : {problem}. Corrigez la fiche, puis reprenez.",
  "refused.foreign.table":
    "La table {name} du schéma app n’a pas été créée par Ninefold. Déplacez-la dans un autre schéma.",
  "refused.foreign.column":
    "La colonne {name} de la table {table} n’a pas été créée par Ninefold. Supprimez-la, ou ajoutez un champ pour elle.",
  "refused.record":
    "{clause} ne peut pas être enregistré comme dans la spécification : {same, select, true {une autre fiche a la même valeur} other {une règle de son entité n’est pas respectée}} ({constraint}).",
  "refused.full": "La base de données n’a plus de place ({problem}). Libérez de la place, puis reprenez.",
  "refused.superseded": "Une autre version a été publiée entre-temps.",
} satisfies ChangeTexts;
