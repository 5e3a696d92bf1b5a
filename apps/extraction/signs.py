"""Word signs by which the write policy knows what is no memory. Patterns meet one clause or sentence, any case.

They judge what a model took for a fact, so they are wider than the rules of the offline extractor: what is left out can
be said again, and what gets in costs a curator's minute.
"""

import re

from apps.extraction.languages import joined


def _rx(pattern: str) -> re.Pattern[str]:
    return re.compile(joined(pattern), re.IGNORECASE)


# Where the run stands, one line a kind; each belongs to the runtime and is wrong a minute later.
TASK_ID = _rx(r"""
    \b(?:task|job|run|ticket|case|request|session|trace|thread|execution|workflow|batch|correlation|message|call|order|
    process|worker|conversation)(?:'s)?[ _-]?(?:id|no\.?|number)?(?: is|:|=|#)? ?(?=[\w-]*\d)(?:#[\w-]+|[\w-]{3,})|
    \b(?:task|job|run|session|trace|thread|execution|workflow)[ _-]?id\b|
    \b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,}\b
""")
RETRIES = _rx(r"""
    \b(?:retr(?:y|ies|ying|ied)|attempts?|tries)\b[^.!?]{0,20}\d|\d+(?:st|nd|rd|th)? (?:retr(?:y|ies)|attempts?|tries|
    time now)\b|\b(?:first|second|third|fourth|fifth|last|another|next) (?:retry|attempt|try)\b|
    \btry(?:ing)? (?:it )?(?:once more|again)\b|\bretry[ _]count\b
""")
PENDING = _rx(r"""
    \b(?:pending|awaiting|await|waiting (?:for|on)|wait for|still needs?|blocked on|on hold (?:for|until|since))\b|
    \b(?:approval|confirmation|sign-?off|review|answer|reply)\b[^.!?]{0,20}\b(?:pending|outstanding|not (?:yet )?(?:in|
    there|given)|still (?:open|missing))\b|\bstatus(?: so far| now| is|:)|\bneeds? (?-i:[A-Z])\w+'s (?:approval|ok|
    sign-?off)\b|\bapproved step \d
""")
PLAN_STEP = _rx(r"""
    \b(?:current(?:ly)?|next|now|last|previous|remaining) (?:\w+ )?(?:steps?|phases?|stages?)\b|\b(?:step|phase|stage|
    part) \d+\b|\b\d+ (?:of|out of|/) \d+ (?:\w+ )?(?:files?|steps?|items?|rows?|pages?|done|left|complete)|
    \b\d{1,3} ?% (?:done|complete|finished|of)|\bat \d{1,3} ?%|\b(?:progress|eta)\b[ :]|\b(?:next i(?:'ll| will)|
    i(?:'ll| will) (?:now|next|then|first|start|begin|proceed|continue|try|look|check|search|read|go ahead)|
    let me (?:now |first |just )?(?:check|look|see|search|find|start|try|fetch|pull|verify|think))\b|\b(?:the|my|
    our) plan (?:is|now|for now)\b|^plan:
""")
TOOL_IN_USE = _rx(r"""
    \b(?:using|calling|call(?:ed)?|invok\w+|select(?:ed|ing)|chos(?:e|en)|pick(?:ed|ing)?|running|
    ran)\b[^.!?]{0,30}\b(?:tools?|function|api|endpoint|plug-?in)\b|\btool[ _-]?(?:call|result|output|choice|selected|
    use|name|error)s?\b|\b(?:selected|current|active|last|chosen) tool\b|\bthe (?:\w+ )?tool (?:is|was|returned|failed|
    gave|says)\b|\b[a-z]+(?:_[a-z]+)+\(|\b(?:returned|responded with|status(?: code)?|http) [1-5]\d\d\b
""")

