"""Word lists that judge a clause in any of the languages the rules know. Case is ignored, except in ``(?-i:…)``."""


def joined(pattern: str) -> str:
    """A pattern written over several lines: line ends and indentation do not count, other spaces do."""
    return "".join(line.strip() for line in pattern.splitlines())


# Openings that carry nothing.
FILLER = joined(r"""
    (?:(?:please |and )(?=(?:always|never)\b)|and (?=(?:for|in|on|at|from) )|for the (?:minutes|books|log)[,:]\s*|
    (?:as|since|because|given that|seeing (?:as|that)|now that) (?=(?:i|i'm|i've|my|we|we're|our)\b)|
    (?:and )?for (?:context|reference|background|next time|future reference|the future|later|
    what it's worth)[,:]\s*|(?:quick )?(?:intro|introduction|background|context|correction|reminder|update|
    clarification|disclosure|disclaimer|note|side note|caveat)(?: since [^:,]{2,30}| first)?[,:]\s*|
    (?:it's )?worth (?:remembering|knowing|noting|mentioning)(?: that|:|,)\s*|
    (?:the|my) (?:truth|thing|problem|trouble|catch|short version|mistake)(?: earlier| is)?[,:]\s*|
    not? \w+(?: \w+)?, (?:sorry|but)[.,:]?\s+|(?:i gave my word|one thing to know|things have changed|
    small correction|you should know|good to know|let me introduce myself)(?: about me| first)?[:,]\s*|
    (?:lol|haha),? (?:no|yes|yeah)[,.]?\s+|(?:hi|hello|hey|hiya|dear|good (?:morning|afternoon|evening|day)|morning|
    hallo|moin|servus|guten (?:tag|morgen|abend)|grüezi|hola|buenos días|buenas(?: tardes)?|olá|oi|bom dia|
    boa (?:tarde|noite)|bonjour|bonsoir|salut)(?: there| again| all| team| everyone| zusammen|
    [ ]a todos)?(?: (?-i:[A-ZÀ-Ý])[\w'-]+)?(?:\s*[,!.:–—-]+\s*|\s+(?=(?:i|my|our|ich|mein|yo|mi|eu|je)\b))|
    (?:ok(?:ay)?|no,? wait|wait(?:,? no)?|oops|correction|yes|yep|yeah|no|nope|sure|thanks|thank you|thx|ta|great|
    perfect|right|fine|cool|alright|sorry|well|oh|ah|hm+|er+m?|look|listen|anyway|also|plus|so|and|but|btw|
    by the way|actually|ps|p\.s\.|quick one|for (?:next time|the future|later)|
    (?:big|small|quick|another|one more|last|new|important|one last) (?:change|thing|note|question|update|point|
    rule)s?|just so you know|just to let you know|(?:quick )?heads[- ]up|fun fact|for context|fyi|true|ja|nein|
    danke|gut|also|übrigens|ach|achtung|sí|gracias|vale|pues|bueno|por cierto|además|sim|não|obrigad[ao]|aliás|pois|
    então|ah|oui|non|merci|au fait|alors|d'accord)(?:\s*[,!:–—-]+\s*|\.{2,}\s*|
    \s+(?=(?:i|i'm|i've|my|our|we|you|remember|please|from|the|actually|just|ich|mein\w*|unser\w*|yo|eu|je|j')\b)))
""")

# An explicit wish that it be kept. What follows is judged on its own.
REMEMBER = joined(r"""
    (?:(?:for|about|regarding|when it comes to) [^,.:]{2,30}[,:] )?(?:(?:please|pls|kindly|bitte|por favor|
    s'il (?:vous|te) pla[iî]t|could you|can you|you should|and|do)[,]?\s+)*(?:(?:remember(?: this| please)*|
    note(?: this)?(?: down)?|keep in mind|bear in mind|make a note(?: of this)?|take note|don't forget|
    do not forget|mind)(?:\s*(?:that|:|,|—|–|-)\s*|\s+(?=(?:i|i'm|i've|my|our|we)\b))|for the record[,:]?\s+|
    for (?:your|the) (?:notes|file|files)[,:]\s+|note (?:to|for) (?:self|the file|future)[,:]\s+|
    (?:please )?be aware (?:that|:)\s*|(?:merke?n?|notiere?n?|beachten?|
    denke?n? daran)(?: (?:dir|sie|sich|euch|bitte))*\s*(?:,\s*dass|dass|:|,)\s*|
    zur (?:info|kenntnis|erinnerung)[,:]\s*|(?:recuerd[ae]n?|acu[ée]rda(?:te|se)|ten(?:ga)?(?:n)? en cuenta|
    ten(?:lo)? presente|toma(?:d)? nota|tome nota|anot[ae]|apunt[ae])(?: de)?(?: que\s+|:\s*|,\s*)|
    (?:lembre?-?(?:se|te)|lembra-te|não se esqueça|não te esqueças|tenha em conta|tem em conta|anot[ae]|tome nota|
    note|fique(?:m)? registad[oa]|para que conste)(?: de| bem)?(?: que\s+|:\s*|,\s*)|
    (?:rappelez-vous|rappelle-toi|souvenez-vous|souviens-toi|retenez|retiens|notez|n'oubliez pas|n'oublie pas|
    sachez)(?: bien)?(?: que\s+| qu'|:\s*|,\s*)|pour info[,:]\s*)
""")

