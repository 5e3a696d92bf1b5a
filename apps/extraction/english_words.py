"""Pieces of English that several patterns share."""

from apps.extraction.languages import joined

LEAD = joined(r"""
    ^(?:(?:as of|starting|effective|since|from|after|in|on|at|for|with|during|outside|before|every|each|
    when(?:ever)?|last|next|until|ab|seit|im|desde|a partir d\w+|em|en|depuis|à partir d\w+) (?!which|whom|sure|
    now\b)(?-i:[^,.;!?:]{2,40}?)(?:[,:]|[ ](?=our|we|i\b|unser|nuestr|noss|notre))\s*|
    (?:from now on|going forward|in (?:the )?future|by default|these days|
    (?:mon|tues|wednes|thurs|fri|satur|sun)days(?= i\b| we\b)|weekends(?= i\b| we\b)|currently|nowadays|at work|
    at home|personally|for me|as a rule|in general|generally|normally|usually|mostly|mainly|ab (?:jetzt|sofort)|
    künftig|de ahora en adelante|a partir de ahora|a partir de agora|désormais|dorénavant),?\s+)?
""")

ADVERB = joined(r"""
    (?:also|now|just|only|always|never|still|no longer|both|much|far|already|rarely|seldom|often|sometimes|
    quite|too|even|all|myself|for one|as a rule|do|tend to|ever|almost always|almost never|hardly ever|long since|
    (?!apply|supply|rely|multiply|reply|comply|fly|family|only)\w+ly)
""")

SELF = joined(rf"""
    I(?:'m| am|'ve| have|'ll| will)?(?: (?:{ADVERB}|don't|do not|can't|cannot|been)){{0,5}}[ ]
""")

SELF_PLAIN = rf"I(?: (?:{ADVERB}|don't|do not)){{0,5}}[ ]"

DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun|week)days?|week-?ends?"

MONTHS = joined(r"""
    (?:january|february|march|april|may|june|july|august|september|october|november|december)
""")

HOURS = joined(rf"""
    (?:only|always|after|before|between|on (?:{DAYS})|in the (?:morning|afternoon|evening)s?|(?:early|
    late) (?:morning|afternoon|evening)s?|outside|during|from \d+|at \d+|past|later than|earlier than|any ?more|
    instead|rather|at (?:work|night|home)|(?:any|every) \w+)
""")

CONTACT_NOUN = joined(r"""
    (?:e-?mail(?:s|ed)?|text(?:s|ed| messages?)?|sms|phone(?:d| calls?)?|call(?:s|ed)?|whatsapp|telegram|signal|
    slack|chat|letters?|post|written|writing|video calls?|voice ?mails?|messages?|push)
""")

LANGUAGE = joined(r"""
    (?:(?:plain|simple|british|american) )?(?:english|german|portuguese|spanish|french|italian|dutch|polish|japanese|
    arabic|turkish|ukrainian|russian|mandarin|cantonese|chinese|korean|hindi|urdu|swedish|norwegian|danish|finnish|
    greek|hungarian|romanian|czech|welsh|irish|catalan|basque|farsi|hebrew|swahili|esperanto|sign language|bsl|asl)
""")

# How often, since when, on which occasions: what makes an act a habit.
STANDING = joined(rf"""
    \b(?:always|never|usually|only|mostly|mainly|often|regularly|every|each|daily|weekly|monthly|yearly|nightly|
    {DAYS}|in the (?:morning|afternoon|evening)s?|at night|by default|by hand|since|whenever|once a|twice a|
    \d+ times a|an? (?:day|week|month|year|night)|to (?:work|school|college|the office|uni)|
    (?:to bed|up|work|home) at (?:\d+|noon|midnight|\w+$)|at (?:home|work|school)|for (?:work|school|a living|fun)|
    as a rule|from now on|in (?:general|winter|summer|spring|autumn|(?-i:[A-Z])\w+)|anyway|any ?more|
    all (?:day|year|summer|winter|the time))\b
""")

# The agent is told to do something.
ORDER = joined(r"""
    (?:send|give|use|show|put|add|write|answer|reply|respond|keep|call|ring|text|phone|email|e-mail|message|contact|
    book|order|offer|suggest|recommend|include|explain|address|seat|remind|wake|start|end|ask|leave|deliver|charge|
    round|quote|translate|schedule|mention|share|repeat|assume|apologi[sz]e|spell|sign|abbreviate|format|list|make|
    speak|talk|set|turn|switch|play|dim|read|check|confirm|tell|let|stick|phrase|summari[sz]e|attach|copy|cc|sort|
    name|label|mark|bill|ship|serve|pack|choose|pick|avoid|skip|drop|treat|warn|notify|prepare|print|search|look|
    cite|convert|measure|count|wait|knock|park)
""")

