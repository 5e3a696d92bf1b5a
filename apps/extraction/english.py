"""English clauses worth keeping, by what they tell. Case is ignored, except in ``(?-i:…)``."""

from apps.extraction import english_words as w
from apps.extraction.languages import ONE_OFF_TIME, joined

CONTACT_NAME = joined(r"""
    ^(?:please |just |everyone |you can )*(?:calls? me|
    address me as) (?P<rest>(?-i:[A-ZÀ-Ý])[\w'-]+(?: (?-i:[A-ZÀ-Ý])[\w'-]+)?)(?:,.*)?$
""")

CONTACT_ORDER = joined(rf"""
    ^(?!.*(?:{ONE_OFF_TIME})){w.LEAD}(?:(?:please|pls|only|always|just|in future|from now on),? )*(?P<verb>call|
    phone|ring|text|e-?mail|write to|write|message|contact|reach|whatsapp)(?: to)? me (?P<rest>(?!back\b|when\b|
    once\b|as soon|if\b|about\b|the\b|a\b|an\b|my\b)(?:.*\b)?(?:{w.HOURS}|(?:by|on|at|via|in|through) \S+).*)$
""")

CONTACT_ONLY = joined(r"""
    ^(?:please |pls )*(?:only|always) (?P<verb>call|phone|text|e-?mail|write to|message|contact|whatsapp) me$
""")

CONTACT_NEVER = joined(rf"""
    ^(?!.*(?:{ONE_OFF_TIME})){w.LEAD}(?:please |pls )*(?:don't|do not|never|stop) (?P<verb>call(?:ing)?|phon(?:e|
    ing)|ring(?:ing)?|text(?:ing)?|e-?mail(?:ing)?|writ(?:e|ing) to|messag(?:e|ing)|
    contact(?:ing)?) me\b(?P<rest>.*)$
""")

CONTACT_LANGUAGE = joined(rf"""
    {w.LEAD}(?:(?:please|always|pls|only),? )*(?P<verb>answer|reply|respond|write|talk|
    speak)(?: to)?(?: me)? (?:only |always )?in (?P<rest>{w.LANGUAGE})(?:,? please)?(?: from now on|[ ]in future|
    [ ]always)?$
""")

CONTACT_CAN = joined(rf"""
    ^(?!.*(?:{ONE_OFF_TIME})){w.LEAD}you can (?:best |only |always )*(?P<verb>reach|call|contact|text|e-?mail|phone|
    write to) me (?P<rest>(?!back\b|when\b|once\b|as soon|if\b|about\b)\S.*)$
""")

CONTACT_BEST = joined(rf"""
    {w.LEAD}(?:(?:it's |it is )?(?:best|easiest) (?:to )?(?:reach|call|find|contact|text|email|get) me|
    (?:the )?(?:best|easiest) (?:way|time|number|place) to (?:reach|call|contact|get) me (?:is|are)|to (?:reach|
    call|get) me) .+
""")

NO_MARKETING = joined(rf"""
    {w.LEAD}(?:I (?:do not|don't) want (?:any |to (?:get|receive|be) )*(?:more )?(?:newsletters?|calls?|called|
    marketing|ads|advertising|promotions?|reminders?|{w.CONTACT_NOUN}).*|
    (?:please )?stop sending me (?:newsletters?|reminders?|catalogues?|ads|texts|emails?).*|
    (?:please )?no (?:more )?(?:newsletters?|marketing|calls|phone calls|catalogues?)(?: please| for me|
    [ ]at all)?)$
""")

NAME = joined(r"""
    ^(?:my (?:full |first |last |real )?(?:name|surname)(?: is|'s) (?!not\b|wrong|missing|spelt|spelled|still)\S+.*|
    I(?:'m| am) called \S+.*|I go by \S+.*)$
""")

NAME_AM = r"^I(?:'m| am) (?P<rest>(?-i:[A-ZÀ-Ý][a-zà-ÿ'-]+(?: [A-ZÀ-Ý][a-zà-ÿ'-]+)+))(?:,.*| from .*)?$"

