"""English clauses about the work: what holds in the speaker's firm, team, product or towards its customers."""

from apps.extraction import english_words as w
from apps.extraction.languages import joined

SMALL_TALK = joined(r"""
    ^(?:never (?:mind|heard|again|had|seen|thought|a|in my|give up|stop|too|let|doubt|forget|underestimate)|
    always (?:a|an|wanted|had|been|happy|so|loved|the|up|here|there|nice|good|great|fun|remember|keep in)|
    no (?:problem|worries|thanks|rush|idea|way|luck|joke|hurry|clue|pressure|doubt|
    one(?= (?:cares|knows|told|said|ever))|offence|big|need|wonder|matter|sweat|biggie)|what a\b|
    how (?:nice|lovely|kind|sad)|that's (?:so |very |really )?(?:kind|nice|great|funny|good|sweet)|
    it's (?:so |very |really )?(?:cold|hot|raining|sunny|a lovely|friday|monday)|the weather|love (?:it|this|your)|
    i (?:love|like) (?:it|this|that|the|your)|you(?:'re|[ ]are)? (?:guys )?(?:are )?(?:the best|great|amazing|so|
    a star|a lifesaver|very)|every (?:bit|little|now|moment|step|journey|time i)|each (?:day|moment|step)|
    all (?:my (?:hard|love|best|life|dreams?)|the (?:best|love|more)|your|in all|work and)|
    any (?:tips|advice|news))\b
""")

_PLACE = joined(r"""
    (?:lab|school|office|team|company|firm|clinic|shop|store|practice|desk|department|repo|codebase|warehouse|
    hospital|studio|factory|plant|restaurant|bakery|hotel|library|agency|bank|branch|ward|workshop|site|
    organi[sz]ation|co-?op|charity|newsroom|project|house style|group|unit|division|business|pharmacy|surgery|
    kitchen|gym|nursery school|university|faculty|institute|shift|squad|startup|start-up|salon|garage|depot|
    salesforce|museum|theatre|council|chambers|call ?cent(?:re|er))
""")
_CAN = joined(r"""
    (?:(?:can't|cannot) (?!log|see|find|open|reach|load|connect|sign|make|do|be)\w+|must|mustn't|must not|have to|
    has to|needs? to|may not|may only|shall|should (?:never|always|only|not)|can only|
    (?:is|are) (?:only|never|always|not|no longer|strictly) \w+|(?:is|are)(?:n't)? (?:required|mandatory|compulsory|
    forbidden|prohibited|banned|allowed|permitted|off limits|due|approved|reviewed|signed off|billed|invoiced|paid|
    refunded|rotated|backed up|archived|deleted|kept|stored|handled|processed|shipped|delivered|deployed|released|
    merged|tagged|named|written|wiped|run|assigned|escalated|routed|counted|rounded|capped|limited|scheduled|held|
    charged|published|formatted|encrypted|logged|checked|signed out|labell?ed)|
    (?:don't|doesn't|do not|does not) (?:get|go|need|count|apply|leave|touch|ship|expire|renew|include|share|pay|
    sign|talk)|requires?|(?:works?|goe?s?) like (?:this|so)|(?:goe?s?|passe?s?) (?:to|through|via|past) (?:the|our|
    (?-i:[A-Z])[\w'-]*)|(?:is|are) in (?-i:English|German|French|Spanish|Portuguese|Italian|Dutch|Welsh|Polish)|
    (?:live|sit|belong|go|are kept|are stored) (?:in|on|under|with|to|at) (?:the|our) (?:\w+ )?(?:wiki|repo|vault|
    drive|folder|archive|safe|cabinet|drawer|fridge|freezer|basement|cellar|warehouse|depot|stockroom|front desk|
    reception|office|portal|dashboard|calendar|channel|docs))
""")
# Weaker words need a number, a day or an "only" beside them to make a rule.
_WEAK = joined(r"""
    (?:goes|go|gets|get|ships?|runs?|lands?|ends?|starts?|happens?|comes?|expires?|counts?|belongs?|needs?|takes?|
    costs?|waits?|stays?|lives?|sits?|uses?|follows?|closes?|opens?|reports?|change|ring|arrive|park|enter|sign|
    wear|answer|pay|ask|meet|always|never|only)
""")
# Whoever begins so is a person, the assistant or the world at large.
_NOT_WORK = joined(r"""
    (?!(?:i|i'm|i've|i'll|i'd|we|we're|we've|mine|feels?|movies|books|games|you|your|yours|he|she|they|his|her|hers|
    their|theirs|me|my|it|its|it's|this|that|that's|these|those|there|here|what|which|who|why|when|how|if|please|
    thanks?|one|some|someone|somebody|something|anything|everything|nothing|most|many|people|kids|men|women|
    everyone|everybody|anyone|life|love|music|mr|mrs|ms|and|but|or|so|then|just|let|don't|a|an|because|as|for|in|on|
    at|of|to|with|from|by|is|are|do|does|did|can|could|would|should|will|not|no|yes|ok|also|always|never|only|even|
    still|maybe|now|today|both|either|neither|other|others|another|friends|family|parents|mum|mom|dad|hope|wish|
    look\w*|guess|see\w*|being|having|doing|getting|making|taking|going|trying|sounds?|glad|happy|sorry|wow|cats|
    dogs|humans|animals|birds|children|babies|teens|students|users|customers say|experts|scientists|the|
    (?:status|task|job|step|attempt|retry|ticket|error|line|page|file)(?= (?:\d+|is|was|has)|:))\b)
""")

