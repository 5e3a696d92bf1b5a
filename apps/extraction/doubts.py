"""Signs that a sentence is not meant, not certain, not the speaker's or not for long. They spoil the whole sentence.

Case is ignored, except in ``(?-i:…)``. A sign looks at a word or two and never far ahead, so that a long sentence costs
no more than its length.
"""

from apps.extraction.languages import joined

SARCASM = joined(r"""
    [🙄👏🤡🙃]|(?:^|\s)/s\b|\b(?:^being \w+ed is|sure thing,|(?:fan|admirer|lover) of (?:your|the) (?:hold|pop|queue|
    update|form|captcha|error|bug|ad)\w*|yeah,? right|congratulations,|congrats,|just what everybody needs|
    made of money|as if i|oh (?:sure|joy|great|goody|wonderful|fantastic|brilliant)|lucky me|
    said no(?: ?one| man)ever|just what i needed|my lucky day|thanks for nothing|wow,? thanks|big surprise|
    how (?:delightful|charming|wonderful|original)|what an? (?:treat|joy|delight|privilege)|
    because (?:obviously|clearly|apparently)|clearly an? \w+|obviously an? \w+|right,? and i'm|sure,? and i'm|
    of course i (?:just )?(?:love|adore|enjoy|live)|i (?:love|adore|enjoy) (?:paying|waiting|being|having to|
    re-?(?:typ|enter|start|writ|do|peat|sett)\w*|filling|queue?ing|explaining|holding)|oh,? how i|
    (?:great|super|wow|oh),? (?:my favou?rite|i always wanted)|i'm honou?red|
    i (?:just|absolutely|simply|so|totally) (?:love|adore|enjoy|live for) (?:how|when|it when|being|having|waiting|
    re-?\w+ing|getting|spending|explaining|filling|paying|repeating|your|that|the way)|
    (?:love|adore|enjoy|favou?rite \w+ (?:is|than)|nothing (?:i (?:love|like|enjoy) )?more than|fan of|pleasure of|
    living the) [^.!?]{0,30}\b(?:waiting|hold music|on hold|queues?|queueing|forms? (?:again|twice|three)|
    the same form|error|crash\w*|outages?|again and again|over and over|spam|
    (?:three|four|five|six|ten|forty) (?:times|minutes|hours)|cold shower|paperwork|captchas?|pop-?ups?|dream)|
    best service ever|five stars|truly a highlight|na klar|na toll|ach (?:toll|super|wie schön)|super gemacht|
    ganz toll|ich liebe es,|qué (?:ilusión|alegría|bien)|claro que sí, me encanta|cómo no|
    que (?:maravilha|alegria|bom)|(?:encanta|adoro|j'adore) (?:esperar|repetir|remplir|attendre|répéter|preencher|
    rellenar|volver|que me|quand)|ah oui|bravo|quel bonheur|super,? merci)(?!\w)
""")

HYPOTHETICAL = joined(r"""
    ^\W{0,3}(?:suppos(?:e|ing)|assum(?:e|ing)|imagin(?:e|ing)|pretend|hypothetical\w*|
    let(?:'s| us) (?:say|pretend|assume|imagine|suppose)|say (?:i|we|that|my|our|you)|were (?:i|we|my|our)|
    had (?:i|we)|should (?:i|we|my|our)|even if|only if|if only|what if|but what if|and if|
    (?:in )?(?:a|another|an ideal|a perfect|an alternate|a parallel) (?:world|life|universe)|in theory|
    theoretically|in case (?:i|we)|whether|(?:i |we )?(?:really |so |do )?wish|would(?:n't)? (?:i|it|we)|
    given (?:that )?a (?:customer|user)|(?:for|take) (?:the sake|instance)|angenommen|nehmen wir an|gesetzt|
    was wäre|stell(?:en)? (?:dir|sie sich)|hätte ich|wäre ich|wenn (?:ich|wir)\b.*\b(?:würde|hätte|wäre|könnte)\w*|
    falls|supongamos|imagin(?:a|e|emos)|digamos|pongamos|si (?:yo |no |me |nos )*\w+(?:iera|ara|iese|ase|iéramos|
    áramos|era)\b|ojalá|suponha(?:mos)?|imagin(?:a|e|emos)|digamos|e se|
    se (?:eu |nós |não |me )*\w+(?:asse|esse|isse|ássemos|êssemos)\b|tomara|oxalá|imaginons|supposons|admettons|
    mettons|disons|si (?:je |j'|nous |on |mon |ma |notre )\w*\s?\w+(?:ais|ait|ions)\b)\b|
    \bif (?:i|we|my|our|you|he|she|they|the \w+|it|somebody|someone|anyone)(?: \w+)? (?:were|was|had|lived|moved|
    owned|could|would|did|ever|worked|bought|became|went|wanted|dropped|switched|used|changed)\b|
    \b(?:i|we|i'd|we'd)(?: would)? (?:would )?(?:\w+ )?(?:have|be|become|\w+) [^.!?]{1,60} if (?:i|we|my|our|only|
    it|the|there)\b.*\b(?:were|had|was|could|would|\w+ed)\b|\b(?:would|could|might|should) have (?:\w+ed|been|
    become|gone|had|done|taken)\b|^if\b.*\bi(?:'m| am) in\b|\bwenn ich\b.{0,60}\b(?:würde|hätte|wäre|könnte)
""")

