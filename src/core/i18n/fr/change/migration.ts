import type { TextsLike } from "../../catalogue.ts";
import type { migrationArguments } from "../../change-arguments/migration.ts";

export const texts = {
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
  "step.numbered": "{clause} : numéroter {rows, plural, one {# fiche} other {# fiches}} dans l’ordre de création",
  "step.filled": "{clause} : remplir {rows, plural, one {# fiche} other {# fiches}}",
  "step.converted": "{clause} : convertir les valeurs ({rows, plural, one {# fiche} other {# fiches}})",
  "step.restored": "{clause} : rétablir les anciennes valeurs ({rows, plural, one {# fiche} other {# fiches}})",
  "step.unfilled": "{clause} : retirer la valeur de « fill » ({rows, plural, one {# fiche} other {# fiches}})",
  "step.replaced":
    "{clause} : remplacer la valeur par celle de « fill » ({rows, plural, one {# fiche} other {# fiches}}) ; les anciennes valeurs sont conservées",
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
  "step.retyped.text":
    "{clause} : changer de {from} à {to}. {kept}. Pour convertir ces valeurs, ajoutez « {was} » et « {fill} »",
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
  "step.time":
    "La publication dure environ {minutes, plural, =0 {{seconds, plural, one {# seconde} other {# secondes}}} one {# minute} other {# minutes}}, pendant que tout le monde continue à travailler",
  "step.pause":
    "{name} : à la mise en service de la version, personne ne peut voir ou modifier ses fiches pendant environ {minutes, plural, =0 {{seconds, plural, one {# seconde} other {# secondes}}} one {# minute} other {# minutes}}",
  "step.pause.prepared":
    "{name} : pendant la préparation de la version, personne ne peut voir ou modifier ses fiches, une fois, pendant environ {minutes, plural, =0 {{seconds, plural, one {# seconde} other {# secondes}}} one {# minute} other {# minutes}}",

  // Refusals of a migration
  "refused.required.added":
    "{clause} ne peut pas être ajouté comme champ obligatoire : {rows, plural, one {# fiche n’a} other {# fiches n’ont}} pas de valeur. Rendez-le facultatif, ou ajoutez « fill » avec leur valeur.",
  "refused.required.retyped":
    "{clause} change de type, et le texte de {rows, plural, one {# fiche} other {# fiches}} n’est pas converti automatiquement. Rendez-le facultatif, ou ajoutez « {was} » et « {fill} ».",
  "refused.required":
    "{clause} ne peut pas devenir obligatoire : {rows, plural, one {# fiche n’a} other {# fiches n’ont}} pas de valeur. {filled, select, true {« fill » ne leur en donne pas.} other {Ajoutez « fill » avec leur valeur.}}",
  "refused.one":
    "{clause} ne peut pas être limité à une seule valeur : {rows, plural, one {# fiche a} other {# fiches ont}} {required, select, true {plusieurs valeurs ou aucune} other {plusieurs valeurs}}. Corrigez-{rows, plural, one {la} other {les}}, ou choisissez une valeur avec « was » et « fill ».",
  "refused.unique":
    "{clause} ne peut pas devenir unique : {rows, plural, one {# valeur apparaît} other {# valeurs apparaissent}} plusieurs fois. Corrigez les fiches, ou n’en comparez qu’une partie par une règle avec « unique » et « where ».",
  "refused.unique.any": "{clause} ne peut pas devenir unique.",
  "refused.pairs":
    "{clause} ne peut pas prendre effet : des fiches enregistrées {same, select, true {ont les mêmes valeurs} other {se chevauchent}}. Corrigez-les, ou n’en comparez qu’une partie avec « where ».",
  "refused.value":
    "{clause} ne permet plus {value}, mais {rows, plural, one {# fiche a} other {# fiches ont}} cette valeur. Ajoutez « was » et {value} à la valeur qu’elles reçoivent, par exemple « {example} ».",
  "refused.words":
    "{clause} ne peut pas devenir un choix : {rows, plural, one {# fiche a une autre valeur} other {# fiches ont d’autres valeurs}}. Corrigez-{rows, plural, one {la} other {les}}, ou indiquez avec « was » et « fill » la valeur qu’{rows, plural, one {elle reçoit} other {elles reçoivent}}.",
  "refused.words.state":
    "{clause} ne peut pas prendre effet : {rows, plural, one {# fiche a} other {# fiches ont}} une valeur qui n’est le nom d’aucun état. Corrigez-{rows, plural, one {la} other {les}}, ajoutez les états manquants, ou donnez un autre nom au champ d’état.",
  "refused.violates":
    "{clause} ne peut pas prendre effet : {rows, plural, one {# fiche ne la respecte pas} other {# fiches ne la respectent pas}}. Corrigez-{rows, plural, one {la} other {les}}, ou ne vérifiez la règle que lors de certaines modifications, par exemple avec « [create, update] » dans « during ».",
  "refused.unfit":
    "{what} : cela ne peut pas prendre effet, car {rows, plural, one {# fiche ne convient pas} other {# fiches ne conviennent pas}}.",
  "refused.bound":
    "{clause} ne peut pas être limité à {bound}{characters, select, true { caractères} other {}} {which, select, max {au plus} other {au moins}} : {characters, select, true {{rows, plural, one {# fiche est} other {# fiches sont}} plus {which, select, max {longues} other {courtes}}} other {{rows, plural, one {# fiche a} other {# fiches ont}} une valeur plus {which, select, max {élevée} other {basse}}}}. {filled, select, true {« fill » ne donne aucune valeur qui convienne.} other {Corrigez-{rows, plural, one {la} other {les}}, ou ajoutez « fill » avec une valeur qui convient.}}",
  "refused.dangling":
    "{clause} ne peut pas être rétabli comme champ obligatoire : {rows, plural, one {# fiche renvoie} other {# fiches renvoient}} à une fiche supprimée. Rendez-le d’abord facultatif.",
  "refused.other.type":
    "{clause} : « was » dit que {name} était {said}, mais c’est {is}. Indiquez le type qu’il a dans la version en service.",
  "former.value": "l’ancienne valeur",
  "refused.converted":
    "{clause} ne peut pas être converti : aucune valeur ne découle de {names} dans {rows, plural, one {# fiche} other {# fiches}}. Corrigez-{rows, plural, one {la} other {les}}, ou indiquez dans « fill » la valeur à enregistrer.",
  "refused.converted.reference":
    "{clause} ne peut pas être converti : « fill » ne trouve aucune fiche à laquelle se référer pour {rows, plural, one {# fiche} other {# fiches}}. Une version ne crée pas de fiches : publiez d’abord l’entité et créez les fiches manquantes, ou indiquez dans « fill » une fiche existante.",
  "refused.computed": "{clause} ne peut pas être calculé pour 1 fiche : {problem}. Corrigez la fiche, puis reprenez.",
  "refused.foreign.table":
    "La table {name} du schéma app n’a pas été créée par Ninefold. Déplacez-la dans un autre schéma.",
  "refused.foreign.column":
    "La colonne {name} de la table {table} n’a pas été créée par Ninefold. Supprimez-la, ou ajoutez un champ pour elle.",
  "refused.record":
    "{clause} ne peut pas être enregistré avec les valeurs de la spécification : {same, select, true {une autre fiche a la même valeur} other {une règle de son entité n’est pas respectée}} ({constraint}).",
  "refused.full": "La base de données n’a plus d’espace libre ({problem}). Libérez de l’espace, puis reprenez.",
  "refused.almost.full":
    "Le disque de la base de données a moins de {megabytes} Mo d’espace libre. La version actuelle reste en vigueur. Libérez de l’espace, puis reprenez.",
  "refused.superseded": "Une autre version a été publiée entre-temps.",

  // Refusals of a preview
  "preview.full":
    "L’espace disque ne suffit pas pour une copie de la base de données. Libérez de l’espace, puis réessayez.",
  "preview.ended": "L’aperçu a pris fin pendant la copie des données. Démarrez-le à nouveau.",
  "preview.forbidden":
    "Le rôle de la base de données ne peut pas créer la copie. Autorisez-le à créer des bases de données : alter role … createdb.",
  "preview.unfit":
    "La copie ne correspond pas à la spécification. Avec des données inventées, une règle peut interdire une valeur. Essayez sans données inventées, ou ne marquez pas comme personnels les champs qu’une règle compare.",
  "preview.away": "La base de données ne répond pas. Réessayez plus tard.",
  "preview.broken": "Impossible de démarrer l’aperçu. Le journal du serveur en donne la raison.",
} satisfies TextsLike<typeof migrationArguments>;