CAUSE = joined(r"""
    ^(?:on \w[^,]{1,25},? |(?:last|this|one) (?:year|month|week|spring|summer|autumn|winter|\w+day),? |
    in \w+,? )?(?:the|our|last|monday's|tuesday's|wednesday's|thursday's|friday's|
    yesterday's) (?:[\w'/.-]+ ){1,6}(?:failed|broke|crashed|went down|timed out|stopped|
    was (?:down|locked|rolled back|reverted|lost|delayed|dropped|late)|
    were (?:lost|delayed|rolled back|wrong|doubled|down|late)|came from|comes from|happened|got (?:lost|stuck|slow)|
    slowed|leaked|doubled|filled up|ran (?:out|full)|burned|flooded)\b.*\b(?:because|due to|since|when|from|
    caused by|after|as)\b .*$|^(?:the|our|last \w+'s) (?:[\w'/.-]+ ){1,5}(?:was|were) caused by .+$|
    ^(?:the|our|those) (?!(?:[\w-]+ )?(?:letter|parcel|mail|call|gift|money|idea|song|people|guests?|
    food))(?:[\w-]+ ){1,4}(?:came|stemmed|resulted) from an? \S.*$|
    ^(?:in (?:january|february|march|april|may|june|july|august|september|october|november|december|20\d\d|spring|
    summer|autumn|winter)|last (?:year|month|week|spring|summer|autumn|winter)|on \w+day) (?:the|
    our) (?:[\w'-]+ ){1,4}?(?:was|were|stood|stopped|\w+ed|went|fell|broke|ran)\b.* (?:because|due to|
    as (?:an?|the|our|we)|after (?:an?|the|we)|when (?:an?|the|our))\b.*$|
    ^(?:the|our|last \w+'s) (?:[\w'/.-]+ ){0,2}(?:outage|incident|bug|delay|crash|failure|breach|leak|mix-up|
    downtime|loss|double \w+) (?:[\w'/.-]+ ){0,5}(?:was|were)[ ](?!over|fixed|awful|bad|terrible|annoying|so\b|
    very).+$
""")

# What the firm did or has bound itself to: "we dropped Mailfly after …", "we've signed to …", "we promised …".
WE_DID = joined(rf"""
    {w.LEAD}we(?:'ve| have)? (?:{w.ADVERB} ){{0,4}}(?:(?:promised|committed|agreed|pledged|signed|undertook|
    guaranteed|contracted|decided|chose|voted|resolved) (?!it|this|that\b|you\b|on (?:it|this|that)|up\b|in\b|
    for the (?:call|parcel))\S.*|(?:dropped|abandoned|quit|ditched|frozen|paused|suspended|halted|discontinued|
    replaced|retired|migrated|renamed|banned|outsourced|acquired|grown|doubled|expanded|merged with|switched|
    deprecated|rebranded|moved (?:from|to|off|away|over|the|our|all|everything|offices?)|stopped|
    closed (?:the|our|down)|split|standardi[sz]ed|rolled back|shut down|phased out|got rid of|sunset) (?!it\b|
    this\b|that\b|them\b|on\b|in (?!20)|by\b)\S.*|(?:{w.PAST}|(?!need|feed|speed)\w+ed)\b(?! (?:it|this|that|them|you|
    a (?:great|good|lovely|nice|blast|wild|few|lot))\b).*\b(?:because|due to|hence|so now|which is why|that's why|
    ever since|after (?:the|a|an|our|we))\b.*|(?:lost|had (?!a (?:wild|few|lot|ball|laugh|chat|great|good))|missed|
    leaked|broke|failed|got (?:fined|audited|hacked|sued)|were (?:fined|audited|hacked|breached|down)|introduced|
    added|started|changed|raised|lowered|cut) (?!it\b|this\b|that\b|them\b|
    a (?:great|good|lovely|nice|blast)\b).*\b(?:because|after|when|since|due to|as|so now|that's why|which is why|
    hence|following|hence|ever since|in (?:20\d\d|{w.MONTHS}))\b.*)$
""")

