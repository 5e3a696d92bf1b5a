"""French clauses worth keeping. Case is ignored, except in ``(?-i:…)``."""

from apps.extraction.languages import joined

_LEAD = joined(r"""
    ^(?:(?:depuis|à partir d\w+|en|au|pour|par|comme|le|les|à|de|chez moi) [^,.;]{2,40}?, |
    (?:désormais|dorénavant|normalement|généralement|maintenant|d'habitude|en général|personnellement|moi),? )?
""")
_ADVERB = r"(?:ne |n'|me |m'|y |en |le |la |les )"
# Verbs of the first person that wish, think or tell of the moment.
_NOT_HABIT = joined(r"""
    (?:crois|pense|trouve|cherche|voudrais|veux|souhaite|souhaiterais|aimerais|peux|pourrais|dois|devrais|suis|ai|
    vais|viens|sais|vois|comprends|attends|remercie|vous|te|espère|suppose|demande|reçois|clique|ouvre|appelle|
    appelais|étais|avais|serai|ferai|aurais|serais|doute|imagine|pensais|voulais|regrette|oublie|me demande|
    me souviens|me permets|rappelle|tiens|commande|réserve|essaie|fais|dis|prends note|entends|parie|préfère|sens|
    reste|adore (?:attendre|remplir|répéter|quand)|aime (?:attendre|quand))
""")

SELF = joined(rf"""
    {_LEAD}(?:je m'appelle \S.*|j'(?:habite|utilise|enseigne|étudie|évite|écris|aime|adore|élève|apprends|écoute|
    ignore|arrive toujours|achète (?:toujours|mes|mon)|appartiens|organise|anime|entraîne|emploie|exerce|enregistre|
    entretiens)\b(?! (?:cette|ce|cet|votre|ton|attendre|remplir|répéter|quand|l'idée)\b).*|
    je n'(?:aime|habite|utilise|ai (?:pas|plus|jamais) (?!reçu|encore|compris|trouvé|pu|réussi|vu|dit|eu|
    de nouvelles)|entends|écoute|achète)\b.*|je (?:{_ADVERB})*(?!{_NOT_HABIT}\b)(?:me )?[a-zàâçéèêëîïôûù]{{2,}}(?:e|
    s|x|ds|ts)\b(?! (?:ça|cela|ce|cette|cet|ceci|vous|votre|ton|que|qu'|si)\b)(?!.*\b(?:aujourd'hui|ce soir|
    en ce moment|demain|hier)\b).*|je (?:ne |n')?me .*(?:jamais|toujours|plus|tous les|chaque)\b.*|
    je (?:ne )?suis (?:pas |plus |très |maintenant |désormais |un |une |le |la |l'|du |de la |en |né|née|à |au |
    aux |chez |(?-i:[A-Z])[\w'-]*|responsable|chargée? |membre|abonnée?|
    (?:allergi|végét|vég|cœliaq|diabét|intolér|gauch|prof\b|droiti|daltoni|sourd|malentend|aveugle|asthmat|enceint|
    mari|divorc|célibatair|veu[fv]|retrait|indépendant|infirmi|profess|ingénieur|médecin|avocat|étudiant|boulang|
    cuisini|développeu|institut|comptabl|kiné|sage-femme|architect|sensible|sujet|nul|débutant|bilingue|français|
    belge|suisse|canadien|insomniaq|claustrophob|matinal|fumeu|non-fumeu|père|mère|freelance|salari|au chômage|
    fan de))(?!(?:train de|retard|ligne|réunion|vacances|attente|désolé|ravi|sûr|content|cours de|colère|route|bout|
    courant|regret|d'accord|à la recherche|roi|reine)).*|j'ai (?!(?:besoin|envie|hâte|faim|soif|froid|raison|
    l'impression|une question|un problème|un souci|reçu|commandé|acheté|payé|vu|lu|entendu|essayé|pris|
    perdu mon (?:code|mot)|oublié|bien|déjà|juste|tout|peur que|rendez-vous|réservé|trouvé|cliqué|appelé|mal à|fini|
    fait|dû|pu|eu|mis|dit)\b)(?:un|une|deux|trois|quatre|des|du|de la|le|la|les|toujours|\d+|horreur|
    peur (?!que|qu')|mal (?:au|aux)|grandi|déménagé|arrêté|quitté|vécu|vendu|supprimé|adopté|cessé|résilié) ?.*|
    je (?:viens|suis) de (?:déménager|lyon|paris|marseille|bordeaux|bruxelles|genève|(?-i:[A-Z])\w+)\b.*|
    je ne (?:peux|dois|veux) (?:pas|plus|jamais|que) (?:manger|boire|conduire|porter|prendre (?!rendez)|travailler|
    dormir|être (?:appelée?|contactée?|dérangée?|réveillée?)|recevoir|marcher|lire|utiliser|voyager|monter|nager|
    fumer|de |d')\b.*|je ne (?:peux|veux) (?:pas|plus) (?:de |d'|être |recevoir )\S.*|
    je (?:veux|voudrais|souhaite) (?:toujours|à chaque fois|désormais)\b.*)$
""")