# What points at something said or seen before, so that the clause says nothing alone.
POINTING = joined(r"""
    (?:it|this|that|these|those|them|you|your|yours|him|his|her|their|there|here|
    the (?:same|following|first|second|third|last|other|blue|red|green|black|white|grey|big|small|large|cheap\w*|
    new|old) ?(?:one|two)?|one|so|to(?! (?:work|school|college|uni|the office|the gym|church|bed|sleep))|how|what|
    when|where|why|whether|who|if|of|about|and|but|like)\b
""")

PAST = joined(r"""
    (?:was|were|had|did|got|went|came|took|gave|made|said|told|saw|found|lost|left|bought|sold|sent|paid|met|kept|
    felt|thought|knew|wrote|ate|drank|drove|rode|ran|swam|slept|woke|broke|chose|grew|began|became|built|brought|
    caught|taught|heard|held|hurt|let|put|quit|cut|set|shut|hit|spent|stood|tore|threw|understood|won|wore|forgot|
    fell|flew|spoke|spilt|burnt|learnt|dreamt|meant|lent|bent|stuck|sat|led|fed|bit|blew|drew|froze|hid|rang|sang|
    sank|shook|shot|slid|stole|struck|swore|swung|bred|bled|dug|hung|lit|sought|stung|wound|fought|retook|redid|
    rewrote|reset|spread|split|upset)
""")

# Verbs that in "I …" tell what goes on in a mind or do what they say, and so state no habit.
NOT_HABIT = joined(rf"""
    (?:am|have|has|{PAST}|will|would|shall|should|can|can't|cannot|could|may|might|must|ought|won't|wouldn't|couldn't|
    shouldn't|didn't|wasn't|haven't|hadn't|doesn't|don't|do|need|needn't|want|agree|disagree|accept|admit|afraid|
    apologi[sz]e|appreciate|assume|assure|beg|believe|bet|blame|care|claim|concur|confess|confirm|congratulate|consider|
    count(?= on)|demand|deny|deserve|doubt|expect|fail|fear|feel|figure|gather|guess|happen|hear|hope|imagine|
    insist|intend|know|lack|look|love|like|enjoy|adore|hate|loathe|detest|manage|mean|mind|miss|neither|
    notice|object|owe|plan|pray|prefer|dislike|promise|propose|realise|realize|recall|reckon|recogni[sz]e|recommend|
    regret|remember|request|second|see|seem|sense|smell|sound|spot|stand|suggest|suppose|suspect|swear|tell|thank|
    think|trust|try|understand|urge|wait|welcome|wish|wonder|worry|half|then|first|once|almost|nearly|kind|sort|not|
    sure|say|wanna|gotta|gonna|ain't|reccomend|cherish|treasure|mention|continue|require|include|become|turn|call|
    and|or|but|in|on|at|with|for|of|to|from|as|if|who|that|which|so|too|the|a|an|my|just|guarantee|hereby|vote|quote|
    suffer|relate|live|struggle|face|cannot|dare|attach|enclose|include)
""")
# Verbs that tell what the speaker does to the program of the moment, unless something says how often.
MOMENTARY = joined(r"""
    (?:click|press|tap|enter|type|select|scroll|submit|upload|download|refresh|restart|reload|log|sign|install|open|
    close|choose|send|forward|paste|copy|run|move|add|remove|delete|change|update|set|put|hit|check|test|build|
    deploy|push|pull|merge|commit|buy|order|book|pay|receive|reach|return|cancel|show|point|switch|sit|lie|walk|
    carry|hold|watch|visit|meet|spend|bring|throw|talk|go|come|get|make|give|forget|start|finish|end|begin|follow|
    learn|lose|leave|stay|ask|find|stop)
""")