# "My team uses Kanban": of the firm, though the speaker says "my". Who employs him is about him.
MY_FIRM = joined(rf"""
    {w.LEAD}my (?:\w+ )?(?:team|squad|department|crew|unit|shop|restaurant|clinic|practice|startup|agency|project|
    restaurant|bakery|studio|customers|clients)(?: (?:{w.ADVERB}))* (?:{w.SAYS}) (?!called\b|named\b|like\b|my\b|
    {w.STATE}\b)\S.*$
""")

STAFF = joined(r"""
    ^(?:Dr|Nurse|Prof)\.? (?-i:[A-ZÀ-Ý])[\w'-]+ (?:(?:only|now|no longer|always|also|doesn't|does not) )*(?:sees?|
    is (?:on leave|away|back|out|off)|works? (?:on|from|until|mornings|afternoons|half)|takes?|starts|covers|
    moved to (?:room|the))\b .*$
""")

OURS = joined(rf"""
    {w.LEAD}(?:all |most |some |both |each of )?(?:of )?(?:our|the team's|
    the (?:company|clinic|shop|store|practice|project)'s) (?!(?:\w+ )?(?:{w.HOUSEHOLD}|
    {w.PERSON})\b)(?!(?:\w+ )?(?:lawyer|accountant|boss|doctor|cleaner|driver|agent|rep|
    landlord) (?!(?:\w+ ){{0,3}}is\b|has to|must))(?!(?:\w+ ){{0,2}}{w.PASSING} {w.SAYS}\b)(?!(?:competitors?|
    rivals?|friendship|love|relationship|own|hearts?|bond|world|life|lives|
    hard work)\b)(?:(?!(?:and|but|because|when|that|
    which)\b)[\w'/.&-]+ ){{1,6}}?{w.SAYS}(?: {w.ADVERB}){{0,4}} (?!{w.STATE}\b)\S.*$
""")