REFUSAL = _rx(r"""
    \bi(?:'m| am) (?:very |so |really )?(?:sorry|afraid|unable|not able|not allowed|not permitted|just an? (?:ai|
    assistant|bot|language model))\b|\bi (?:can(?:'t|not)|could(?:n't| not)|won't|will not|
    do(?:n't| not)) (?:be able to |really |actually )?(?:help|assist|do that|do this|provide|share|answer|access|comply|
    discuss|support|disclose|give|tell|process|complete|have (?:access|the ability|information|that|any))\b|
    \bas an? (?:ai|assistant|language model|chatbot|virtual)|\bunfortunately\b|\b(?:that's|this is|it's) (?:against|
    outside|beyond) (?:my|our|the)\b|\bi must (?:decline|refuse)\b|\bnot something i can\b|\bich kann (?:dir|ihnen|
    das)? ?(?:leider )?nicht\b|\blo siento\b|\bno puedo (?:ayud|proporc|comp)\w+|\bje (?:suis désolé\w*|ne peux pas)\b|
    \bdesculpe\b
""")
ACKNOWLEDGEMENT = _rx(r"""
    ^(?:ok(?:ay)?|sure(?: thing)?|of course|certainly|absolutely|got it|understood|noted|done|great|perfect|no problem|
    will do|right away|alright|all (?:set|done|good)|thanks?|thank you|you're welcome|happy to help|glad to|yes|yep|
    no worries|sounds good|good (?:point|question|idea|choice)|very good|verstanden|gerne|alles klar|entendido|claro|
    perfecto|compris|d'accord|bien sûr|combinado|entendi)\b|^(?:i(?:'ve| have)|we(?:'ve| have)) (?:just |now |already |
    also )*(?:updat|not|sav|record|add|chang|sent|forward|cancel|schedul|book|process|creat|complet|fix|remov|set|mark|
    logg|stor|open|check|look|receiv|resolv|escalat|appl|issued|made|found|done|taken)\w*|\bi(?:'ll| will) (?:remember|
    keep|note|make|be|do|get|let|send|update|follow|take|have|pass|forward|add|try|help|wait|read|tell|call|write|
    come)\b|\b(?:let me know|feel free|is there anything|anything else|how (?:can|may) i (?:help|assist)|
    i(?:'d| would) be (?:happy|glad)|hope (?:this|that|you)|please (?:let|wait|hold|bear|note that i)|one moment|
    just a (?:moment|second|minute)|have a (?:nice|great|good)|welcome back|nice to (?:meet|hear)|thank you for|
    thanks for|good to (?:hear|know))\b|\b(?:has|have) been (?:\w+ )?(?:updated|saved|recorded|noted|added|changed|sent|
    cancelled|canceled|scheduled|booked|processed|created|completed|applied|forwarded|submitted|received|refunded|
    shipped|removed|resolved)\b
""")
SYSTEM_TEXT = _rx(r"""
    \byou are (?:now )?(?:an?|the|my|our)(?: \w+){0,6} (?:assistant|agent|bot|chatbot|ai|model|copilot|helper|expert|
    persona)\b|\b(?:your|the assistant's|the agent's) (?:role|task|job|goal|purpose|instructions?|guidelines?|persona|
    name|output|answers?|response) (?:is|are|must|should|say)\b|\byou (?:must|should|shall|may|can only|will|have to|
    never|always|have access)\b(?! (?:reach|call|contact|text|e-?mail|phone|write to) me)|\b(?:system|
    developer) (?:prompt|message|instructions?)\b|^(?:###?|\*\*|<\w+>|\[(?:system|inst|context|tools?)\])|
    \b(?:available|allowed|enabled) tools?\b|\b(?:knowledge cut-?off|context window|max(?:imum)? tokens|
    temperature ?[=:])|\b(?:respond|reply|answer) (?:only )?(?:in|with|as)(?: valid)? (?:json|markdown|xml|yaml)\b|
    \bdo not (?:reveal|disclose|mention|make up|invent|hallucinate|answer)\b|^(?:never|always) (?:reveal|disclose|
    mention|claim|invent|share (?:these|this|your|the system)|break character)\b|\b(?:the |this )?(?:assistant|agent|
    model|bot) (?:must|should|shall|may|can|will|never|always)\b
""")
# Headings under which an SDK or a person pastes what an agent remembers: told facts, no news.
RECALLED = _rx(r"""
    ^\W*(?:(?:curated|learned|known|stored|remembered|relevant|persisted) (?:facts?|memor(?:y|ies))\b|facts (?:you|i|
    we)(?: have)? (?:remember|know|stored|learned)\w*|(?:what|things|everything) (?:you|i) (?:know|
    remember(?:ed)?) about|(?:user|customer) (?:profile|memory|facts)\s*:|memor(?:y|ies)\s*:|from (?:my|your|
    the) memory)|\b(?:according to|based on|from|in) (?:my|your|our|the) (?:memory|memories|notes|records|files?|
    profile|(?:previous|earlier|last) (?:conversations?|chats?|messages?))\b|\b(?:i (?:remember|recall|see|know)|
    you (?:said|told me|mentioned|asked|prefer to be|already)|as (?:you|i) (?:said|mentioned|told)|we (?:discussed|
    talked about))\b
""")
LOG_LINE = _rx(r"""
    ^(?:cron|heartbeat|timer|event|webhook|scheduler|trigger)\b[ _]?(?:ok\b|:|$)|^\W{0,3}(?:\d{4}-\d\d-\d\d[T ]\d\d:|
    \[?(?:debug|info|warn(?:ing)?|error|fatal|trace)\]?[ :]|traceback|at [\w.$]+\(|file ".*", line|>>>|\$ |#!|exit code|
    stdout|stderr|<[?/!\w])|^\s*[\[{].*[\]}],?\s*$|^\s*["'][\w -]+["']\s*:|[{}]{2}|"\w+"\s*:\s*["\[{\d]|
    \b(?:select .+ from|insert into|create table|def \w+\(|function\s*\(|return \w+;|https?://\S+ \d{3})\b|^(?:[^|]*\|
    ){3,}|^[\w.-]+=[\w./-]+(?:\s[\w.-]+=\S+)+|(?:=>|->|::|&&|\|\|).*[;{}]|^import [\w.]+(?: as \w+)?;?$|^(?:tool|
    function|search|web|page|api)[ _]?(?:result|output|response|content)s?\b
""")