MINE = joined(r"""
    (?:(?:new|current|preferred|usual|main|home|work|private|billing|delivery|shipping|postal|mobile|cell|full|
    first|last|real|favou?rite|native|first|mother|regular|default|primary|personal|emergency|old|
    other)[ -])*(?:name|surname|nickname|pronouns|e-?mail(?: address)?|address|phone(?: number)?|number|mobile|cell|
    postcode|zip(?: code)?|city|town|country|birthday|date of birth|time ?zone|shoe size|size|height|weight|inseam|
    chest|waist|head circumference|job|employer|company|team|role|title|language|tongue|gp|doctor|dentist|
    insurance(?: company| number)?|insurer|blood type|budget|laptop|os|editor|shell|bike|tent|
    member(?:ship)? number|customer number|colou?r|brand|currency|contact|working hours|office|desk|keyboard layout|
    diet|pharmacy|allergies|hobby|sport)
""")

# Persons: what they are, own or like is theirs to say. A pet is not one of them.
PERSON = joined(r"""
    (?:ex|(?:ex|step|grand)?-?(?:wife|husband|partner|boyfriend|girlfriend|fiancée?|spouse|mother|father|mum|mom|
    dad|parents?|gf|bf|hubby|missus|sisters?|brothers?|sons?|daughters?|kids?|child|children|baby|twins|toddler|
    teenager|aunt|uncle|cousins?|nieces?|nephews?|grandma|grandpa|granny|gran|friends?|mate|mates|buddy|
    neighbou?rs?|flatmates?|roommates?|housemates?|nan|nana|granddad|grandad|godmother|godfather|au pair|best man|
    bridesmaids?|babysitter|bride|groom|waiter|waitress|barber|colleagues?|coworkers?|co-workers?|teammates?|boss|
    manager|client|clients|patient|intern|predecessor|tenant|lodger|nanny|student|pupils?|in-laws|mother-in-law|
    father-in-law|family|hosts?|hostess|guide|receptionist))
""")

# What a household has: "our dog", "the nursery" tell of the speaker, not of his work.
HOUSEHOLD = joined(r"""
    (?:house|flat(?! tyre| tire)|home|apartment|cottage|bungalow|garden|lawn|hedge|balcony|patio|terrace|porch|
    hallway|nursery|(?:guest|spare|dining|play|laundry|utility|living|sitting|bath|bed)\s?rooms?|kitchen|blinds|
    curtains|radiators?|doorbell|robot vacuum|sofa|washing machine|tumble dryer|roof|chimney|front door|back door|
    gate|letterbox|newspaper|milk bottles|attic|loft|cellar|garage|driveway|shed|greenhouse|pond|fridge|freezer|
    oven|boiler|heat pump|heating|thermostat|bins?|wedding|honeymoon|marriage|anniversary|dogs?|cats?|pupp(?:y|ies)|
    kittens?|rabbits?|hamsters?|parrots?|tortoises?|hens|chickens|horses?|pony|goldfish|aquarium|pets?|cars?|van|
    camper ?van|caravan|motorbike|boat|allotment|holidays?|vacation|street)
""")

# Things of the moment: what "my …" or "our …" is about here is over soon.
PASSING = joined(r"""
    (?:order|orders|draft|application|parcel|package|shipment|booking|reservation|appointment|ticket|case|basket|
    cart|checkout|payment|transaction|session|screen|page|tab|browser|download|upload|build|job|run|query|question|
    problem|issue|point|guess|mistake|apologies|bad|fault|turn|pleasure|conversation|chat|call|message|request|
    flight|train|bus|luggage|suitcase|tent|hike|trip|money|refund|invoice|bill|receipt|food|meal|starter|steak|soup|
    only (?:question|concern|complaint)|feeling|impression|hope|idea|thought|head|luck|battery)
""")

STATE = joined(r"""
    (?:down|broken|late|delayed|failing|red|green|stuck|slow|missing|lost|wet|ripped|torn|offline|here|gone|ready|
    waiting|not working|acting up|a (?:mess|joke|nightmare|bit|disaster|pain|spaceship|riot)|great|nice|lovely|
    awful|terrible|amazing|so|too|very|really|flaky today|on fire|crashing|hanging|throwing|complaining|wrong|weird|
    going|still|running|done|finished|almost|nearly|half|about to|due|coming|paying|getting|being|making|taking|
    looking|\w+ (?:days?|hours?|commits?|minutes?) (?:behind|late|ahead|left)|behind (?:schedule|time)|ahead of|
    out of (?:order|stock|service|date|paper|ink)|\d+ (?:errors?|warnings?|issues|failures|open|left)|back up|
    back again|up again|under review|under way|trying|starting|beautiful|cute|fun|incredible|awesome|inspiring|
    perfect|fantastic|wonderful|empty|full|at \d+|what|why|how|kind of|like|just|
    not (?:here|there|loading|showing|coming)|blank|frozen|dead|in the (?:way|air|post|mail))
""")