PREFER = joined(r"""
    ^(?:(?:maintenant|désormais|en général),? )?je préfère (?!(?:le|la|les) (?:bleu|rouge|vert|noir|premi|second|
    autre)\w*)\S.*
""")

MINE = joined(r"""
    ^(?:tous |toutes )?(?:mon|ma|mes) (?!(?:\w+ )?(?:sœur|soeur|frère|mari|femme|mère|père|parents|fils|fille|
    enfants?|collègue|voisine?|amie?s?|copine?|conjointe?|grand-\w+|oncle|tante|cousine?|commande|colis|question|
    problème|rendez-vous|réservation|facture|écran|avis|souci|compte)\b)(?:[\w'-]+ ){1,5}?(?:est|sont|a|ont|
    s'appelle|s'appellent|mesure|pèse|commence|finit|tombe|vit|déteste|mange|marche à|doit|doivent|
    prend) (?!(?-i:[a-zàâçéèêëîïôûù]+)$)(?!(?:cassée?|perdue?|vide|mal|en panne|que|pas arrivée?)\b)\S.*$|
    ^(?:mon|ma) (?:chef\w*|patron\w*|médecin|dentiste|avocate?|contact(?: d'urgence)?|tuteur|tutrice|professeure?|
    responsable|gestionnaire) (?:est|s'appelle) .+$|^(?:le|la|les|
    l') ?(?:[\w'-]+ ){1,5}?(?:n'est pas (?:pour moi|à moi|la mienne|le mien)|
    me (?:convient|conviennent|va|vont|rend|rendent|donne|donnent|fatigue|fatiguent|fait|font|réussit|dérange|
    dérangent|stresse|ennuie|ennuient)|ne me (?:convient|va|réussit|dit))\b.*|
    ^le (?:mieux|plus simple|plus facile|plus pratique) (?:est|c'est|serait) .*\bm[e'].*|
    ^(?:le|la|l') ?\w+ est (?:ma|mon) (?:langue|couleur|plat|taille|passion|seul|seule|préféré\w*).*|
    ^(?:chez moi|à la maison),? \S+ .*|^(?:nous avons|on a) (?:\w+ ){0,3}(?:enfants?|chiens?|chats?|poules|jardin|
    filles?|fils|petits-enfants|jumeaux|jumelles|voiture)\b.*
""")