_WE_NOT = joined(rf"""
    (?:can|can't|cannot|could|couldn't|would|should|shall|will|won't|may|might|are|were|was|did|didn't|{w.PAST}|
    hope|think|guess|believe|wonder|wish|want|need to|expect|assume|suppose|agree|disagree|saw|know|notice|
    appreciate|thank|look(?! after)|love|like|enjoy|hear|miss|mean|try|wait|seem|feel|plan|talk|discuss|understand|
    promise|regret|apologi[sz]e|all (?:love|know|need|have)|see (?!(?:patients|walk-ins|children|clients|customers|
    visitors|nobody|people)\b)|have to (?:go|wait|talk|stick|keep|see|admit)|get (?:it|an?|the|this|that|no)|got|
    had|got|just|go(?! live)|have|keep (?:getting|seeing|losing|having|going|trying)|click|press|toy|consider|doubt|
    remember|last|gotta|wanna|gonna|show|share|help|watch|roast|hang|chat|bake|camp|hike|visit|dance|sing|laugh|
    relax|explore|find|work well|inspire|bond|need (?!(?:at least|two|three|\d+|written|sign|prior|your)\b)|
    make (?=it|this|that|sure|an?\b|the\b|sense|progress|mistakes|plans|time|do\b|up\b|you|them|each)|
    have (?:an? (?:visitor|question|problem|issue|meeting|call|appointment|reservation|booking|guest|bug|leak|lot|
    great|good|chance|blast|outage|strict policy that)|been|to\b|no idea|fun|lots|such|similar|different|regular|
    team dinners|some|seen|had|not|it|this|that|you|your|\w+ed\b)|do (?:it|this|that)|live|heat|rent|sleep|garden|
    celebrate)
""")
# "We deploy on Tuesdays", "we don't squash", "we ask for a postcode before …", "for each new hire we open a ticket".
WE = joined(rf"""
    {w.LEAD}we (?:(?:{w.ADVERB}|don't|do not|must|must not|may not|may only|have to|can only|cannot|
    can't(?= (?:accept|take|ship|deliver|offer|refund|share|give|sell|use|store|send|sign|work|open|host|allow)\b)|
    have stopped|are allowed to|are required to|are not allowed to) )*(?!(?:{_WE_NOT}|
    {w.ADVERB})\b)(?:[a-z]{{2,}}(?<!ed)(?<!ing)|need|feed|embed|shred) (?!(?:it|this|that|them|you|your|yours|him|
    her|so|how|what|there|here)\b)\S.*$|{w.LEAD}(?:we|our (?:team|company|firm|clinic|shop|office|
    department))(?:'re| are| is|'ve been| have been)(?: {w.ADVERB}){{0,4}}[ ](?:on (?=(?:the |
    an? )?(?:\w+ )?(?:plan|tier|tariff|contract|rota|licen[cs]e)\b|(?-i:[A-Z])[\w'-]*)|under|
    in (?=(?-i:[A-Z])[\w'-]*|the \w+ (?:industry|business|sector|district|zone)|
    \w+ (?:time zones|countries|cities|offices))|at (?-i:[A-Z])[\w'-]*|with (?-i:[A-Z])[\w'-]*|based in|based at|
    closed|open|located|a (?!bit|little|family|couple|mess|huge|big fan)|an|
    the (?:only|largest|smallest|main|sole|local)|hiring|required|obliged|certified|audited|regulated|registered|
    exempt|insured|not allowed|fully|moving (?:to|off|from|away)|migrating|dropping|phasing|switching|
    \d+ (?:people|developers|engineers|staff|nurses|employees)|(?:three|four|five|six|seven|eight|nine|ten|eleven|
    twelve|twenty) (?:people|developers|engineers|staff|nurses|employees))\b(?! (?:parse|branch|step|page|hold|
    the (?:phone|line|way|meeting|call|train|car|road|same|process|middle|dark|lookout)|our way|it|this|that|
    a (?:call|meeting|rush|hurry)|good hands|luck|trouble|touch|love|for|with you)\b)(?!.*\b(?:meeting room|
    right now|at the moment|retry|commits ahead)\b) ?\S.*$|{w.LEAD}(?:to|before|after|when(?:ever)?|if|once|unless|
    until|for (?:each|every|all)|as soon as) [^.;?]{{3,80}}?,? (?:then )?we (?:{w.ADVERB} ){{0,4}}(?:don't |do not |
    must |have to )?(?!{_WE_NOT}\b)[a-z]{{2,}}(?<!ed) \S.*$|{w.LEAD}(?:we've|
    we(?: {w.ADVERB}){{0,4}} have)(?: got| had)? (?!been\b|the\b|your\b)(?:(?:a|an|two|three|four|five|six|no|our|
    \d+) )?(?:[\w-]+ ){{0,4}}?(?:policy|rule|developers|engineers|nurses|staff|employees|offices|branches|servers|
    clusters|environments|warehouses|sites|customers|shifts|locations|plan|contract|licen[cs]es?|seats|freeze|
    window|team|budget|style guide|on-call|rota|sla|sandbox|ban|moratorium|instances?|machines|vans|beds|rooms|
    tables|chairs|teams)\b(?! that the last).*$
""")