# A verb in the present tense, third person: "runs", "is", "must".
VERB = joined(r"""
    (?:accept|allow|appear|appl(?:y|ie)|arrive|ask|assign|back|belong|bill|block|build|bundle|change|charge|check|
    close|come|compile|contain|count|cost|cover|cut|deliver|depend|deploy|drop|eat|end|exclude|expect|expire|export|
    fall|feed|fit|follow|forbid|freeze|get|give|go|grow|handle|happen|hate|have|hold|host|include|import|keep|last|
    lead|lie|listen|live|log|match|mean|meet|merge|move|need|offer|open|own|pay|point|post|prefer|print|provide|
    publish|pull|push|reach|react|shut|hang|refund|refuse|rely|renew|replace|report|require|restart|return|rotate|
    run|save|scale|see|sell|send|serve|ship|sign|sit|sleep|speak|split|stand|start|stay|stop|store|support|swell|
    switch|sync|take|talk|target|teach|test|treat|trigger|turn|run out|update|use|want|work|write)
""")

SAYS = joined(rf"""
    (?:is|are|isn't|aren't|has|must|mustn't|should|shouldn't|may|can|can't|cannot|will|needn't|only|no longer|never|
    always|now|moved|changed|don't|doesn't|do not|does not|{VERB}(?:e?s)?)
""")

FIRM = joined(r"""
    (?:.*\b(?:\d+\w*|must(?!-)|needs?|only|within|before|after|by|every|free|never|always|without|until|no longer|
    required|two|three|four|five|six|ten|twelve|fourteen|thirty|monday|tuesday|wednesday|thursday|friday|saturday|
    sunday|instead of|rather than|notice)\b|.*, not\b)
""")

POLICY_NOUN = joined(r"""
    (?:(?:new )?patients(?: under \d+)?|customers|members|visitors|tests|orders|parking|refunds?|returns?|
    exchanges?|shipping|express shipping|delivery|deliveries|gift cards?|store credit|repairs?|warrant(?:y|ies)|
    walk-ins?|cancellations?|prescriptions?|repeat prescriptions?|referrals?|vaccinations?|blood tests?|lab results|
    no-shows?|releases?|deploys?|deployments?|migrations?|backups?|hotfix(?:es)?|pull requests?|PRs?|code reviews?|
    feature flags?|integration tests?|logs|secrets|incidents?|postmortems?|rollbacks?|on-call|pre-?orders?|rentals?|
    deposits?|sale items?|opening hours|expenses?|receipts?|contractors?|interns?|freelancers?|new hires?|vendors?|
    suppliers?|schema changes|commit messages|branches|branch names|docs|documentation|invoices?|quotes?|samples?|
    meetings?|overtime|holidays?|sick notes?|laptops?|visitors'? badges?|purchases?|contracts?|leads|tickets|
    escalations?|complaints?|dashboards?|alerts?|credentials|passwords|tokens|endpoints?|apis?|images?|containers?|
    packages?|dependencies|libraries|commits|hot desks?|deliver(?:y|ies)|stand-?ups?|retros?|timesheets?|shifts?|
    taxis?)
""")

ORG = joined(r"""
    (?:shop|store|library|charity|agency|school|restaurant|canteen|warehouse|showroom|workshop|vaccination room|
    waiting room|entrance|car park|clinic|practice|surgery|office|front desk|reception|pharmacy|lab|company|team|
    staging cluster|staging|production|prod|pipeline|repo|monorepo|main branch|service|api|ci|release train|
    release freeze|code freeze|on-call (?:rota|rotation)|deploy (?:window|freeze)|switchboard|call ?centre|
    call ?center|hotline|price match|loyalty programme|loyalty program|stand-?up|services?|servers?|database|cache|
    scheduler|gateway|cluster|dashboard|wiki|rota|freezer|printer|depot|archive|registry|vault|proxy|keys?|
    key cabinet|safe|licen[cs]e|contract|budget|brand \w+|style guide|style sheet|house style|newsletter|helpdesk|
    help desk|lift|loading bay|canteen|archive|lab|ward|theatre|stockroom)
""")