REPORTED = joined(r"""
    \b(?:according to|allegedly|reportedly|supposedly|apparently|rumou?r has it|legend has it|as the saying goes|
    they say|people say|it is said|(?:he|she|they|we|i)(?:'ve| have)? (?:was|were|been|got) told|
    i(?:'ve)? (?:heard|read)(?: somewhere| once)?(?:,| (?:that|somewhere|about))|
    (?:told|informed|assured|reminded|convinced|persuaded) (?:me|us) (?:that|i|i'm|we|my|our|it)|
    (?<!\bi )(?:says?|said|claims?|claimed|insists?|insisted|swears|thinks|believes|reckons|assumes|suggests|states|
    stated|shows|they think|people think|writes|wrote|seems? to think|suspects|worries|fears|mentioned|warned|warns|
    advised|advises|tells|implies|concluded|predicts?) (?:that )?(?:i|i'm|i've|my|we|we're|our|me|you|he|she|they|
    his|her|their|the|it|a)|(?:like|as) you (?:recommend|advis|suggest|not|remember|wr)\w+|as per your|
    you (?:said|told|seem|think|claim|wrote|noted|mentioned|assume|suggested|remembered)|
    your (?:colleague|mail|e-?mail|letter|records?|file|system|site|page|app|notes?) (?:says?|said|shows?|claims?|
    thinks?|has|have|lists?|states?|insists?)|(?:terms|contract|policy|policies|t&cs|conditions) (?:say|says|state|
    states|require|requires|promise|promises)|the (?:quiz|test|article|app|blurb|forum|horoscope|algorithm|form|
    survey|report|site|advert|brochure|manual|label|sign|author|chatbot|bot|letter) (?:on the[ ](?:\w+ )+)?(?:says?|
    said|thinks?|claims?|insists?|tells?|calls?)|so (?:he|she|they|her|his|their)(?: \w+)? says?|
    or so (?:he|she|they|i'm|the|her|his)|laut|angeblich|behauptet|(?:hat|haben) (?:er|sie|man) gesagt|
    sagt (?:er|sie|man|meine?|der|die|das)|soll (?:ich|er|sie)|según|dicen que|dice que|
    me (?:han dicho|dijeron|dijo)|al parecer|supuestamente|segundo (?:o|a|eles)|dizem que|diz que|disseram-me|
    me disseram|ao que parece|supostamente|selon|d'après|paraît-il|il paraît|on m'a dit|on dit que|
    (?:dit|disent|prétend) que|soi-disant)\b|, (?!whatever|what |no matter|as |which |
    that )(?:(?:\w+ ){1,3})?(?:says?|said|claims?|claimed|reckons?|insists?|swears?|writes?|wrote|
    told me)(?: (?:he|she|they|\w+))?\s*[.!?]?$
""")