# A detail of one moment. "Today" alone is no sign: "today I moved to Porto for good".
ONE_OFF = _rx(r"""
    \b(?:right now|at the moment|just now|this (?:time|morning|afternoon|evening|minute|one|order|ticket|parcel|weekend|
    letter|case|session|chat|page)|tonight|today(?!'s? (?:on|rule))|yesterday|(?:a|an|half an|two|three|
    \d+) (?:minutes?|hours?) ago|for half an hour|last night|in (?:a|\d+) (?:minutes?|hours?|moment)|back in (?:five|
    ten|a)|only (?:this|today|once)|just (?:this|the) (?:once|one)|for (?:today|now|tonight|this)|(?:order|invoice|
    ticket|booking|reservation|tracking|parcel|flight|seat|receipt) (?:no\.?|number|nr\.?|
    #)? ?(?:is )?#?(?=[\w-]*\d)[\w-]{3,}|just (?:got|arrived|landed|ordered|bought|paid|tried|called|saw|noticed|
    finished|sent)|off to|(?:going to|gonna) (?:grab|get|have|eat|try|check|call|see)|on the \d+(?:st|nd|rd|th)|
    gleich wieder|hole mir)\b
""")
HAPPENING = _rx(r"""
    ^i(?:'m| am)(?: just| still| only| currently| so| really| very)* (?:hungry|tired|thirsty|happy|sad|bored|angry|late|
    lost|stuck|here|back|ready|done|good|fine|ok(?:ay)?|well|great|busy|confused|wondering|sorry|glad|excited|surprised|
    waiting|looking|trying|calling|writing|asking|sitting|standing|wearing|driving|walking|watching|reading|cleaning|
    cooking|logged in|in the (?:car|train|bus|queue|meeting)|on (?:the|my) (?:phone|way|train|bus)|at the (?:airport|
    station|counter|door|till|desk))\b|^(?:i|we) (?:have|had|got|paid|ordered|bought|received|went|saw|tried|called|
    sent|took|forgot|lost|found|clicked|opened|started|checked|asked|read|heard|wrote|met|stayed|visited|ate|missed|
    entered)\b(?=.*\b(?:open|meeting|today|yesterday|tabs?|soup|bill|screen|error|refund|parcel|package|order|ticket|
    page|button|link|on the \d|in (?:19|20)\d\d|last (?:week|month|night|time)|the wrong|an? (?:problem|question|issue|
    look|call|call from|mail|appointment|(?:\w+ )?day))\b)|^(?:my|the) (?:screen|page|site|app|parcel|package|order|
    delivery|laptop|phone|printer|projector|link|button|video|backup|upload|download|build|job|account|session|
    (?:\w+ )?lights?)\b(?! (?:is called|runs|must|should|always|never|only))(?=.*\b(?:shows?|is|isn't|came|arrived|
    won't|doesn't|didn't|stopped|broke|died|started|froze|crashed|failed|missing|late|stands|hangs|flickers|ran out|
    token)\b)|^we(?:'re| are) (?:\w+ people|on branch|in the meeting)|^(?:i|we) can(?:'t|not) (?:log|sign|open|find|see|
    reach|get)\b
""")
PAST = _rx(r"""
    ^(?:years ago|once|back (?:then|in)|as a (?:child|kid|teenager|student)|when i (?:was|lived|worked)|
    in my (?:twenties|teens|thirties|youth)|in (?:19|20)\d\d|long ago|als kind|früher|autrefois|de niñ[oa]|
    quando era)\b|\bi (?:once|used to)\b|^i (?:was|were) [^.!?]{3,60}\b(?:for (?:a|two|three) (?:years?|months?|while|
    weeks?)|in my (?:twenties|teens|youth)|last (?:week|month|year))\b|\bas a (?:child|kid|teenager)\b
""")
REPORTED = _rx(r"""
    ^(?:according to|from (?:the|their|his|her)\b.*(?:site|terms|page|mail)|pasted from|allegedly|reportedly|minutes of|
    sur le site|le client|der kunde|el cliente|o cliente)|\b(?:told me|says?|said|claims?|insists?|thinks?|believes?|
    reckons?|assumes?|seems? to think|have me down as) (?:that )?(?:i|i'm|my|we|our|you|no one)\b|
    \bi(?:'ve| have| was)? (?:been )?told\b|\b(?:they say|as the saying goes|people say|it is said|i read (?:that|about|
    in|somewhere)|i heard|they told|the \w+ said|says your site|scrap what|forget what)\b|\b(?:says?|said|wrote|writes|
    reads|example|phrase|poster|quote|lyrics?|song|poem|line|starts with|clause \d+|site|contract|terms|guide|écrit|
    übersetze)\b[^.!?]{0,40}:|^(?-i:[A-Z])[\w'-]*(?: (?-i:[A-Z])[\w'-]*)?'s? (?:site|style guide|terms|policy|website|
    page)\b|^[-*•]?\s?(?:mr|mrs|ms|dr)\.? \w+:|^-{2,}
""")
HYPOTHETICAL = _rx(r"""
    \b(?:hypothetical(?:ly)?|suppose|supposing|assume|assuming|imagine|pretend|let's (?:say|pretend|assume|play)|
    say (?:i|we)|what if|even if|if (?:i|we|only|ever|the|they|you)(?: ever)? (?:were|was|had|did|could|would|dropped|
    moved|lived|owned|went|answer)|were i|wish (?:i|we)|would(?:n't)? (?:be|have|like to be) [^.!?]{0,40} if|(?:in|
    for) (?:this|the)[ ](?:scenario|story|game|exercise|example|role|test)|role-?play|dialogue practice|(?:mock|
    practice|exam|homework|quiz) (?:paper|question|exercise)|question \d+|exercise \d+|for example,? (?:i|my)|
    made[- ]up|fictional|lorem ipsum|test (?:user|data|account|test)|dummy|placeholder|fixture|seed file|thinking (?:of|
    about)|toying with|i(?:'ll| will) (?:probably|maybe|try)|we(?:'ll| will) (?:probably|maybe|see)|not that i|
    it's not that|don't assume|neither confirm|i(?:'ll| will) be the \w+,? you|hagamos un juego|jeu de rôle|
    you are now an? \w+ and)\b
""")
UNSURE = _rx(r"""
    \b(?:maybe|perhaps|possibly|probably|not sure|no idea|i (?:guess|believe|think|suppose|assume)|can't swear|
    don't (?:know|hold me to it)|(?:if i|half) (?:recall|remember)|it could be|might be|may be|or so|or something|
    whether|or \d+,|roughly guessing)\b
""")
SARCASM = _rx(r"""
    \b(?:ha+h?a+|lo+l|lmao|rofl|jk|yeah,? right|as if|just kidding|only joking|said no one|lucky me|
    clearly an?[ ](?:millionaire|genius)|bravo)\b|\.\.\.$|\s/s\b|[🙄😏🤡]|^(?:wow|oh (?:great|joy|sure|good)|na klar|
    ah oui|great, another)\b
""")
ORDER = _rx(r"""
    ^(?:(?:please|pls|kindly|now|then|so|and|just|also),? )*(?:send|show|give|tell|find|book|help|fix|write|open|close|
    add|remove|delete|create|make|look|explain|move|reschedule|order|track|confirm|put|get|list|print|read|compare|
    summari[sz]e|translate|generate|draft|restart|review|suggest|recommend|start|try|go|bring|wait|skip|pick|cancel|
    refund|check|carry on|switch|turn|set|compute|calculate|act|play|leave this|ignore|forget|page|charge|sign|solve|
    continue|proceed|repeat|note that you|call (?:the|him|her|them)|email (?:the|him|her|them)|use (?:the|this|
    that) \w+ (?:to|for this))\b|^(?:can|could|would|will|may|should|do|does|did|is|are|am|what|which|who|whose|when|
    where|why|how|any|since when|has|have (?:you|we|they))\b(?=.*\?)|^i(?:'d| would)? (?:like|want|need|
    love) (?:you )?to (?!be (?:called|contacted|addressed|reached))|^i(?:'d| would) (?:like|love|prefer) (?:a|an|the|
    some|this|that|another|one|two|three|\d)\b|^(?:i|we) (?:want|need) (?:a|an|some|this|that|it|another|one|two|three|
    \d)\b(?!.*\b(?:always|every|each|never|because|of an?)\b)|^(?:one|two|three|\d+) [\w ]+ please$
""")
THIRD_PERSON = _rx(r"""
    ^(?:his|her|their|he|she|they)\b|^(?:the|a|my|our)(?: \w+)? (?:student|friend|neighbou?r|guest|visitor|tenant|
    customer|client|passenger|caller|candidate)(?:'s)? (?:i \w+ |of mine |next door )?(?:is|has|lives|wants|moved|works|
    prefers|likes|hates|can't|needs|says)\b|^the (?-i:[A-Z])\w+s (?:always|never|want|like|live|prefer|have)\b|
    \bfriend's\b|\bwhose name\b
""")
GENERAL = _rx(r"""
    ^(?:everyone|everybody|nobody|no one|people|kids|one (?:always|never|can|should|must|needs)|most people|a good|
    some people|men|women|children|left-handed people|in (?:spain|france|germany|italy|japan|england|
    america))\b(?! (?:deploys|merges|in our|at our|here))
""")
CAUSE = _rx(r"""
    \b(?:because|due to|since|caused by|came from|when|after|hence|so that|that's why|reason|without|led to|root cause|
    from)\b
""")
HAPPENED = _rx(r"""
    \b(?:failed|broke|crashed|went down|timed out|was|were|lost|happened|came from|caused|stopped|outage|incident|
    deleted|tore|missed)\b
""")
SAYS_OF_USER = _rx(r"\b(?:you|your|you're|you've|the user|user(?:'s)?|the customer)\b")
SPEAKS_OF_SELF = _rx(
    r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|we're|we've|our|ours|us)\b|^been\b|\bthe name's\b|^it's\b"
)
STATES = _rx(r"""
    \b(?:is|are|isn't|aren't|was|were|has|have|must|needs?|may|can|cannot|can't|don't|doesn't|only|always|never|every|
    takes?|costs?|goes?|go|opens?|closes?|ships?|uses?|runs?|works?|requires?|should|belongs?|lives?|sits?|listens?|
    comes?|gets?|expires?|stays?|no longer|free)\b
""")
ENGLISH = _rx(r"\b(?:the|is|are|was|to|of|and|in|on|at|my|our|i|we|you|it|that|this|for|with|not|don't|have|has)\b")
RELATIVE = _rx(r"""
    \b(?:last|next|this|yesterday|today|tomorrow|ago|in (?:an?|one|two|three|\d+) \w+|since|until|till|by|monday|
    tuesday|wednesday|thursday|friday|saturday|sunday|week|month|year)\b
""")