# The same wish as a sentence or a clause of its own, about what was said before it.
REMEMBER_THAT = joined(r"""
    (?:(?:and |so )?(?:please |pls )?(?:remember|note|keep|save|store|write down|don't forget|
    do not forget)(?: that| this| it)?(?: down| in mind)?(?: please| for (?:next time|the future))?|
    (?:bitte )?merk(?:en sie|e)? (?:dir |sich )?das(?: bitte)?|recuérdalo|no lo olvides|anótalo|lembre-se disso|
    não se esqueça(?: disso)?|anote isso|notez-le|ne l'oubliez pas)
""")

# Courtesies that trail a statement and are no part of it.
TRAILING = joined(r"""
    (?:,? (?:by the way|btw|please|pls|thanks|thank you|thx|though|you know|fyi|just fyi|bitte|danke|por favor|
    gracias|obrigad[ao]|merci|s'il (?:vous|te) plaît))+$
""")

# Said after something, these take it back.
KIDDING = joined(r"""
    \W*(?:just kidding|only joking|just joking|i'm kidding|i'm joking|kidding|jk|j/k|just teasing|
    war nur (?:ein )?(?:spaß|scherz)|nur spaß|spaß beiseite|es broma|de broma|é brincadeira|brincadeira|je rigole|
    je plaisante|c'est une blague)\b
""")

JOKE = joined(r"""
    , ha[.!]?$|\b(?:ha,? ha|joking|haha\w*|hahah\w*|hehe\w*|lo+l|lmao|rofl|jk|j/k|just kidding|only joking|
    just joking|i'm kidding|i'm joking|kidding|just teasing|/s|jaja\w*|kkk+|rsrs\w*|mdr|
    war nur (?:ein )?(?:spaß|scherz)|nur spaß|scherz|spaß beiseite|es broma|de broma|é brincadeira|brincadeira|
    tô brincando|estou a brincar|je rigole|je plaisante|c'est une blague)\b|[😂🤣😜😝🤪😹😆😏]|
    \bi(?:'m| am) (?:basically |literally |secretly |actually )?(?:the |a |an )?(?:pope|king|queen|batman|superman|
    president|emperor|santa\b.{0,6}|unicorn|alien|wizard|god|yeti|robot|ghost|vampire|time travell?er)\b|
    \b(?:from mars|on the moon|in narnia|in the year \d{4}|a million (?:euros|dollars|years))\b|
    \ballergic to (?:mondays?|bad code|meetings?|work(?:ing)?|mornings?|javascript|java|php|yaml|people|hills|
    cardio|spreadsheets?|paperwork|adulting)\b|\bich bin der (?:papst|kaiser)\b|\bsoy el papa\b|\bsou o papa\b|
    \bje suis le pape\b
""")