EVERY = joined(rf"""
    ^(?:all|every|each|any) (?!good|the best|set|clear|right|done|of (?:this|that|it)|time|my|your|these|those|i\b|
    we\b|you\b|in all|moment|step|bit|day\b|one of)(?:(?:[\w'/.-]|,\d+)+ ){{1,7}}?(?:(?:must|needs?(?! an? )|has to|
    have to|requires?|should|may not|cannot|can't|isn't|aren't|goes?|gets? (?:a|an|two|the)|counts?|expires?|
    carries)\b|(?=(?:is|are|has|takes?|costs?|ships?|only|can|starts?|ends?|runs?|uses?|lives?|comes?|gives?|
    gets?)\b(?:{w.FIRM}|.{{0,60}}(?:(?-i: [A-Z])|\b(?:in|on|with|by|through|to|kept|encrypted|logged|signed|
    reviewed|(?:its|their|an?|one) own)\b)))\w+)(?! (?:its(?! own)|their(?! own)|bugs|{w.STATE})\b) ?\S.*$|
    ^no [\w-]+(?: [\w-]+)?(?: to the \w+)? (?:on (?:{w.DAYS}|\d+|{w.MONTHS}|public|bank|site|the (?:ward|floor|\d+))|
    (?:after|before|without|during|between|past|outside) (?!the (?:way|moment)\b)\S|
    (?:for(?! me\b)|in|to|at|from|over|under) (?={w.FIRM})).*$|^no (?:[\w-]+ ){{1,3}}(?:gets?|is|are|leaves?|goes|
    go|may|can|ships?|enters?) (?:\w+ed\b|live|out|into|through|to) ?.*$|^whoever \w+s (?:\w+ ){{0,4}}\w+s \S.*$|
    ^(?:nobody|no one|nobody else|everyone|everybody|anyone|anybody|
    whoever) (?:(?:here|on[ ]the team|in the (?:team|office|company|lab)|at (?:our|the) \w+|who \w+(?: \w+){{0,3}}|
    on call|else) )?(?:(?:but|except) \w+ )?(?:deploys|merges|ships|refunds|books|approves|pushes|signs|works alone|
    touches|reviews|wears|carries|logs|uses|must|has to|needs to|gets|may|is allowed|leaves|enters|opens|orders|
    writes|reports|takes|answers|goes|shares|starts|comes[ ]in|runs|keeps|brings|checks|speaks|rotates) \S.*$
""")

# "In our lab nobody works alone", "there's no phone support on our side", "commit messages are in the imperative here".
AT_OURS = joined(rf"""
    ^(?!.*\b(?:was|were|found|had|did|went|got|saw)\b)(?:in|at|on|with|for|within|across|
    from) (?:(?:our|my) (?:[\w-]+ )?(?:{_PLACE}|side|end|place)|the (?:[\w-]+ )?{_PLACE}),? (?!(?:i|i'm|i've|my|you|
    the other day|is|are|was|and|or|where|there (?:was|were)|we (?:can't|could|would|saw|had))\b)\S.*$|
    ^(?:it's|it is) (?:an? |our |the )?(?:\w+ )?(?:rule|policy|custom|tradition|practice) (?:here |with us |
    at ours )?(?:that|to|not to) \S.*$|^ours (?:is|are) (?!the)\S.*$|
    ^(?!(?:it|this|that|he|she|you|here|there|what|which|who|i|my)\b)(?:[\w'-]+ ){{1,4}}(?:is|
    are) our (?!(?:favou?rite|only hope|last|best|dream|life|love|turn|house|home|dog|cat|car|first)\b)\S.*$|
    ^(?:anything|nothing|everything|whatever) (?!else|new|wrong|i\b|you\b|works\b|is\b|
    about)(?:[\w'-]+ ){{1,7}}?(?:gets?|goes|must|has to|needs|leaves|ships?|requires)\b {w.FIRM}.*$|
    ^(?!(?:i|we|you|he|she|they|it)\b)[\w -]{{2,40}} (?:at|in|of|for|on) our \w+ (?:is|are|must|has|have|runs?|
    starts?|ends?|goes|go|gets?|can) (?!{w.STATE}\b)\S.*$|^we have (?:no|an?|only|two|three) .*\bhere$|
    ^(?:here|with us|at ours|around here|on our side|in this (?:team|repo|project|company|office|house|firm|shop)|
    in-house|on our team),? (?!(?:look|a|ya|you|have|see|take|is|are|was|i|i'm|you|it|we (?:can't|go|are))\b)\S.*$|
    ^there(?:'s| is| are|'re) (?:no |always |never |only |an? |two |three |
    \d+ ).*\b(?:(?:on|at|from) our (?:side|end|place|office)|at[ ]ours|with us|in our \w+|
    here(?! (?:is|are|that|today|now)))\b.*$|^{_NOT_WORK}(?:[\w'/&.-]+ ){{1,6}}(?:is|are|goes|go|gets?|works?|
    starts?|ends?|happens?|has|have|must|take|takes|use|uses|run|runs|comes?) (?!{w.STATE}\b)[^,;]{{2,80}}? (?:here|
    at ours|with us|on our side|on our team|in this (?:team|repo|project|company|office|firm)|around here|
    in our \w+)\b(?:[,;].*)?$
""")