HEALTH = joined(rf"""
    {w.LEAD}{w.SELF}(?:(?:\w+ ){{0,3}}(?:allergic|intolerant|vegan|vegetarian|pescatarian|coeliac|celiac|diabetic|
    asthmatic|pregnant|epileptic|dyslexic|autistic|colou?r-?blind|deaf|hard of hearing|blind|left-handed|
    immunocompromised)\b|on (?:blood|insulin|warfarin|metformin|medication|antidepressants|dialysis|
    a (?:\w+ )?diet)|(?:(?:an?|the|got|bad|severe|mild|high|low|\w+) ){{0,4}}(?:allerg(?:y|ies)|intolerance|asthma|
    diabetes|epilepsy|pacemaker|adhd|migraines?|arthritis|blood pressure|hearing aids?|phobia|dyslexia|
    bad (?:knees?|back|hips?))\b|(?:eat|drink|tolerate|have|take) (?!{w.CONTACT_NOUN})(?:any |no )?(?:nuts?|meat|
    fish|gluten|dairy|milk|lactose|eggs?|pork|alcohol|sugar|peanuts?|shellfish|wheat|ibuprofen|aspirin|penicillin|
    metformin|insulin|warfarin)\b|react badly|get migraines|suffer from|was diagnosed|use a (?:wheelchair|
    hearing aid|cpap|cane)|have (?:\w+ )?surgery)
""")

FAMILY = joined(rf"""
    {w.LEAD}{w.SELF}(?:have )?(?:a |an |one |two |three |four |\d ){{1,2}}(?:\w+ ){{0,2}}(?:kids?|child|children|
    sons?|daughters?|twins|bab(?:y|ies)|dogs?|cats?|parrot|rabbits?)\b|{w.LEAD}I(?:'m|[ ]am) (?:now |
    recently )?(?:married|divorced|single|widowed|engaged|a (?:single )?(?:mum|mom|dad|parent|father|mother|
    grandmother|grandfather))\b
""")

BELIEF = joined(rf"""
    {w.LEAD}I(?:'m| am) (?:a |an |the )?(?:practising |practicing |devout )?(?:muslim|jewish|catholic|christian|
    hindu|buddhist|sikh|atheist|gay|lesbian|bisexual|trans\w*|non-binary|(?:\w+ )?(?:union|shop) (?:member|steward|
    rep)|member of (?:a|the) (?:\w+ )?union)\b|{w.LEAD}I (?:only )?(?:(?:keep|eat) (?:kosher|halal)|fast (?:during|
    in) Ramadan)\b
""")

HOME = joined(rf"""
    {w.LEAD}{w.SELF}(?:(?:live|living|based|moved|relocated|moving|settled) (?:back |out |over |alone )*(?:in|at|
    near|on|to|into|from|with|outside|between|by)|from|come from) (?!(?:the|a|an) (?:free|team|pro|basic|premium|
    other|next|larger|bigger|smaller|\w+ (?:plan|app|version|size|tier))\b)(?!(?:this|that|it|
    on)\b)(?!the (?!country\w*|city|cent\w+|north|south|east|west|suburbs|mountains|old town|middle|outskirts|
    (?-i:[A-Z])))\S.*$|{w.LEAD}{w.SELF}(?:live|living) (?:alone|here)$
""")

JOB = joined(rf"""
    {w.LEAD}{w.SELF}(?:work(?:ing)? (?:at|for|as|in|from|nights|shifts|part|full|remotely|on|the) (?!it\b|this\b|
    that\b|them\b)|work(?:ing)? (?:nights|shifts|part-?time|full-?time|remotely)$|(?:started|working) (?:at|as|
    a new job|working)|joined (?!the (?:call|queue|chat|waiting))|responsible for|quit my job|left my job|retired|
    unemployed|self-employed|freelance|study|studying|on the \w+(?: \w+)? team|in the \w+(?: \w+)? team|
    on call (?:every|until|from|on|for)|(?:lead|manage|maintain|report to) (?!it|this|that|to)(?:the |a )?\w+)|
    {w.LEAD}I(?:'m| am)(?: now|[ ]also)? (?:the[ ]\w+(?: \w+){{0,2}} (?:of|on|for|at) |an? (?!bit|little|lot|few|
    big|huge|long-?time|customer|regular|member|bad|terrible|mess|fool|idiot|slow|newbie|beginner|patient|fan|new|
    user|size|tad|total|complete|good|happy|first)[\w-]+(?: [\w-]+){{0,2}}(?: (?:at|for|in|with|by|on) .*)?$)
""")