PAST_OVER = joined(r"""
    \bwhen (?:i|we) (?:was|were) (?:small|young|little|an? |at school|six|seven|eight|nine|ten|twelve|\d+|\w+teen|
    twenty|kids|children|students)\b|^(?!.*\b(?:because|since then|ever since|hence|that's why|
    so now)\b)\W{0,3}(?:(?:many |some |\w+ )?(?:years|decades|ages) ago|long ago|once upon|back (?:then|when|in)|
    as an? (?:child|kid|teenager|student|boy|girl|young \w+|toddler|teen|trainee)|
    when i (?:was|lived|worked|had|still|studied|used|first|played|were)|when we (?:were|lived|had|still)|
    in my (?:twenties|teens|thirties|forties|youth|childhood|school days|student days|\w+ days)|
    in (?:the )?(?:19\d\d|200\d|201\d)s?|in the[ ](?:\w+ties|old days|nineties|eighties|seventies)|in those days|
    at the time|formerly|previously|before the (?:war|pandemic)|until[ ]last (?:year|month|week)|früher|damals|
    als kind|als ich|vor jahren|ehemals|de (?:niñ[oa]|pequeñ[oa]|joven|chic[oa])|
    cuando (?:era|vivía|tenía|trabajaba)|hace (?:años|mucho)|antes (?:yo )?\w+ía|
    quando (?:eu )?(?:era|vivia|tinha|trabalhava|morava)|em (?:criança|miúd[oa]|pequen[oa])|há (?:anos|muito)|
    antigamente|autrefois|quand j'(?:étais|avais|habitais|allais)|enfant,|il y a (?:des années|longtemps)|jadis|
    dans ma jeunesse)\b|\bi (?:once|used to (?!be (?:called|known)))\b|
    \b(?:was|were|had) [^.!?]{1,40} (?:for (?:a|one|two) (?:year|month|while|week)s?|
    in my[ ](?:twenties|teens|youth)|as an? (?:child|kid|teenager)|back then|at the time|years ago)\b|
    \b(?:last night|the other day|in the nineties|in the eighties)\b|\b(?:früher mal|war früher|hatte früher)\b
""")

DENIED = joined(r"""
    \bjust because\b|^\W{0,3}(?:it's not (?:that|like|as if)|it isn't that|not that i|
    (?:please )?(?:don't|do not) (?:put|write|note|record|file|list|store|save|remember|keep) (?:it |
    me )?(?:down )?that|don't (?:assume|think|believe|conclude|infer|take it)|do not (?:assume|think|infer)|
    never (?:said|claimed|told)|i (?:never|didn't|did not|don't|wouldn't|would not|won't|haven't|can't|neither|
    don't recall|don't[ ]remember)(?: \w+)? (?:say|said|saying|claim\w*|confirm|mean|meant|go so far|deny|imply|
    tell|told|write|state|mention\w*|suggest\w*|ask\w*)|nobody (?:said|says|told|claimed|claims)|
    no one (?:said|says|told|claimed)|who (?:said|says|told|claims)|just because|where did (?:i|you)|
    that doesn't mean|which doesn't mean|by no means did|ich habe (?:nie|nicht) (?:gesagt|behauptet)|
    no (?:dije|he dicho) que|(?:eu )?não disse que|je n'ai (?:pas|jamais) dit|ce n'est pas que|no es que|não é que|
    es ist nicht so,? dass)\b
""")

# "I rely on them": of whom is said in another sentence, and a statement stands alone.
UNRESOLVED = joined(r"""
    ^\W*(?:\w+,? ){0,2}(?:i|we|i'm|we're|i've|we've)(?: (?!and\b|but\b|who\b|because\b)[\w'-]+){0,4}[ ]
    (?:them\b|(?:those|these|this|that|that one|it|there|him|her)(?: too| as well| a lot| so much| now| here)?\W*$)
""")

