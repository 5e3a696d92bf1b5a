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
    contact(?:ing)?) me\b(?! back)(?P<rest>.*)$
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
    (?:the )?(?:best|easiest) (?:way|time|number|place) to (?:reach|call|contact|get) me (?:is|are)|
    to (?:reach|call|get) me|you(?:'ll| will)? (?:usually |always |only )?(?:find|reach|get|catch) me (?:at|on|in|
    by|via|after|before|from|until)) .+
""")

NO_MARKETING = joined(rf"""
    {w.LEAD}(?:I (?:do not|don't) want (?:any |to (?:get|receive|be) )*(?:more )?(?:newsletters?|calls?|called|
    marketing|ads|advertising|promotions?|reminders?|{w.CONTACT_NOUN}).*|
    (?:please )?take me off (?:the|your|all|any) .*(?:lists?|mails?|newsletters?|calls|catalogues?|messages).*|
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
    {w.LEAD}{w.SELF}(?:(?<='ve )had |(?<=have )had )?(?!(?:was|were|used|made|cooked|ordered|tried|met|know|knew|
    bought|had)\b)(?:(?:(?!{w.PAST}\b|\w+ed\b)\w+ ){{0,3}}(?:allergic|intolerant|vegan|vegetarian|pescatarian|
    coeliac|celiac|diabetic|asthmatic|pregnant|epileptic|dyslexic|autistic|colou?r-?blind|deaf|hard of hearing|
    blind|left-handed|immunocompromised)\b|on (?:blood|insulin|warfarin|metformin|medication|antidepressants|
    dialysis|an? (?:(?:strict|special|liquid|low|high|gluten|dairy|sugar|lactose|keto\w*|paleo|vegan|plant|
    mediterranean|diabetic|fodmap|raw|soft)[\w-]* ){{1,2}}diet)|(?:(?:an?|the|got|bad|severe|mild|high|low|
    \w+) ){{0,4}}(?:allerg(?:y|ies)|intolerance|asthma|diabetes|epilepsy|pacemaker|adhd|migraines?|arthritis|
    blood pressure|hearing aids?|phobia|dyslexia|bad (?:knees?|back|hips?))\b|
    (?:eat|drink|tolerate|have|take) (?!{w.CONTACT_NOUN})(?:any |no )?(?:nuts?|meat|fish|gluten|dairy|milk|lactose|
    eggs?|pork|alcohol|sugar|peanuts?|shellfish|wheat|ibuprofen|aspirin|penicillin|metformin|insulin|warfarin)\b|
    react badly|get (?:(?:bad|terrible|awful|very|really|quite|easily) )*(?:(?:sea|car|travel|motion|air)-?\s?sick|
    migraines|hay fever|panic attacks|vertigo|dizzy|headaches|hives|cramps|heartburn|nosebleeds)|suffer from|
    was diagnosed|use a (?:wheelchair|hearing aid|cpap|cane)|have (?:\w+ )?surgery)
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
    near|on|with|outside|between|above|below|opposite|next (?:to|door)|under|over|within|off)|(?:live|living) by|
    (?:moved|relocated|moving) (?:back |out |over |alone )*(?:to|into|from)|from|
    come from) (?!(?:the|a|an) (?:free|team|pro|basic|premium|other|next|larger|bigger|smaller|
    \w+ (?:plan|app|version|size|tier))\b)(?!(?:this|that|it|on)\b)(?!the (?!country\w*|city|cent\w+|north|south|
    east|west|suburbs|mountains|old town|middle|outskirts|(?-i:[A-Z])[\w'-]*))\S.*$|
    {w.LEAD}{w.SELF}(?:live|living) (?:alone|here)$
""")

JOB = joined(rf"""
    {w.LEAD}{w.SELF}(?:work(?:ing)? (?:at|for|as|in|from|nights|shifts|part|full|remotely|the) (?!it\b|this\b|
    that\b|them\b)|work(?:ing)? (?:nights|shifts|part-?time|full-?time|remotely)$|
    (?:started|working) (?:at|as|a new job|working)|joined (?!in\b|
    (?:the|a|an) (?:\w+ )?(?:call|queue|chat|waiting|meeting|forum|game))|responsible for|quit my job|left my job|
    retired|unemployed|self-employed|freelance|study|studying|on the \w+(?: \w+)? team|in the \w+(?: \w+)? team|
    on call (?:every|until|from|on|for)|(?:lead|manage|maintain|report to) (?!it|this|that|to)(?:the |a )?\w+)|
    {w.LEAD}I(?:'m| am)(?: now|[ ]also)? (?:the[ ]\w+(?: \w+){{0,2}} (?:of|on|for|at) |
    an? (?!bit|little|lot|few|big|huge|long-?time|customer|regular|member|bad|terrible|mess|fool|idiot|slow|newbie|
    beginner|patient|fan|new|user|size|tad|total|complete|good|happy|
    first)[\w-]+(?: [\w-]+){{0,2}}(?: (?:at|for|in|with|by|on) .*)?$)
""")

LANGUAGE = joined(rf"""
    {w.LEAD}{w.SELF}(?:speak|understand|read) (?:only |fluent |no |basic |simple |very little |little |some |a bit of |
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
    female|male|whenever|always|every|in general|as a rule|ever|any ?more)\b).*$
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
    {w.LEAD}{w.SELF}(?:use|own|drive|ride|run on|on) (?!it\b|this\b|that\b|them\b|these\b|
    (?:platform|gate|seat|floor|level|step|track|exit|deck|row|page|line|hold) \d+|
    the (?:page|site|website|phone|line|train|bus|road|way|order|checkout)\b|my way|to\b|hold|time|holiday|vacation|
    leave)(?=.*(?-i:\b(?!I\b)[A-Z]|\d+))\S.*$|{w.LEAD}{w.SELF}(?:have )?(?:a |an )(?:Mac\w*|iPhone|Android|Windows|
    Linux|Garmin|Pixel|Samsung|camper ?van|e-?bike)\b.*$
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

# What a wish about the agent's own answers speaks of.
_REPLY = joined(r"""
    (?:repl(?:y|ies)|answers?|responses?|explanations?|summar(?:y|ies)|messages?|e?-?mails?|letters?|examples?|code|
    snippets?|bullets?(?: points)?|lists?|tables?|charts?|diagrams?|headings?|emojis?|emoticons?|exclamation marks?|
    jargon|slang|acronyms?|small talk|greetings?|apologies|disclaimers?|units?|metric|imperial|celsius|fahrenheit|
    kilomet\w+|miles|euros?|dollars|pounds|dates?|times?|24-hour|prices?|recipes?|suggestions?|recommendations?|
    links?|sources?|references?|citations?|drafts?|texts?|tone|formal|informal|first name|surname|tu|sie|du|vous|
    invoices?|receipts?|bills?|reminders?|notifications?|newsletters?|calls?|comments?|diffs?|quotes?|numbers?|
    step by step|short|brief|long|paragraphs?|sentences?|words|slots?|appointments?|seats?|hotels?|flights?|routes?|
    trains?|options?|results?|playlists?|videos?|voice (?:notes|messages))
""")

# "Use metric units with me, always", "keep your replies short from now on", "never ring before ten".
WISH = joined(rf"""
    ^(?!.*\b(?:this (?:one|time|letter|mail|text|file|paragraph)|attached|me back|in a meeting|today|tonight|
    tomorrow)\b)(?:{w.LEAD}(?:(?:please|pls|and|also|so),? )*(?:always|never|don't ever|do not ever|only ever|don't|
    do not|stop|no longer|quit|(?:you )?(?:must |should |can |may )?(?:always|
    never)) (?:please )?{w.ORDER}(?:p?ing)? .*\b(?:me|my|mine|i|i'm|we)\b.*|
    (?:(?:please|pls|and|also),? )*{w.ORDER} .*\b(?:from now on|going forward|in (?:the )?future|every time|
    each time|at all times|by default|with me|to me|for me|any ?more|ever again|
    whenever i)\b(?:.*\b(?:always|never|please|from now on|unless)\b.*|[^,]{{0,30}})|
    (?:(?:please|pls|and|also),? )*(?:keep|make|write|give|send|use|show|format|phrase|put|stick to|answer|
    reply)(?! it) .*\b{_REPLY}\b.*[, ](?:always|please always|every time|from now on|in (?:the )?future|
    at all times|by default|unless i \w+.*|whenever .+)|(?:(?:please|pls|and|also),? )*(?:don't|do not|never|
    no need to|stop) (?:ring|call|phone|text|knock|disturb|deliver|message|wake)\w*(?: me)?[ ](?:before|after|until|
    between|on|at|during|the) .*|(?:(?:please|pls|and|also),? )*no (?:more )?(?:\w+ )?(?:calls|parcels|messages|
    texts|mails?|letters|paper \w+|phone calls)(?: please)?(?: (?:before|after|until|between|on|at|during) .*|
    ,? please| at all)?|(?:(?:please|pls|and|also),? )*no .*\b(?:with|to|for) me\b.*\b(?:ever|always|please)\b.*|
    (?:(?:please|pls|and|also),? )*keep my (?:\w+ ){{1,3}}(?:private|secret|confidential|hidden|to yourselves|
    out of)\b.*|(?:(?:please|pls|and|also),? )*(?:always |only )?use my (?:\w+ ){{1,2}}(?:number|address|e-?mail|
    name|account|initials)\b.*|(?:(?:please|pls|and|also),? )*(?:no|without|skip the|spare me the|leave out the|
    drop the|enough with the) (?:more )?(?:\w+ )?(?:emojis?|emoticons?|jargon|exclamation marks?|small talk|
    bullet points|smileys|disclaimers?|apologies|newsletters?|marketing|slang|acronyms|legalese|abbreviations|
    spoilers|catalogues?|push notifications?|voice messages)(?: .*)?)$
""")