PLACE = joined(rf"""
    (?!.*\b(?:my|mine|me|i|i'm)\b){w.LEAD}the (?!(?:tax|post|passport|immigration|council|other|next|
    new)\b)(?:[\w-]+ ){{0,3}}{w.ORG}(?: (?:and|of|for|in|on) (?:the )?[\w-]+)? (?:(?:now|only|also|always|never|
    no longer) )*(?:{w.SAYS}) (?!{w.STATE}\b)\S.*$
""")

POLICY = joined(rf"""
    ^(?:(?:from now on|as of [^,]{{2,25}}|starting [^,]{{2,25}}|going forward|in future),? )?(?:the |
    all )?{w.POLICY_NOUN} (?:[\w'/-]+ ){{0,4}}?(?:take|takes|are|is|must|need|needs|cost|costs|go|goes|have to|
    has to|should|can|cannot|can't|may|happen|happens|only|close|closes|run|runs|live|lives|get|gets|expire|expires|
    require|requires|no longer|now)\b (?!{w.STATE}\b){w.FIRM}.*$
""")

# "Contractors don't get access", "refunds over 200 euros have to go through Samira": the subject is no person.
DUTY = joined(rf"""
    ^(?:at least )?(?:one|two|three|four|\d+) (?:people|persons|nurses|engineers|adults|staff|doctors|
    members) (?:must|have to|need to) \S.*$|^(?!.*\b(?:i|me|my|i'm|you|your|yours|us|
    must (?:be|have|feel) (?!\w+ed\b))\b)(?:only |all |new |any )*(?!\w+ing\b|congrats|
    way\b){_NOT_WORK}(?-i:(?!(?:[A-Z][a-z]+) (?:always|never|only|has|needs|closes|opens|sells|ships|charges|gives|
    offers|refunds|lets|allows|raises)\b))(?=[\w'/&.-]*(?:s|people|staff|access|work|code|food|data|travel|mail|
    post|equipment|software|hardware|stock|waste|overtime|leave|training|parking|pay|support|traffic|feedback|cash|
    content|copy|research|cover|on-call|pii)\b|[\w'/&.-]+ (?:\w+ ){{0,3}}?\w+s\b)(?:(?!(?:and|but|because|said|
    says)\b)[\w'/&.-]+ ){{1,7}}?(?:{_CAN}|get (?=(?:an?|no|their|two)\b)|
    (?=.{{0,40}}{_WEAK} {w.FIRM}){_WEAK})(?:,? (?!{w.STATE}\b|like\b|to (?:be|my)\b).*$|$)
""")