# Where a run stands: over in a minute.
STATE_OF_RUN = joined(r"""
    \b(?:steps? \d+|pages? \d+|rows? \d+|lines? \d+|(?:first|second|third|next|last) page|queue has|
    in the middle of|at (?:about )?\d+ ?(?:%|percent\b|per cent\b)|
    \d+ ?(?:%|percent|per cent|prozent) (?:done|complete|through|finished|sind durch)|al \d+ ?%|
    (?:job|task|run|process|thread|batch|session|trace|build|ticket|incident|case|upload|export|import|
    pipeline) (?:id )?(?:is )?#?(?=\w*\d)\w+|(?:first|second|third|fourth|fifth|\d\w\w|another|one more|
    next) (?:retry|attempt|try|run|pass)|retry \d|attempts? \d|attempts?:|retrying|trying (?:it )?(?:once|again)|
    queue depth|half done|in review|awaiting|pending|(?:still|currently|now) (?:running|waiting|on step|building|
    loading|in progress|queued|processing|deploying|uploading)|in progress|waiting (?:for|on)|stands at|
    commits? (?:ahead|behind)|on branch|returned [1-5]\d\d|exit code|timed out again|\d+ of \d+|
    \d+/\d+ (?:files|steps|done|rows|tests)|tool call|(?:using|picked|called|selected|running) the \w+ tool|
    logged in (?:again )?as|next (?:step|up|i'll)|then (?:i'll|we zip|we'll)|so far|done so far|eta\b|remaining:|
    läuft gerade|(?:erster|zweiter|dritter|vierter) versuch|etapa \d|paso \d|intento|tentativa \d|
    (?:segundo|tercer|primer) intento|(?:segunda|terceira) tentativa|en attente|em curso|en cours|à espera|
    (?:deuxième|troisième) tentative|(?:is|are) (?:still |now )?(?:at|on) (?:table|row|line|page|file|item|node|
    batch|step|chunk|number|customer|record|slide|chapter) \d+|(?:node|batch|file|shard|worker|agent|table|chunk|
    replica|partition|test|item|part) \d+ (?:is|are|has|was|done|failed)|étape \d|schritt \d)(?!\w)
""")

ONE_OFF = joined(r"""
    \b(?:(?<!of )(?<!from )(?<!since )(?<!starting )this (?:time|once|one|letter|mail|order|parcel|ticket|text|
    paragraph|week(?:end)?|afternoon|morning|evening|page|session|file|chat)|these (?:two|three|ones)|
    just (?:today|this once|for today|for now|now)|only (?:this|today|once|for today)|
    for (?:today|tonight|now|the moment|this)|for a change|right now|at the moment|at present|
    a (?:minute|moment|second) ago|(?:an|half an|one|two|three) hours? ago|for half an hour|
    in (?:a|five|ten|two) (?:minutes?|moments?|seconds?|sec|bit|while)|back in (?:five|ten|a)|be right back|
    on my way|off to|about to|diesmal|dieses mal|nur heute|esta vez|por esta vez|desta vez|só (?:hoje|desta)|
    solo (?:hoy|esta)|cette fois|juste (?:aujourd'hui|cette)|ce soir|en ce moment|gerade (?!deshalb)|gleich wieder|
    jetzt gerade|ahora mismo|agora mesmo(?! \w)|neste momento|en este momento|já volto|ahora vuelvo|vou só)\b
""")

TEST_DATA = joined(r"""
    \b(?:(?:seed|fixture|sample|mock|dummy) (?:file|data|row|user|record|entry|payload|input|profile|customer)s?|
    test (?:user|customer|record|row|persona|profile)s?|the fixture|null|undefined|foo|foobar|baz|
    unit tests? (?:uses?|has|have|expects?)|for testing)\b
""")

TAG_QUESTION = joined(r"""
    ,? (?:am|are|is|do|does|did|have|has|was|were|can|will|would|should)(?:n't)? (?:i|we|it|they|you|he|she|
    there)\W*\?$|, (?:right|no|oder|nicht wahr|verdad|não é|né|n'est-ce pas|correct|true|yes)\W*\?$
""")

GENERAL = joined(r"""
    \bin this (?:country|world|city)\b|^\W{0,3}(?:everyone (?:i know|knows|loves|says|has)|
    everybody (?:knows|loves|says)|nobody (?:likes|loves|knows|wants|reads|cares)|
    no one (?:likes|wants|knows|cares)|people|most people|some people|many people|kids|men|women|
    one (?:always|never|must|should|can)|(?:a|an) (?:good|great|healthy|happy|true|real|smart|wise) \w+|
    in (?:spain|france|germany|italy|japan|england|america|portugal|china|europe|asia|africa|most[ ]\w+|
    the (?:us|uk|usa|eu))|it's (?:well )?known|scientists|experts|studies|statistically|strictly speaking|
    (?:the )?earth|water (?:boils|freezes)|left-handed people|generally speaking,|humans|cats|dogs|legumes|
    as everybody knows|man muss|jeder weiß|la gente|todo el mundo|toda a gente|as pessoas|les gens|tout le monde)\b
""")