UNCERTAIN = joined(r"""
    \b(?:maybe|perhaps|it's (?:possible|conceivable|likely) that|if i'm not mistaken|unless i'm mistaken|i suspect|
    i've no clue|(?:it )?could be (?:that|wrong)|i have a (?:feeling|hunch)|leaning towards|toying with|hard to say|
    we'll see|can't swear|don't hold me|mix (?:it|them) up|i (?:always |just )?forget$|\d+ or \d+|
    at \w+ or (?:half past|\w+)(?=,|$)|is (?:an? )?[\w.]+ or (?:an? )?[\w.]+$|half remember|whether|haven't decided|
    can't remember|not decided|undecided|possibly|probably|i think(?! (?:better|best|in|with|visually)\b)|i guess|
    i suppose|i believe|i assume|not (?:really |quite |entirely |100% )?sure|unsure|no idea|i don't know|dunno|
    might|may be|if i recall|if i remember|i (?:may|could|should|would) (?:move|have|be|switch|change|go|need|start|
    want|try)|if i (?:were|was|had|could|move|go|lived?)|if we (?:were|had|moved?|could)|hypothetically|suppose|
    let's say|imagine|what if|(?:thinking|dreaming) (?:of|about)|considering|planning (?:to|on)|hoping to|
    we(?:'re| are) (?:thinking|considering|planning|hoping)|someday|one day|or something|or so|apparently|
    supposedly|rumou?r|i heard|sounds like|seems?(?: like| to)?|kind of|sort of|i wish|vielleicht|eventuell|
    wahrscheinlich|vermutlich|möglicherweise|ich glaube|glaub ich|glaube ich|ich denke|nicht sicher|keine ahnung|
    wenn ich .{0,30}(?:wäre|hätte|könnte)|könnte sein|angeblich|quizás?|tal vez|a lo mejor|creo que|creo yo|
    me parece|no estoy segur[oa]|probablemente|si yo fuera|si fuera|supongo|igual me|talvez|acho (?:que|eu)|
    se calhar|penso que|não (?:tenho|estou) (?:a )?cert[ae]z?a?|não sei|provavelmente|
    se eu (?:fosse|morasse|tivesse)|suponho|peut-être|je crois|je pense|il me semble|pas (?:vraiment )?sûre?|
    je ne sais pas (?:si|encore)|je me demande|il se peut|j'hésite|ich weiß (?:noch )?nicht|
    (?:bin|bin mir) (?:noch )?nicht sicher|mag sein|womöglich|ich vermute|ich schätze|ich überlege|no sé si|
    puede que|me pregunto|estoy pensando en|não sei se|pode ser que|estou a pensar em|duvido que|dudo que|
    probablement|si j'(?:étais|avais|habitais)|sans doute)\b
""")

# People other than the speaker. "Our patients" are the work's business, "my patient" is a person.
_KIN = joined(r"""
    (?:ex-?)?(?:colleague|coworker|co-worker|teammate|wife|husband|partner|boyfriend|girlfriend|fiancée?|sister|
    brother|mother|mum|mom|father|dad|parents?|son|sons|daughter|daughters|kids?|child|children|baby|toddler|twins|
    grand\w+|aunt|uncle|cousin|niece|nephew|friends?|mate|buddy|neighbou?rs?|flatmate|roommate|stepson|
    stepdaughter|in-laws|mother-in-law|father-in-law)
""")