LANGUAGE = joined(rf"""
    {w.LEAD}{w.SELF}(?:speak|understand|read) (?:only |fluent |no |very little |little |some |a bit of |
    better )?{w.LANGUAGE}\b
""")

PREFERENCE = joined(rf"""
    {w.LEAD}{w.SELF_PLAIN}(?:prefer|hate|dislike|(?:can't|cannot) stand|(?:don't|do not) like) (?!(?:the|this|
    that) [\w ]*\bone\b|(?:it|this|that|them)$|a refund|your?\b|waiting(?! rooms?)\b|how\b|when\b|to (?:return|
    cancel|exchange))\S.*$
""")

RATHER = joined(rf"""
    {w.LEAD}I(?:'d| would) (?:much |always )?(?:prefer|rather) (?!not (?:say|answer|share|
    tell))(?=.*\b(?:{w.CONTACT_NOUN}|{w.LANGUAGE}|mornings?|afternoons?|evenings?|pdf|pick-?up|vegan|vegetarian|
    female|male)\b).*$
""")

HABIT = joined(rf"""
    {w.LEAD}I (?:always|never|usually|only|mostly|normally|generally|rarely) (?:(?:ever|just) )?(?:want|use|order|
    buy|wear|take|drink|eat|pay|work|hike|run|cycle|travel|deploy|test|write|review|read|come|book|sleep|camp|carry|
    commute|shop|prefer|answer|check|go|keep|bring|need|ask|pick up) (?!one|a (?:question|quick)|it\b|to (?:know|
    ask|return)|help\b)\S.*$
""")

DELIVERY_FORM = joined(rf"""
    {w.LEAD}I(?:'d like| would like| want| need| like)(?: to (?:get|receive|have))? (?:all |every )?(?:my |the |
    your )?(?:invoices?|receipts?|bills|letters|reports|replies|answers|reminders?|results|summaries|reviews|
    messages|deliveries|parcels|diffs|examples) (?:as|by|in|to|only|sent|on|at|short|with)\b.*$|
    ^(?:please )?always send (?:me )?(?:my |the )?(?:invoices?|receipts?|bills|reports|results|reminders?) (?:as|by|
    in|to|only)\b.*$
""")

SIZE = joined(rf"""
    {w.LEAD}(?:{w.SELF}(?:wear|take) (?:a |an |shoe |boot )?(?:size|medium|small|large|x+l|\d{{2}}|eu|uk|us)\b.*|
    I(?:'m| am) (?:a |about )?(?:size |EU |UK )\d.*|I(?:'m| am) (?:about )?\d[\d.,]* ?(?:m|cm|ft|feet|kg)\b.*|
    I(?:'m| am) \d+ years old$|I weigh .*)$
""")

GEAR = joined(rf"""
    {w.LEAD}{w.SELF}(?:use|own|drive|ride|run on|on) (?!it\b|this\b|that\b|them\b|these\b|the (?:page|site|website|
    phone|line|train|bus|road|way|order|checkout)\b|my way|to\b|hold|time|holiday|vacation|
    leave)(?=.*(?-i:[A-Z0-9]))\S.*$|{w.LEAD}{w.SELF}(?:have )?(?:a |an )(?:Mac\w*|iPhone|Android|Windows|Linux|
    Garmin|Pixel|Samsung|camper ?van|e-?bike)\b.*$
""")