# "The spare keys are with the porter", "the admin service listens on 8443".
THE = joined(rf"""
    ^(?:the|our) (?:[\w'-]+ ){{1,4}}(?:(?<!is )(?<!are )(?:shut|closed|opened|moved|merged|relocated) (?:in|on|down|
    for good|last|to)|was (?:closed|sold|renamed|retired|discontinued)|
    has (?:moved|closed|been (?:renamed|replaced|retired|sold|closed|merged)))\b.*$|
    ^(?!.*\b(?:my|mine|me|i|i'm)\b)the (?!(?:[\w-]+ ){{0,3}}?(?:{w.PERSON}|{w.PASSING}|author|guy|players?|museum|
    airline|council|government|city|town|caller|driver|passenger|candidate|applicant|sender|singer|player|actor|
    actress|writer|visitor|victim|owner|user|customer|man|woman|lady|people|article|review(?! board)|film|movie|
    book|song|weather|news|app|site|website|queue|cursor|(?:\w+ )?(?:code|combination|pin|key|phrase) is|world|
    government|doctor|driver|courier|technician|waiter|agent|bot|assistant|link|code|error|error message|update|
    password|pin|wi-?fi|other day|thing|things|reason|way|rest|fact|truth|best|worst|last|first(?! aid)|next|same|
    idea|photo|picture|music|kids|sun|sea|view|process|feeling|support|experience|event|event|game|team spirit|task|
    step|retry|attempt|status|queue|cursor|backup started|token|model|tool)\b)(?:[\w'/&.-]+ ){{1,6}}?(?:listens? on|
    (?:is|are) (?:\w+ed|built|made|written|kept|held|run|sold|cut|sent|paid|done|bought|found) (?:in|on|every|by|at|
    with|from|until|through|each|once|twice|before|after|daily|weekly|nightly|monthly|yearly)\b|
    runs? (?:on|every|at|in|as)|lives? (?:in|on|under|at|behind)|belongs? to|
    (?:is|are) at (?:\d+|half|noon|midnight|quarter|\w+ o'clock)|(?:is|are) (?:owned|handled|run|managed|maintained|
    approved|reviewed|signed|kept|stored|hosted|deployed|wiped|rotated|rebuilt|restarted|archived|mounted|backed up|
    written|billed|locked|released|refreshed|cleaned|emptied|collected|generated|synced|signed out|formatted|
    encrypted|named|called|capped|limited|shared|pinned|frozen|deprecated|read-only|mandatory|optional|required|
    closed|open|shut|forbidden|off limits|reserved|in (?-i:[A-Z])[\w'-]*|in (?:the|a|room|building|rack|box)|
    on (?:the|port|floor|level|\d{{2,5}}\b|{w.DAYS})|with (?:the |our )?\w+|behind the|under the|at (?:the|\d+)|
    by \w|from \d+|due (?:on|every|by)|valid (?:for|until)|for[ ](?:staff|members|emergencies)|
    only (?:for|on|open|used|valid))|has (?:\w+ )?(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|
    an? \w+|no)|expires? (?:on|in|every|at)|renews?|goes? (?:to|through|into|out|on|live)|go (?:to|through|into)|
    needs? (?!you|to (?:go|be nice))|must (?!have|be (?!\w+ed\b))|may (?:not|only)|takes? (?:\d+|at least|up to|an?)|
    costs?|opens?|closes?|starts? (?:at|on|in)|ends? (?:at|on|in)|ships?|supports?|stays? (?:on|off|under|below|at)|
    doesn't (?:support|accept|allow|ship|open)|only (?:accepts?|works?|opens?|runs?)|
    uses? (?:an?|the|our|(?-i:[A-Z])[\w'-]*)|speaks? to|(?:sit|hang|lie|stand|wait)s? (?:in|on|behind|under|by|at|next)|
    are (?:in|on|under|behind|at|with) (?:the|our|a)|shuts?|points? (?:to|at)|feeds?|reports? to|
    meets? (?:on|every|at)|serves?|talks? to) ?(?!{w.STATE}\b)\S.*$
""")

FROM_NOW_ON = joined(r"""
    ^(?:from now on|going forward|effective (?:immediately|[\w ]{2,20})|as of (?:now|today|\w+(?: \w+)?)|
    starting (?:today|now|(?:on |in |next |this )?(?:\w+day|january|february|march|april|may|june|july|august|
    september|october|november|december|monday|week|month|year)(?: \w+)?)),? (?!i\b|i'|my\b|me\b|you\b|please\b|
    just\b|that's\b)(?:the |all |any |every |no |only )?(?:[\w'/.-]+ ){0,6}?(?:is|are|must|needs?|has|have|takes?|
    costs?|closes?|opens?|goes?|gets?|requires?|cannot|can't|can|will|runs?|use|lives?|ships?)\b \S.*$
""")

ALWAYS_NEVER = joined(r"""
    ^(?:please )?(?:always|never|do not ever|don't ever) (?!me\b|mind\b|had\b|been\b|a\b|nice|great|good|so|very|
    here|there|up|happy|ready|excited|glad|fun|thought|knew|felt|heard|saw|seen|was|were|is|are|be\b|proud|looking|
    in\b|on\b|the\b|to\b|my\b|believe|reveal|disclose|(?:tell|say|answer|inform|assure) (?:users?|everyone|
    everybody|anyone|people|them|customers?)|remember|stop|give up|trust your|know|\w+ing\b|\w+ed\b|once|again|too|
    enough|more|less|better|too late)[a-z-]+ (?!me\b|up\b|on yourself)(?!.*\bagain$)\S.*$
""")