THIRD_PARTY = joined(rf"""
    ^(?:(?:ein|eine) (?:freund|kolleg|nachbar|bekannt)\w*|(?:der|die|unsere?r?) (?:chef|nachbar|kund|kolleg|
    vermieter|lehrer|gäst|patient)\w*|un[ae]? (?:amig|vecin|colega|client)\w*|
    (?:el|la|los|las) (?:jef|vecin|client|colega|profesor|paciente|huésped)\w*|
    uma? (?:amig|vizinh|colega|client)\w*|(?:o|a|os|as) (?:chefe|vizinh|client|colega|professor|paciente|
    hóspede)\w*|une? (?:ami|voisin|collègue|client)\w*|(?:le|la|les) (?:chef|patron|voisin|client|collègue|
    professeur|patient)\w*|(?:ses|son|sa|leurs?|sus?|seine?r?|ihre?r?|seus?|suas?|ils|elles|ellos|ellas|eles|
    elas)) |^(?:my|our|his|her|their)(?: \w+)? {_KIN}(?:'s)?(?: and i)?\b|
    ^my(?: \w+)? (?:boss|manager|landlord|client|patient|intern|
    predecessor)\b(?! is (?:now )?(?:called )?(?-i:[A-Z])[\w'-]*)|^the (?:kids|children|baby|twins)\b|
    ^(?:he|she|they)(?:'s|'re)?\b|^(?:his|her|their)\b|^(?:one of )?(?:my|our) (?:\w+ )?{_KIN}\b|
    ^a (?:\w+ )?(?:friend|colleague|neighbou?r|client|patient) of (?:mine|ours)\b|
    ^(?:mr|mrs|ms|miss|herr|frau|sr|sra|don|doña|dona|mme)\.? (?-i:[A-ZÀ-Ý])\w+(?: (?-i:[A-ZÀ-Ý])\w+)? |
    ^(?-i:(?!I\b|We\b|You\b|It\b|This\b|That\b|There\b|Ich\b|Yo\b|Eu\b|Je\b)[A-ZÀ-Ý][\w'-]+)(?:,? (?:my|our|the|
    from) [\w' -]{{2,30}},?|[ ](?-i:[A-ZÀ-Ý])[\w'-]+)? (?:(?:also|now|just|only|always|never|still|
    recently) )*(?:lives|works (?:at|for|as|from|in)|moved to|prefers|hates|likes|loves|eats|drinks|speaks|
    is (?:allergic|pregnant|vegan|vegetarian|diabetic|married|single|divorced|sick|ill|
    on (?:parental |sick |maternity |paternity )?leave|in hospital|leaving|gay|lesbian|retired|from|living|\d)|
    has (?:a (?:\w+ )?allergy|asthma|diabetes|two|three|adhd|cancer)|wohnt|arbeitet bei|
    ist (?:allergisch|schwanger|krank)|hat eine (?:\w+)?allergie|vive en|trabaja|es alérgic[oa]|mora em|trabalha|
    é alérgic[oa]|habite|travaille|est allergique)\b|^mein\w* (?:\w+ )?(?:kolleg\w+|schwester|bruder|mann|frau|
    mutter|mama|vater|papa|sohn|tochter|kind(?:er)?|freund\w*|chef\w*|nachbar\w*|oma|opa|partner\w*)\b|
    ^(?:er|sie) (?:ist|hat|wohnt|arbeitet|mag|isst|nimmt)\b|^(?:mi|mis|nuestr[oa]) (?:herman[oa]|marido|mujer|
    espos[oa]|madre|padre|mamá|papá|hij[oa]s?|colega|compañer[oa]|jef[ea]|vecin[oa]|amig[oa]|abuel[oa]|novi[oa]|
    suegr[oa])\b|^(?:él|ella) |^(?:(?:o |a )?(?:meus?|minhas?|nosso|nossa)) (?:irmã|irmão|marido|mulher|esposa|
    esposo|mãe|pai|filh[oa]s?|colega|chefe|vizinh[oa]|amig[oa]|avó|avô|namorad[oa]|sogr[oa])\b|^(?:ele|ela) |
    ^(?:mon|ma|mes|notre) (?:sœur|soeur|frère|mari|femme|mère|père|fils|fille|enfants?|collègue|chef|patron\w*|
    voisine?|amie?|copine?|conjointe?)\b|^(?:il|elle) (?!faut|y a|est (?:possible|important))
""")

# From here on the account's owner is not the one who writes.
STAND_IN = joined(r"""
    \b(?:using|writing from|writing on|typing on|on|from|borrowed|with) (?:my|the|her|his)(?: \w+)? ?(?:wife|
    husband|partner|mother|mum|mom|father|dad|son|daughter|sister|brother|colleague|boss|friend|flatmate|
    roommate)'s (?:account|login|phone|laptop|profile|chat)\b|\bthis is (?:not|n't) (?-i:[A-Z])\w+|\b(?:using|from|
    on) (?-i:[A-Z])\w+'s (?:account|login|profile)\b|\bi(?:'m| am) (?:his|her|their) (?:wife|husband|mother|father|
    son|daughter|colleague|assistant|carer)\b|\b(?:vom|über das) (?:konto|handy) (?:meiner|meines)\b|
    \bdesde la cuenta de mi\b|\b(?:da|na) conta d[ao] (?:meu|minha)\b|\bsur le compte de (?:mon|ma)\b
""")