AWAY = joined(rf"""
    {w.LEAD}{w.SELF}(?:be )?(?:away|on (?:holiday|vacation|leave|parental leave|maternity leave|paternity leave)|
    out of (?:the )?office|off|travelling|traveling|abroad|unavailable)\b.*\b(?:until|till|from|between|through|for|
    in (?:january|february|march|april|may|june|july|august|september|october|november|december))\b .*$
""")

HOURS = joined(rf"""
    {w.LEAD}I(?:'m| am|'ll be)(?: only| usually| always)* (?:reachable|available|free|at my desk|in the office|
    online) (?:only )?(?:after|before|between|in the \w+s|every|on (?:mondays|tuesdays|wednesdays|thursdays|fridays|
    saturdays|sundays|weekdays|weekends))\b.*$|{w.LEAD}(?:mornings|evenings|afternoons|weekends|{w.DAYS}) (?:work|
    suit|are) (?:best|better|fine|ok|good|bad|no good)?.*\bfor me\b.*$|{w.LEAD}I can only (?:do|come|make|manage|
    talk|take calls) .*$
""")

CHANGE = joined(rf"""
    {w.LEAD}{w.SELF}(?:stopped|gave up|given up|quit) (?:eat|drink|smok|us|tak|work|runn)\w*\b.*$|
    {w.LEAD}{w.SELF}(?:switched|changed|migrated) (?!it|off|on\b|my mind|the)(?:from|to|over|jobs|my)\b.*$|
    {w.LEAD}I(?:'m| am|'ve| have)? (?:no longer|not .{{1,30}} any ?more)\b.*$|{w.LEAD}I (?:don't|
    do not) (?:\w+ ){{1,6}}any ?more$|{w.LEAD}I(?:'ve)? (?:got married|became (?!worried|aware|concerned)|
    turned vegan|gone vegan|went vegan|retired)\b.*$
""")

MINE = joined(rf"""
    {w.LEAD}my {w.MINE}(?:'s| is| are| has changed to|: | changed to)(?! (?:not|wrong|missing|broken|still|empty|
    lost|late|too|very|so|really|amazing|great)\b) ?\S.*$
""")

SMALL_TALK = joined(r"""
    ^(?:never (?:mind|heard|again|had|seen|thought|a|in my)|always (?:a|wanted|had|been|happy|so|loved|the)|
    no (?:problem|worries|thanks|rush|idea|way|luck|joke|hurry|clue|pressure|doubt|one|offence|big)|what a\b|
    how (?:nice|lovely|kind|sad)|that's (?:so |very |really )?(?:kind|nice|great|funny|good|sweet)|it's (?:so |
    very |really )?(?:cold|hot|raining|sunny|a lovely|friday|monday)|the weather|love (?:it|this|your)|i (?:love|
    like) (?:it|this|that|the|your)|you(?:'re|[ ]are)? (?:guys )?(?:are )?(?:the best|great|amazing|so|a star|
    a lifesaver|very))\b
""")

CAUSE = joined(r"""
    ^(?:on \w[^,]{1,25},? )?(?:the|our|last|monday's|tuesday's|wednesday's|thursday's|friday's|
    yesterday's) (?:[\w'/.-]+ ){1,6}(?:failed|broke|crashed|went down|timed out|was (?:down|locked|rolled back|
    reverted|lost|delayed)|were (?:lost|delayed|rolled back)|came from|happened)\b.*\b(?:because|due to|since|when|
    from|caused by|after)\b .*$|^(?:the|our) (?:[\w'/.-]+ ){1,5}(?:was|were) caused by .+$
""")

OURS = joined(rf"""
    {w.LEAD}(?:our|the team's|the (?:company|clinic|shop|store|practice|
    project)'s) (?!(?:\w+ ){{0,2}}{w.HOUSEHOLD}\b)(?:(?!(?:and|but|because|
    when)\b)[\w'/.&-]+ ){{1,6}}?{w.SAYS} (?!{w.STATE}\b)\S.*$
""")