CONTACT = joined(r"""
    ^(?:s'il (?:vous|te) plaît,? |merci de )?(?:ne )?(?:m'appelez|appelez-moi|appelle-moi|m'appelle|appeler|
    me téléphonez|téléphonez-moi|me téléphoner|écrivez-moi|écris-moi|m'écrivez|contactez-moi|contacte-moi|
    me contactez|m'écrire|m'appeler|me contacter|répondez-moi|réponds-moi|me répondre|envoyez-moi|envoie-moi|
    m'envoyez|m'envoyer|tutoyez-moi|vouvoyez-moi|me tutoyer|me proposez|proposez-moi|parlez-moi|parle-moi|
    me réveillez) (?:.*\b)?(?:seulement|après|avant|toujours|jamais|pas|plus|par|entre|plutôt|uniquement|
    en (?:français|anglais|allemand)|que|sans|avec|désormais|dès)\b(?!.*\b(?:aujourd'hui|demain matin|
    cette fois)\b).*|^(?:toujours|jamais|désormais|dorénavant|à l'avenir),? .*\b(?:me|m'|moi|réponses?|courriels?|
    fenêtre|couloir)\b.*|^(?:pas de|plus de|sans) (?:appels?|publicité|newsletters?|emojis|jargon|courriels?|
    démarchage)\b.*
""")

OURS = joined(r"""
    ^(?:(?:depuis|à partir d\w+|en|le|pour|par|au|à|chaque|avec) [^,.;]{2,40}?,? )?(?:tous |
    toutes )?(?:(?:notre|nos) (?!(?:mud|cambi|vamos|enfant|fille|fils|chien|chat|maison|appartement|commande|colis|
    rendez-vous|tente|voiture|jardin|vol|réservation|chambre|table|mariage)\w*)(?:[\w'-]+ ){1,5}?(?:est|sont|a|ont|
    dure|durent|coûte|ouvre|ouvrent|ferme|ferment|doit|doivent|passe|passent|tourne|tournent|utilise|utilisent|
    exige|expire|commence|finit|va|vont|se)\b .+|(?:désormais|dorénavant|à partir de maintenant),? (?:les?|la|
    l') ?(?:[\w'-]+ ){1,5}?(?:est|sont|a|ont|passe\w* à|coûte\w*)\b .+|(?:toujours|jamais) \w+ \S.*|
    (?:chez nous|ici|dans (?:notre|mon) (?:équipe|entreprise|service|boutique|cabinet|école|société)|
    au (?:bureau|labo|cabinet)|de notre côté),? (?!(?:c'est|il y a un problème|il fait|je)\b)\S+ .+|
    nous (?:ne |n')?(?:(?:y|en|le|la|les|nous) )*(?!(?:avons (?!(?:\w+ ){0,3}(?:salarié|bureau|serveur|client|règle|
    politique|magasin|licence|contrat|décidé|abandonné|migré|arrêté|signé|promis))|
    sommes (?!(?:une |un |fermés|certifiés|tenus|soumis|basés|passés|ouverts))|voulons|
    pouvons (?!(?:accepter|livrer|pas (?:accepter|livrer)))|voudrions|souhaitons|cherchons|attendons|espérons|
    pensons|croyons|allons|venons|serons|étions|avions|habitons|vivons|savons|voyons|remercions|dînons|mangeons|
    partons|arrivons|jouons|supposons|imaginons|demandons)\b)\w{3,}ons\b ?\S.*|
    (?:on) (?:ne |n')?(?!(?:a|est|va|dit|m'|peut|veut|dirait|voit|sait|se)\b)\w+ (?:pas |plus |jamais |toujours |
    que |uniquement |tout )\S.*|(?:chaque|tous les|toutes les|aucun|aucune|personne|nul) (?:\S+ ){1,8}?(?:doit|
    doivent|est|sont|passe|passent|exige|ne|n'\w+|requiert|peut|peuvent|coûte|dure|se|travaille|entre)\b .*|
    (?:les?|la|l')(?: ?\S+){1,9}? (?:doit|doivent|ne (?:peut|peuvent|sont|est|se)|
    se (?:fait|font|paie|paient|signe)|(?:est|sont) (?:signée?s?|relue?s?|approuvée?s?|remboursée?s?|livrée?s?|
    archivée?s?|sauvegardée?s?|validée?s?|envoyée?s?|supprimée?s?|interdite?s?|obligatoires?|rangée?s?|gardée?s?|
    fermée?s? le|ouverte?s? le)|passent? par|exige\w*|requi\w+|expire\w*|
    se trouve\w*)\b(?!.*\b(?:mon|ma|je|moi|aujourd'hui)\b).+|il faut (?:toujours )?.+)$
""")