GREETING = joined(r"""
    ^(?:hi+|hello|hey+|hiya|good (?:morning|afternoon|evening|day|night)|thanks?\b|thank you|thx|ta\b|cheers|
    many thanks|much appreciated|appreciate it|bye|goodbye|see (?:you|ya)|have a (?:nice|good|great|lovely)|
    take care|you're welcome|no worries|no problem|got it|understood|makes sense|will do|that's (?:all|it|great|
    perfect|fine|right)|sounds good|all good|best(?: regards| wishes)?|kind regards|regards|never mind|
    always a pleasure|you rock|happy (?:new year|holidays)|merry|hallo|moin|servus|guten (?:tag|morgen|abend)|grüß|
    danke|vielen dank|tschüss?|ciao|bis (?:bald|dann)|schönen? (?:tag|abend|dank)|mit freundlichen|liebe grüße|
    viele grüße|lg\b|super|alles klar|passt|hola|buenas?|buenos días|gracias|muchas gracias|adiós|hasta (?:luego|
    pronto)|saludos|vale|perfecto|genial|olá|oi\b|bom dia|boa (?:tarde|noite)|obrigad[ao]|muito obrigad[ao]|adeus|
    tchau|até (?:logo|já|breve)|beleza|perfeito|ótimo|abraço|bonjour|bonsoir|salut|merci|au revoir|à bientôt|
    bonne (?:journée|soirée)|cordialement|d'accord|parfait|مرحبا|السلام عليكم|شكرا)(?:[\s,!.:—–-]|$)(?!\s*(?:i|my|
    our|we|ich|yo|eu|je)\b)|^(?:yo|nice|great|perfect|awesome|brilliant|lovely|cool|ok(?:ay)?|yes|yep|yeah|no|nope|
    sure|fine|done|welcome|morning)(?:\s*[,!.:—–-]|$)|^(?:こんにちは|ありがと|おはよう|よろしく|お願い)
""")

COMMAND = joined(r"""
    ^(?:(?:please|pls|plz|kindly|just|then|now|first|next|bitte|por favor|s'il (?:vous|te) plaît),? )*(?:send|
    cancel|refund|check|show|give|tell|find|book|change|update|help|fix|write|rewrite|run|rerun|open|close|add|
    remove|delete|create|make|let|look|explain|resend|move|reschedule|order|track|confirm|put|get|ship|list|print|
    read|compare|summari[sz]e|translate|generate|draft|deploy|restart|revert|merge|rename|refactor|review|suggest|
    recommend|schedule|set|start|stop|try|use|go|bring|forward|hold|wait|skip|pick|try|keep|save|call|email|text|
    phone|ring|message|answer|reply|respond|remind|correct|note|take|leave|ask|repeat|remember to|don't forget to|
    scratch|ignore|forget|schick\w*|sende\w*|storn\w*|änder\w*|buch\w*|zeig\w*|prüf\w*|gib|geben sie|sag\w*|
    erklär\w*|verschieb\w*|trag\w*|ruf\w*|mach\w*|hilf|helfen sie|env[íi]\w+|cancel[ea]\w*|cambi[ea]\w*|busca\w*|
    dime|d[íi]game|reserv[ea]\w*|ay[úu]d\w*|mand[ea]\w*|marqu[ea]\w*|mud[ea]\b|troc[ae]\w*|verifi\w*|diga\w*|
    ajud\w*|confirm\w+|ligue\w*|envoy\w+|annul\w+|chang[ez]\w*|montr\w+|dites\w*|réserv\w+|aidez\w*|rappelez\w*|
    veuillez)\b|^(?:i|we)(?:'d| would)? (?:also |just |really |only )*(?:want|need|like|have|
    love)(?: you)? to (?!be (?:called|contacted|addressed|reached|home|back home|at work|up|in bed)\b|
    (?:leave|take|eat|avoid|wear|keep|use|pick up|collect|rest|lie) )|
    ^i(?:'m| am) (?:just |only |also )?(?:looking|calling|writing|asking|
    trying(?! to (?:lose|quit|cut|eat|give up|learn|save|get pregnant|conceive|stop|avoid|reduce|sleep|drink))|
    hoping|here|interested|wondering|waiting|searching)\b|^(?!.*\b(?:every|each|wheelchair|step-free|ramp|subtitles|
    interpreter|large print|screen reader)\b)(?:i|we) (?:want|need|would like|'d like) (?:a|an|the|some|this|that|
    it|another|my money|your|help|one|two|three|\d)\b|^i'd (?:like|love) (?:a|an|the|some|this|that|another|one|two|
    \d)\b|^(?:can|could|would|will) (?:you|i|we)\b|^(?:ich (?:möchte|würde gern\w*|muss|brauche|will|hätte gern\w*)|
    wir (?:brauchen|möchten)|können sie|kannst du)\b(?!.*\b(?:lieber|nur noch|immer|keine?n?)\b)|
    ^(?:quiero|quisiera|necesito|querría|me gustaría|puede[ns]?|podría[ns]?) |
    ^(?:quero|queria|gostaria|preciso|pode(?:m|s|ria)?|dá para) |^(?:je (?:voudrais|veux|souhaite)|j'ai besoin|
    j'aimerais|pouvez-vous|pourriez-vous|peux-tu)[ ]
""")