STAFF = joined(r"""
    ^(?:Dr|Nurse|Prof)\.? (?-i:[A-ZÀ-Ý])[\w'-]+ (?:(?:only|now|no longer|always|also|doesn't|does not) )*(?:sees?|
    is (?:on leave|away|back|out|off)|works? (?:on|from|until|mornings|afternoons|half)|takes?|starts|covers|
    moved to (?:room|the))\b .*$
""")

WE = joined(rf"""
    {w.LEAD}we(?:'re| are|'ve| have)? (?:(?:now|only|always|never|no longer|don't|do not|also|must|can't|cannot|
    still|currently|usually|all|then|fully|just) )*(?:decided to (?:stop|drop|support|use|switch|move)|agreed to|
    stopped|deploy|ship|open|close|closed|open on|accept|offer|require|support|allow|charge|release|tag|merge|
    squash|review|log|pin|cache|replace (?!it|this|that)|freeze|rotate|bill|deliver|refund|rent out|sell|repair|
    price[- ]match|restock|see (?:patients|walk-ins|children)|take (?:new patients|walk-ins|cards?|cash|
    card payments|insurance)|switched|migrated|renamed|dropped|moved (?:the|our|from|off|all|everything|
    to (?-i:[A-Z])\w+ (?:for|on|from|\d))|write (?:tests|docs|migrations|commits|adrs)|follow|test|target|store|
    use (?!it\b|this|that|them|the (?:tent|bag|stove|app|link|code)|to\b|your)|run (?!out|it|into|the (?:risk|race|
    marathon))|keep (?!get|hav|see|try|los|com|run)|treat|vaccinate|prescribe|send (?!you|it|him|her|them|the )|
    back up|branch|version|backport|fully booked|block|ban|forbid|waive|reimburse|round)\b.*$
""")

EVERY = joined(r"""
    ^(?:all|every|each|any) (?!good|the best|set|clear|right|done|of (?:this|that|it)|time|
    day\b)(?:[\w'/.-]+ ){1,6}?(?:must|needs?|has to|have to|is|are|goes|go|gets?|requires?|should|takes?|costs?|
    ships?|counts?|only|can|cannot|can't)\b \S.*$|^no [\w-]+(?: [\w-]+)? (?:on|after|before|without|during|for|in|
    to|at) \S.*$|^nobody (?:deploys|merges|ships|refunds|books|approves|pushes) \S.*$
""")

PLACE = joined(rf"""
    {w.LEAD}the (?:[\w-]+ )?{w.ORG} (?:(?:now|only|also|always|never|no longer) )*(?:{w.SAYS}) (?!{w.STATE}\b)\S.*$
""")

POLICY = joined(rf"""
    ^(?:(?:from now on|as of [^,]{{2,25}}|starting [^,]{{2,25}}|going forward|in future),? )?(?:the |
    all )?{w.POLICY_NOUN} (?:[\w'/-]+ ){{0,4}}?(?:take|takes|are|is|must|need|needs|cost|costs|go|goes|have to|
    has to|should|can|cannot|can't|may|happen|happens|only|close|closes|run|runs|live|lives|get|gets|expire|expires|
    require|requires|no longer|now)\b (?!{w.STATE}\b){w.FIRM}.*$
""")

FROM_NOW_ON = joined(r"""
    ^(?:from now on|going forward|effective (?:immediately|[\w ]{2,20})|as of (?:now|today|\w+(?: \w+)?)|
    starting (?:today|now|\w+(?: \w+)?)),? (?!i\b|i'|my\b|me\b|you\b|please\b|just\b|that's\b)(?:the |all |any |
    every |no |only )?(?:[\w'/.-]+ ){0,6}?(?:is|are|must|needs?|has|have|takes?|costs?|closes?|opens?|goes?|gets?|
    requires?|cannot|can't|can|will|runs?|use|lives?|ships?)\b \S.*$
""")

ALWAYS_NEVER = joined(r"""
    ^(?:please )?(?:always|never|do not ever|don't ever) (?!me\b|mind\b|had\b|been\b|a\b|nice|great|good|so|very|
    \w+ing\b)[a-z]+ (?!me\b)(?!.*\bagain$)\S.*$
""")
