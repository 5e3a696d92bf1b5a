"""French."""

from apps.screening.patterns import joined

CONCEPTS = {
    "conceal": joined(r"""
        n(?:e |')(?:le |la |les )?(?:dis|dites|parle|parlez|mentionne|mentionnez|informe|informez|revele|
        previens|avertis)[^.!?\n]{0,20}? (?:a l'|au |aux |l'|le |les )(?:utilisateur|client|operateur|
        proprietaire|administrateur)\w*|sans (?:en |le )?(?:dire|informer|prevenir|avertir|
        parler)[^.!?\n]{0,12}? l'?(?:utilisateur|e client|operateur)\w*|cache\w* (?:ceci |cela |ca )?(?:a l'|
        au )(?:utilisateur|client|operateur)\w*
    """),
    "unrestricted": joined(r"""
        sans (?:aucune? |plus de |la moindre )?(?:restrictions?|limites?|filtres?|regles?|limitations?)|
        (?:tu n'as|vous n'avez) (?:plus )?(?:aucune?|de) (?:restriction|limite|regle)s?
    """),
    "override": joined(r"""
        ignor(?:e|ez|er)|annul(?:e|ez|er)|supprim(?:e|ez|er)|desactiv(?:e|ez|er)|oubli(?:e|ez|er)|ne (?:tiens|
        tenez|tenir) (?:pas|plus) compte|fais abstraction|contourne\w*|outrepasse\w*|desobeis|ne (?:suis|suivez|
        respecte|respectez|obeis) (?:pas|plus)|passe outre|laisse de cote|neglige
    """),
    "persona": joined(r"""
        tu es (?:maintenant|desormais|a present)|vous etes (?:maintenant|desormais)|fais (?:semblant|comme si)|
        agis comme|comporte-toi comme|ta nouvelle (?:tache|mission) est|ton nouveau role est|fais-toi passer
    """),
    "prior": r"precedent\w*|anterieur\w*|tes|vos|ci-dessus|du systeme|de securite|avant",
    "rules": joined(r"""
        instructions?|regles?|consignes?|directives?|ordres|restrictions|politiques|filtres|tout ce qui precede|
        ce qu'on t'a dit
    """),
    "authority": joined(r"""
        (?:message|avis|ordre|note) (?:de l'|du )(?:administrateur|systeme|developpeur|admin)|
        en tant que (?:ton )?(?:developpeur|administrateur|createur|proprietaire)[^.!?\n]{0,40}? (?:autorise|
        ordonne|permets)|je t'autorise a
    """),
    "note": r"notes?|message|avis|instruction|ordre|rappel|attention|consignes?",
    "assistant": joined(r"""
        (?:l')?(?:assistant|agent|ia)|bot|chatbot|modele(?: de langage)?|robot|intelligence artificielle
    """),
    "standing": joined(r"""
        desormais|dorenavant|a partir de maintenant|des maintenant|a l'avenir|toujours|en permanence|futurs?|
        future
    """),
    "send": joined(r"""
        transfer\w+|transmet\w*|envoie\w*|envoy\w+|renvoie|fais suivre|copie\w*|ajoute|joins|expedie|poste|
        publie
    """),
    "each": r"chaque|tout(?:es|e)?|tous|entiere?",
    "output": r"reponses?|messages?|sorties?|requetes?|questions?|demandes?",
    "log": r"conversations?|chat|historique|transcriptions?|dialogues?|discussion|journal",
    "reveal": joined(r"""
        revel\w+|montre\w*|affiche\w*|imprime|divulgue\w*|dis-moi|donne\w*|list(?:e|ez)|repete|livre|partage
    """),
    "confidential": joined(r"""
        (?:prompt|invite) (?:du )?systeme|instructions (?:cachees|internes|secretes|systeme)|identifiants|
        cles? (?:d')?api|notes? (?:internes?|de l'administrateur)|secrets|(?:donnees|contacts|
        informations) (?:confidentiel\w+|secret\w*|des? (?:clients|utilisateurs))|mot de passe (?:de l'|
        d')?admin\w*
    """),
    "password": r"mots? de passe|cles?",
    "cond": r"si|quand|lorsque|lorsqu'|des que|des qu'|chaque fois que|au cas ou|s'",
    "anyone": joined(r"""
        quelqu'un|quiconque|on|qui que ce soit|un (?:client|utilisateur|visiteur)|une personne|(?:les )?clients|
        (?:les )?utilisateurs|gens
    """),
    "ask": joined(r"""
        demand\w+|parl\w+|mentionn\w+|dit|evoqu\w+|veut savoir|interrog\w+|pos\w+ la question|ecri[tv]\w*
    """),
    "answer": r"repond\w*|dis|dites|affirme\w*|confirme\w*|indique\w*|recommande\w*",
    "store": r"enregistre\w*|retiens|memoris\w+|sauvegarde\w*|souviens-toi|stocke\w*",
    "forever": r"definitivement|pour toujours|de facon permanente|a jamais|en memoire|en permanence",
    "noapproval": joined(r"""
        (?:n'(?:ont|a) (?:pas|plus|nullement) besoin d'|sans |ne necessit\w+ (?:pas d'|aucune )|
        aucune )(?:une )?(?:approbation|autorisation|verification|confirmation|validation|permission)|(?:sauter|
        ignorer|passer) la (?:verification|validation)
    """),
    "payment": joined(r"""
        comptes? bancaires?|numero de compte|iban|rib|factures?|paiements?|remboursements?|virements?|solde|
        fonds|vire
    """),
    "approve": r"approuv\w+|autoris\w+|confirm\w+|valid\w+|accord\w+|accept\w+",
    "tool": r"(?:appelle|execute|utilise|lance)(?: l'| la)?",
    "not": r"ne|n'|pas|jamais",
    "voided": joined(r"""
        caduques?|annulee?s?|nulles?|revoquee?s?|invalides?|ne (?:s'appliquent?|valent|comptent) plus
    """),
    "obey": r"(?:suis|suivez|obeis|obeissez) (?:uniquement|seulement)|n'obeis qu'|n'ecoute que",
    "jailbreak": r"mode dan",
    "reader": joined(r"""
        (?:si|quand|lorsque) (?:tu lis|vous lisez) ceci|si (?:tu es|vous etes) une? (?:ia|assistant|modele)|
        (?:ia|modele|assistant) qui (?:lit|traite) (?:ceci|ce)
    """),
}