QUESTION = joined(r"""
    [?？؟][\"'”»)\]\s]*$|^(?:what|which|who|whose|when (?=(?:do|does|did|is|are|will|can|could|would|should|was|were|
    have|has)\b)|where|why|how|is (?:it|there|that|this|the|my)|are (?:there|you|these|we)|do (?:you|we|i)|does|
    did (?:you|i|we)|should (?:i|we)|may i|any (?:idea|chance|news|update)|was ist|wie (?:viel|lange|kann)|gibt es|
    hay |tem |est-ce)\b
""")

CHANGES = joined(r"""
    \b(?:actually|from now on|going forward|as of|starting|effective|no longer|not .{1,40} any ?more|any ?more|
    moved|instead|switched|ha(?:s|ve) changed|changed (?:to|from|jobs|my)|(?:my|our) new|now|since (?:yesterday|
    last)|not \S+ but|used to|stopped|quit|left my|relocated|renamed|migrated|we (?:dropped|replaced)|i meant|
    no,? wait|wait,? no|correction|ab (?:jetzt|sofort|heute|nächste\w*|montag|januar|\d)|künftig|in zukunft|
    nicht mehr|kein\w* .{0,30}mehr|umgezogen|stattdessen|gewechselt|neue?n?r?|jetzt|inzwischen|seit kurzem|geändert|
    a partir de|de ahora en adelante|ya no|me mudé|en vez de|en lugar de|ahora|nuev[oa]|cambi[óéa]\w*|desde ayer|
    agora|já não|não .{1,30} mais|mud(?:ei|ou|ámos|amos)\w*|em vez de|nov[oa]|passou a|passam a|désormais|
    à partir de|ne .{1,20} plus|n'.{1,20} plus|déménagé|au lieu de|plutôt que|nouve(?:au|lle)|maintenant|
    dorénavant)\b
""")

CONDITIONS = joined(r"""
    al+[eé]rg\w+|anaphyla\w+|intoleran\w+|unverträglich\w*|coeliac|celiac\w*|zöliakie|celíac[oa]|asthma\w*|asma|
    diabet\w+|insulin\w*|epilep\w+|pregnan\w+|schwanger\w*|embarazad\w+|grávida|enceinte|hiv|cancer|krebs|cáncer|
    câncer|depress\w+|anxiety|adhd|autis\w+|dyslexi\w+|migraine\w*|arthriti\w+|hypertension|blood pressure|
    blood thinners?|bluthochdruck|pacemaker|herzschrittmacher|wheelchair|rollstuhl|deaf|hard of hearing|
    hearing aids?|schwerhörig|colou?r-?blind|blind|medication|warfarin|metformin|penicillin\w*|penizillin|
    penicilina|ibuprofen\w*|aspirin\w*|latex|kidney|surgery|chemo\w*|dialysis|phobia|therap\w+|asthmatic|reuma\w*|
    hepatitis
""")

SPECIAL = joined(rf"""
    \b(?:{CONDITIONS}|muslim\w*|jewish|kosher|koscher|halal|catholic|christian|hindu|buddhist|sikh|atheist|church|
    mosque|synagogue|ramadan|shabbat|sabbath|religio\w+|union (?:member|steward|rep)|shop steward|trade union|
    gewerkschaft\w*|betriebsrat|sindicato|syndicat|gay|lesbian|bisexual|transgender|trans|queer|non-binary|same-sex|
    kids?|child|children|sons?|daughters?|baby|babies|toddler|twins|kinder|kind|sohn|tochter|hij[oa]s?|filh[oa]s?|
    enfants?|fils|fille)\b
""")

ONE_OFF_TIME = joined(r"""
    (?<!from )(?<!of )(?<!starting )(?<!since )\b(?:today|tonight|tomorrow|yesterday|right now|this (?:time|once|
    morning|afternoon|evening|week)|at the moment|just once|for now|a minute ago|an hour ago|heute|morgen früh|
    gerade|hoje|amanhã|ontem|hoy|ayer|aujourd'hui|hier)\b
""")

# Speaks of something said before, so that it says nothing alone.
POINTING = r"\b(?:that (?:month|week|day|time|evening|one|thing)|the same (?:one|thing|time)|such (?:a )?things?)\b"

ONE_OFF_NUMBER = joined(r"""
    \b(?:order|ticket|tracking|invoice|case|booking|reference|rma|bestellung|rechnung|pedido|encomenda|commande|
    fatura|factura)\w*\s*(?:number|no\.?|nr\.?|id|ref|is)?\s*[:#]?\s*[A-Z]{0,4}-?\d{3,}
""")
