"""English frames in which people tell of themselves, whatever they tell: "I'm …", "I have …", "my …", "… suits me".

The narrow patterns of ``english`` come first, as they also know how to file what they find. A frame trusts the grammar:
"I" with a verb in the simple present tells a habit, unless the verb tells what goes on in a mind or on a screen.
"""

from apps.extraction import english_words as w
from apps.extraction.languages import joined

_BE = rf"I(?:'m| am)(?: not)?(?: {w.ADVERB})*"
_NOT_NOW = (
    r"(?!.*\b(?:right now|at the moment|today|tonight|tomorrow|in (?:a|five|ten|two) (?:minutes?|moment|sec\w*)?)\b)"
)
_DATE = rf"(?:\b(?:{w.MONTHS}|until 20\d\d|next (?:year|month|spring|summer|autumn|winter|january|may)|(?:spring|summer|autumn) 20\d\d)\b|\b\d{{1,2}}/\d{{1,2}}\b)"

# "I'm left-handed", "I'm scared of flying", "I'm new to Rust".
TRAIT = joined(rf"""
    {w.LEAD}{_BE} (?:very |so |a bit |quite )?(?:(?:partially |visually |short-?|long-?|near-?|far-?|right-|left-|right |left |semi-|
    mostly |legally |profoundly |half )*(?:sighted|impaired|handed|footed|deaf|blind|retired|ambidextrous|disabled|paralysed|
    bilingual|trilingual|multilingual|fluent|single|married|divorced|widowed|engaged|separated|self-employed|
    unemployed|freelance|freelancing|teetotal|sober|nocturnal|claustrophobic|squeamish|neurodivergent|colou?r-?blind|
    anaemic|hypertensive|gluten-free|dairy-free|car-free|childless|child-free|remote|part-time|full-time|immune|
    underage|right-brained|short-tempered|tone-deaf|double-jointed|post-op|dyspraxic|hypermobile|bipolar|narcoleptic|arthritic|anosmic|diabetic|asthmatic|epileptic|anaphylactic|haemophiliac|hyposensitive|hypersensitive|jewish|muslim|catholic|christian|hindu|
    buddhist|sikh|atheist|gay|lesbian|bisexual|trans|non-binary)\b|
    (?:scared|afraid|terrified|frightened|wary|fond|proud owner|tired of) (?:of|to)? ?(?!{w.POINTING})\w|
    (?:allergic|intolerant|sensitive|prone|partial|new|addicted|averse|accustomed|immune|married|engaged|used|
    subject|resistant|susceptible) to (?!{w.POINTING})\w|
    (?:good|bad|hopeless) (?:on the phone|in (?:crowds|groups|company)|under pressure)|(?:good|bad|terrible|hopeless|useless|rubbish|no good|better|best|slow|quick) (?:at|with) (?!{w.POINTING})\w|
    (?:keen on|crazy about|mad about|passionate about|picky about|fussy about|strict about|
    big on|into) (?!{w.POINTING})\w|
    (?:responsible|accountable) for|in charge of|(?:based|born|raised|registered|enrolled|insured|certified|qualified|
    licensed|accredited|trained|subscribed|employed|stationed|domiciled) (?:in|on|at|with|as|to|by|for|near|outside)\b|
    (?:allowed|supposed|permitted|able|entitled|obliged|required) (?:to )?(?:only |no )?(?:eat|drink|drive|fly|lift|
    sign|approve|work|run|swim|have|leave|travel|use|share|see|hear|stand|walk|sit|claim|bend|climb)\b)
""")

# "I'm a night owl", "I'm the tech lead", "I'm Teo", "I'm 71".
BEING = joined(rf"""
    {w.LEAD}{_BE} (?:(?:more of an?|not much of an?|the only \w+ (?:in|of|at|here|who)|(?:an?|one of the|the|your) (?!(?:{w.ADVERB} )*(?:little|bit|lot|few|tad|touch|mess|fool|idiot|
    loser|failure|bad liar|millionaire|genius|customer|user|one\b|only|last|next|first|second|happy|sad|lucky|
    angry|member here|stranger to|big boy|grown|better|best|worst|total|kind of|sort of|(?:huge|big|great|massive) (?:fan of
    [ ](?:your|this|that|the idea)|believer)|(?:\w+ )?(?:fan|admirer|lover) of (?:your|this|that|it)))(?!(?:\w+ ){{0,2}}one\b)(?:[\w'/&.-]+))|
    (?-i:[A-Z]\. [A-Z]\w+|[A-Z][a-zà-ÿ'-]+(?: (?:de |da |van |von |Le )?[A-Z][a-zà-ÿ'-]+)*)(?:$|,|[ ](?:from|and|with|by|for short)\b)|
    (?:nearly |almost |over |under |about |only |still )?(?:[1-9]\d|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?|
    (?:thir|four|fif|six|seven|eigh|nine)teen)(?: years? old| now|,|$|[ ]and\b)|
    (?:in my (?:\w+|\w+ year|early \w+|late \w+|mid \w+)(?: of (?:an?|my|the) |$| at\b)|
    in (?:my|the) (?:first|second|third|fourth|fifth|final|last) (?:year|term|semester|trimester|month)|
    in (?:year|grade|class) \w+|in (?:sales|marketing|accounting|accounts|finance|logistics|hr|procurement|it|operations|
    support|recovery|remission|training|school|college|uni\w*|secondary school|high school|therapy|
    a wheelchair|an? (?:\w+ )?(?:band|choir|club|relationship|union|league|squad|orchestra|book club)))|
    (?:on|under|off|without) (?!(?:step|page|line|hold|level|item|question|ticket|hotspot|mobile|wifi|wi-fi|call|it|the
    [ ](?:phone|line|train|bus|road|way|website|site|page|call)|my (?:way|phone|mobile|lunch)|a (?:call|train|bus|break|
    roll)|the (?:hunt|lookout|fence|same|edge|other|verge|mend)|lunch|fire|track|top|edge|board|time|time|deadline|pressure|attack|branch|to|duty)\b)
    (?:an? (?:old |new )?(?-i:i?[A-Z])\w+|(?:an? |the |my |any )?(?:[\w-]+ ){{0,3}}?(?:diet|pension|budget|visa|plan|tariff|tier|team|squad|board|committee|council|contract|
    shifts?|course|medication|meds|pump|waiting list|rota|leave|benefits|probation|parole|payroll|electoral roll|social media)|nights|days|earlies|lates|call|statins|insulin|antidepressants|medication|methadone|warfarin|
    metformin|blood thinners|beta blockers|dialysis|parental leave|maternity leave|paternity leave|sick leave|
    benefits|disability|alcohol|sugar|gluten|dairy|meat|caffeine|cigarettes|carbs|social media|(?-i:[A-Z])[\w+.-]+|
    [a-z]+ (?:\d|plan|tariff|tier|team|squad|shift|contract))\b|
    with (?:the |an? )?(?:(?-i:[A-Z])[\w'&.-]+|\w+ (?:council|bank|department|team|agency|union|ministry|university))|
    at (?:the )?(?-i:[A-Z])[\w'&.-]+(?: (?-i:[A-Z])[\w'&.-]+)*|(?:at|with) (?:the|an?) (?:\w+ ){{0,2}}(?:board|council|bank|hospital|university|ministry|agency|
    department|school|institute|museum|police|union|college|brewery|bakery)\b|(?:half-?way|midway|part of the way) through (?:my|an?|the) (?:\w+ ){{0,2}}(?:degree|course|
    apprenticeship|training|phd|masters?|traineeship|thesis|novel|book)|(?:the )?(?:head|chair|captain|leader|owner|director|manager|secretary|treasurer|president|member|part|editor|founder) of|a member of|between (?:two )?jobs|out of work|
    no (?:good (?:at|with)|morning person|night person|fan of|beginner|longer)\b)
""")

# "I'm learning Greek", "I'm retiring at the end of March".
DOING = joined(rf"""
    {w.LEAD}{_NOT_NOW}{_BE} (?:living|working (?:at|for|as|from|in|part|full|nights|two|towards|with)|studying|learning|
    training (?:for|to|as)|teaching|coaching|raising|expecting|saving|putting (?:aside|money)|retiring|renting|breastfeeding|
    doing (?:an?|my) (?:phd|degree|course|apprenticeship|masters?|bachelors?|internship|training|traineeship|\w+ degree)|
    recovering from|trying to (?:quit|lose|cut|eat|give up|learn|save|sleep|get (?:pregnant|fit)|conceive|stop|avoid|
    reduce|drink)|writing an? (?:book|novel|thesis|memoir|dissertation|cookbook)|renovating|restoring|building an? (?:\w+
    [ ])?(?:house|shed|cabin|boat|canoe|kit|robot|treehouse)|running an?|caring for|looking after (?:my|two|three)|
    taking (?:an? (?:\w+ )?(?:course|class|break from)|medication|antibiotics|antidepressants|blood|insulin|lessons)|
    seeing an? (?:\w+ )?(?:therapist|physio\w*|specialist|counsellor)|cutting (?:down|out|back)|avoiding|
    getting married|having (?:my|a|an) (?:\w+ )?(?:baby|surgery|operation|wisdom)|moving (?:to|in|out|back)|
    leaving (?:the|my|for)|changing (?:jobs|schools|careers)|switching (?:to|jobs|schools|from|careers)|
    (?:\w+ing) (?!to\b|of\b|about\b).*{_DATE})(?!.*(?:\bon (?:it|this|that)\b|\bnow$))
""")

# What people have for long. "I have a question" is none of it.
_BELONGINGS = joined(rf"""
    (?:kids?|child|children|sons?|daughters?|boys?|girls?|twins?|triplets|bab(?:y|ies)|toddlers?|teenagers?|grand(?:child|children|son|daughter)s?|brothers?|
    sisters?|siblings?|(?:step|foster)\w+|famil(?:y|ies)|wife|husband|partner|girlfriend|boyfriend|carer|nanny|cleaner|
    pets?|dogs?|cats?|pupp(?:y|ies)|kittens?|rabbits?|hamsters?|guinea pigs?|parrots?|budgies?|birds?|tortoises?|turtles?|snakes?|lizards?|geckos?|fish|
    hens?|chickens?|ducks?|geese|goats?|sheep|pigs?|cows?|horses?|pon(?:y|ies)|donkeys?|bees|beehives?|hives|ferrets?|rats?|aquariums?|beagle|labrador|
    poodle|spaniel|terrier|greyhound|dachshund|collie|retriever|shepherd|rescue \w+|
    house|flat|apartment|studio|cottage|cabin|farm|garden|allotment|balcon(?:y|ies)|terrace|patio|garage|cellar|attic|shed|greenhouse|pool|pond|sauna|
    workshop|garden plot|orchard|vineyard|bakery|shop|store|business|company|firm|practice|studio|boiler|fireplace|stove|wood burner|heat pump|solar panels?|
    oven|air ?fryer|dishwasher|freezer|washing machine|dryer|microwave|induction hob|gas hob|espresso machine|sewing machine|3d printer|
    cars?|vans?|camper ?vans?|caravans?|lorr(?:y|ies)|trucks?|tractors?|motorbikes?|motorcycles?|scooters?|bikes?|bicycles?|e-?bikes?|cargo bikes?|boats?|
    canoes?|kayaks?|yachts?|narrowboats?|trailers?|roof box|tow ?bar|wheelchair|walker|crutches|cane|stick|prosthe\w+|hearing aids?|glasses|contact lenses|
    bifocals|braces|dentures|crowns?|implants?|fillings?|pacemaker|stent|stoma|catheter|insulin pump|inhaler|epipen|cpap|orthotics|insoles|
    phone|smartphone|tablet|laptop|macbook\w*|desktop|printer|scanner|camera|console|smart ?watch|e-?reader|kindle|projector|record player|amplifier|
    piano|guitars?|violin|cello|drum kit|drums|trumpet|flute|synth\w*|telescope|lathe|kiln|loom|microscope|drone|
    allerg(?:y|ies)|intolerances?|asthma|diabetes|epilepsy|migraines?|arthritis|eczema|psoriasis|adhd|autism|dyslexia|dyscalculia|aphasia|tinnitus|vertigo|
    insomnia|anxiety|depression|ptsd|ibs|ms|copd|cancer|endometriosis|osteoporosis|scoliosis|sciatica|glaucoma|cataracts|hypertension|reflux|gout|anaemia|
    haemophilia|phobia|fear of|stammer|stutter|lisp|limp|tremor|condition|disability|disorder|disease|syndrome|deficiency|scar|(?:slipped |herniated )?discs?|hernia|metal plate|
    (?:bad|weak|stiff|artificial|fused|dodgy|sensitive|dry|oily|curly|long|short|grey|red|blond\w*|narrow|wide|big|small|flat|high|low|strong|thin|fine|good|
    poor|sharp|no|perfect|sweet) (?:\w+ )?(?:legs?|arms?|fingers?|eyesight|eyes|hearing|skin|hair|feet|foot|hands?|back|knees?|hips?|shoulders?|heart|stomach|teeth|nose|blood pressure|
    pitch|tooth|memory|sense of \w+|tolerance|arches|wrists?|neck|lungs|gums)|sense of (?:smell|taste|direction|humour|balance)|
    degree|diploma|phd|doctorate|masters?|bachelors?|a-levels|apprenticeship|certificate|qualification|licen[cs]e|driving licen[cs]e|permit|visa|green card|
    citizenship|nationality|passports?|residence permit|blue badge|power of attorney|security clearance|
    season ticket|railcard|bahncard|annual pass|year pass|monthly pass|travel pass|bus pass|library card|membership|subscription|loyalty card|gold card|
    mortgage|loan|pension|contract|policy|insurance|lease|account with|savings account|tattoos?|piercings?|beard|accent|
    jobs?|part-time job|second job|side business|blog|podcast|channel|band|team of|shift|night shifts|day off|lunch break at|deadline|budget|curfew|
    collection|vintage \w+|stammtisch|hobby|hobbies|sweet tooth|green thumb|photographic memory|routine|rule|habit|tradition|preference|
    middle name|nickname|\w+ (?:named|called) (?-i:[A-Z]\w+)|smart ?home|wi-?fi|fibre|internet|landline|tv|television|smartphone|credit card|car|driver'?s licen[cs]e|social media|facebook|whatsapp|instagram|
    (?:trouble|difficult(?:y|ies)|problems?) (?:hearing|seeing|sleeping|walking|breathing|reading|swallowing|concentrating|standing|climbing|
    remembering|with (?:my (?:\w+ )?(?:back|knees?|eyes|hearing|hips?|heart|feet|hands|skin|stomach)|stairs|steps|numbers|names|crowds|noise))|kidneys?|lungs?|{w.DAYS} off|lift|stairs|parking space|driveway|spare room|guest room|storage|doorbell|letterbox)
""")

# "I've got twin boys", "I have a beagle called Biscuit", "I have no sense of smell".
HAVING = joined(rf"""
    {w.LEAD}{_NOT_NOW}(?:(?:I(?:'ve got| have got| have|'ve| haven't got| haven't)(?: {w.ADVERB})*|I (?:don't|do not) (?:{w.ADVERB} )*have|I (?:{w.ADVERB} )+have) (?:only )?
    (?:(?:an?|no|any|my own|our own|the|one|two|three|four|five|six|seven|eight|nine|ten|twelve|\d+|both|several|many|some|very|quite|really|too) )*
    (?:(?!(?:and|or|but|in|on|at|of|to|with|my|your|this|that|question|problem|issue|about|for|the)\b)[\w'-]+ ){{0,3}}?{_BELONGINGS}\b
    (?! (?:open|here|today|issue|problem|question|number \d|ready|delivered|waiting|in (?:my|the) (?:hand|arms|lap|bag|basket|cart|car))\b)|
    I(?:'ve| have) had an? \S.*\b(?:since|for (?:\w+ ){{1,2}}years)\b|I (?:always|usually|only|never|mostly) have (?!to\b|been\b|had\b|an?\b|the\b|trouble|time|fun|{w.POINTING})\w|
    (?:I (?:don't |do not )?(?:{w.ADVERB} )*own|I hold) (?!{w.POINTING}|my (?:words?|breath)|two identical|three identical|up\b|responsibility)\S)
""")

# "I like jazz", "I can't stand coriander", "I much prefer bullet points to long paragraphs".
TASTE = joined(rf"""
    {w.LEAD}{_NOT_NOW}I (?:(?:{w.ADVERB}|don't|do not|can't|cannot|couldn't) )*(?:like|love|enjoy|adore|hate|loathe|detest|
    dislike|prefer|favour|avoid|stand|bear|abide|stomach|miss out on|go for|opt for|stick to|swear by|steer clear
    of|root for|object to|support (?-i:[A-Z]))(?:,? [\w ]+,)? (?!{w.POINTING}|the (?:idea|look|sound|thought|way|new|fact|
    feel|colou?rs?|design|pic\w*|photo)\b|(?:hearing|seeing|waiting|watching you|to (?:know|see|thank|hear|add|say|think|
    point|ask|order|return|cancel|book|be able|exchange|help|believe))\b|a refund|my (?:new )?(?:order|tent|parcel|
    purchase)|some\b|everything|all (?:of )?(?:this|that|it|the)|being able|knowing)\S.*$
""")

# "I can't eat nuts", "I can read music", "I need step-free access", "I have to be home by five".
ABLE = joined(rf"""
    {w.LEAD}{_NOT_NOW}(?:I (?:{w.ADVERB} )*(?:can|can't|cannot|can not|could never|must not|mustn't|may not|won't(?= (?:use|install|download|pay|sign|share|give|accept|fly|eat|buy|wear)\b)|will not|
    refuse to|never) (?:{w.ADVERB} )*(?:eat|drink|drive|swim|sleep|speak|walk|climb|lift|tolerate|digest|fly|ride|cook|sing|
    dance|bend|kneel|wear|smoke|(?:do|make|manage) (?:{w.DAYS}|mornings|evenings|nights|stairs|weekends|lunches|calls|video|heights)|
    work (?:{w.DAYS}|nights|late|on|more|past|before|after|evenings|weekends)|have (?:dairy|gluten|nuts|milk|
    eggs|alcohol|caffeine|sugar|wheat|shellfish|pets)|hear (?:well|high|on|out|much)|see (?:well|much|colou?rs?|red|at night|
    small)|smell|read (?:music|braille|small|maps|cyrillic|sheet|arabic|the small)|play (?:the|chess|piano|guitar)|take (?:
    penicillin|aspirin|ibuprofen|stairs|the stairs|calls|tablets|pills|cash|\w+cillin)|sit (?:for|still|on)|stand (?:for|up
    [ ]for)|use (?:stairs|the stairs|cash|touch|my (?:left|right)|a (?:mouse|keyboard))|type (?:with|only)|
    sign (?:in with|up with|contracts|anything)|(?:take|handle|stand|bear|do|tolerate|manage) (?:any |much |too much )?(?:heat|cold|noise|spic\w+|chilli|stress|sun|salt|sugar|caffeine|heights|crowds|smoke)|
    use (?:an? |the |your )?(?:app|chatbot|portal|machine)|touch[- ]type|lip-?read|juggle|code|program|sew|knit|afford more|accept
    [ ](?:cookies|cash)|travel (?:by|on|without|far)|attend|commit to|buy (?:from|leather)|meet (?:before|after|on)|be
    [ ](?:reached|called|disturbed|in (?:the )?office)) ?(?!(?:it|this|that|these|them|you|your)\b)|
    I can only|I only (?:want|need) (?!to\b|it\b|this|one\b|an?\b|the\b)|I(?:'m| am) only able to|I (?:{w.ADVERB} )*(?:have to|must|need to) (?:be|leave|pick up|take|avoid|
    eat|keep|wear|lie|rest|use|collect|finish|start) (?!(?:it|this|that|able|sure|careful|back|honest|a (?:look|break|
    minute|moment|picture))\b).*(?:{w.STANDING}|\bby \d|\bat \d|\bbecause\b)|
    I (?:{w.ADVERB} )*need (?!to\b|help\b|it\b|this\b|that\b|you\b|your\b|some\b|one\b).*(?:{w.STANDING}|
    \b(?:wheelchair|step-free|stair|ramp|lift|ground floor|large(?:r)? print|big(?:ger)? (?:letters|font|type|text)|
    subtitles|captions|interpreter|quiet|legroom|aisle|vegan|vegetarian|halal|kosher|gluten|lactose|nut-free|
    glasses|extra time|dark mode|contrast|screen reader|sleep|to (?:read|see|walk|sleep|hear|function|concentrate))\b)|
    I(?:'d like|'d prefer| want| would like| would prefer| expect) (?!to (?:order|book|buy|return|cancel|change|know)\b).*
    (?:every time|always|from now on|each time|whenever|in (?:the )?future|never|going forward|in general|by default))|
    ^(?:when(?:ever)?|every time|each time|any time) [^,]{{3,40}}, I(?:'d like| want| need| would like| expect| prefer) \S.*
""")

# "I cycle to work", "I don't own a car", "I never click links in mails".
_ACT = r"(?:[a-z]{2,}(?<!ed)(?<!ing)(?<!ly)|feed|breed|weed|fly|rely|apply|bring|sing|ring)(?:-[a-z]+)?"
HABIT = joined(rf"""
    {w.LEAD}{_NOT_NOW}(?:I (?:(?:{w.ADVERB}|don't|do not|refuse to|try to) )*(?!(?:{w.NOT_HABIT}|{w.ADVERB}|{w.MOMENTARY})\b)|
    (?=.*{w.STANDING})I (?:(?:{w.ADVERB}|don't|do not|refuse to|try to) )*(?!(?:{w.NOT_HABIT}|{w.ADVERB})\b)){_ACT}
    (?: (?!{w.POINTING})(?!(?<=keep )\w+ing\b)[\w'"].*|(?<=smoke|snore)$|(?<=drive|dance|paint|teach|cycle)$|(?<=knit|sing|swim|farm)$|(?<=stutter|stammer|commute)$|(?<=freelance|volunteer)$)|
    {w.LEAD}I (?:(?:{w.ADVERB}|don't|do not) )*(?:go to (?:bed|sleep|church|mosque|synagogue|school|uni\w*|therapy|the gym|college)|get up|wake up|
    run (?:an?|the|my own|our|two|three) (?!risk|numbers?|tests|latest|same|app|dishwasher|washing|show|test|query|command|script|build|check|scan|update|report|job|program|marathon|virus)\w+|
    (?:think|work|sleep|write|focus|concentrate|(?:remember|learn|understand|follow) \w+|remember|hear|see|read) (?:far |much )?(?:best|better|worse|poorly|badly)|(?:make|bake|brew|grow|cook|sew|knit|roast|mill|dye|press|cure) my own|learn (?:far |much )?(?:best|better|by|from|more)|go (?:by|running|swimming|climbing|hiking|skiing|dancing|sailing|without|on foot))\b(?!.*\b(?:now|soon|then)$).*
""")

# "I grew up near Cork", "I tore my hamstring in January", "I've switched to tea".
LIFE = joined(rf"""
    {w.LEAD}(?:I(?:'ve| have)? (?:{w.ADVERB} )*(?:moved (?!on\b|it|the|my|this|that|to the (?:team|free|pro|basic|\w+ plan))|
    relocated|left (?-i:[A-Z])[\w']+|moved my (?:practice|office|business|shop|studio|account|salon|workshop)|emigrated|immigrated|grew up|was (?:(?:born|raised|brought up) (?:in|on|near|at|with|without|to) (?:(?-i:[A-Z])|the|\d|an? (?!git\b)\w+)|(?:diagnosed|adopted|widowed|vaccinated|
    promoted|laid off|made redundant|elected|baptised))|been (?:\w+ing (?!on hold|here).*\bsince (?:20\d\d|{w.MONTHS}|last|the)|diagnosed|vegan|vegetarian|sober|married|divorced|retired|
    clean|living|teaching|learning|promoted|self-employed|with (?-i:[A-Z])|an? \w+.* (?:since|for)|off \w+ since)|
    got (?:married|divorced|engaged|promoted|an? (?:\w+ )?(?:dog|cat|puppy|kitten|job|baby|promotion|degree|
    diploma|allotment))|became (?!aware|worried|concerned|clear)|turned (?:\d\d|vegan|vegetarian)|gone (?:vegan|
    vegetarian|freelance|part-time)|went (?:vegan|vegetarian|freelance|part-time|blind|deaf)|gave up|given up|
    stopped (?!by|at|the|it|receiving|getting)|quit|retired|graduated|qualified|trained as|majored in|
    studied \w+(?: \w+)? (?:at|in)|enrolled|signed up (?:for|to)|subscribed|unsubscribed|opted out|adopted|took over|inherited|(?:deleted|closed|cancelled|shut|gave back) my (?:\w+ )?(?:account|mailbox|profile|card|membership|subscription|licence|\w+)|
    sold (?:my|our|the) (?:house|flat|car|bike|van|boat|business|company|shop|firm|motorbike)|
    bought (?:an?|my|our|the) (?!(?:same|ticket|wrong|\w+ ticket|coffee|tent|bag|pair)\b).*(?:in (?:spring|summer|autumn|winter|{w.MONTHS})|(?:last|this) (?:year|spring|
    summer|autumn|winter|month)|years? ago|in 20\d\d|only)|joined (?!(?:in|the (?:call|queue|chat|meeting|waiting|wifi))\b)|
    started (?:working|a new job|at|as|my own|a (?:business|degree|course|diet|job|company)|(?:learning|eating|taking|
    teaching|studying))|switched (?:to|from|over|jobs|schools|careers)|changed (?:jobs|my name|schools|careers|employers?)|
    had (?:my|an?) (?:\w+ ){{0,2}}(?:surgery|operation|stroke|heart attack|bypass|transplant|baby|stent|pacemaker|implant|
    hip|knee|replacement|hysterectomy|miscarriage|seizure|concussion|burnout|removed|replaced)|(?:broke|tore|sprained|injured|
    fractured|dislocated|hurt|lost|damaged) my (?:{w.ADVERB} )?(?:left |right |lower |upper |driving |driver's )*(?:arm|leg|ankle|wrist|
    back|knee|shoulder|hip|foot|hand|neck|hamstring|achilles|ligament|meniscus|collarbone|rib|hearing|sight|sense|
    licen[cs]e|job|voice|thumb|finger|toe|elbow|tendon)|never (?:went to|learned|learnt|finished|had (?:an?|any|the|chickenpox|
    measles|covid)|got (?:my|a)|owned|learned to|smoked|drank|touched|married)|retrained|converted to)\b|
    I(?: {w.ADVERB})* (?:don't|do not) .*\bany ?more$|I(?:'ve not| haven't| have not) \w+ .*(?:\b(?:in|for) (?:\w+ ){{1,2}}years\b|\bsince \d{{4}}).*$|
    (?!I(?:'ve| have)? (?:just|got an? error|paid|ordered|had the)\b)I(?:'ve)? (?:{w.PAST}|\w+ed) (?!it|this|that|you|so\b).*
    ,? (?:which is why|that's why|that is why|this is why|hence|ever since|since then)\b|
    (?!(?:we|our)\b)(?:(?:you|they|the|my|last|your|an?|some\w*) )(?:[\w'-]+ ){{0,4}}?(?<!is )(?<!are )(?:{w.PAST}|\w+ed)\b(?=.*\b(?:me|my|i)\b).*, (?:which is why|that's why|this is why|hence)\b)
""")

# What "my … is" may be followed by: a name, a number, a kind, a place or a lasting quality; "my train is late" has none.
_LASTING = joined(rf"""
    (?:an?|the|one of|my|our|in|on|at|from|with|by|near|next|behind|opposite|below|above|between|called|named|spelt|spelled|\d\S*|[#€$£]\S+|(?-i:[A-Z])\S*|
    i[A-Z]\w+|\S+@\S+|half|two|three|four|five|six|seven|eight|nine|ten|twelve|\w+ed (?:on|in|at|by|every|with|to|for)|no longer|not|always|never|only|just|
    too (?:small|big|narrow|low|high|weak)|very (?:small|sensitive|dry|low|high|old|bad|poor|weak|limited|narrow)|tiny|small|large|big|narrow|wide|steep|old|ancient|
    electric|hybrid|diesel|automatic|manual|vegan|vegetarian|gluten-free|deaf|blind|low|high|short|long|bad|poor|weak|basic|fluent|limited|strict|sensitive|dry|oily|
    flat|artificial|wooden|leather|rented|listed|shared|private|confidential|curly|grey|blond\w*|red|brown|black|white|blue|green|yellow|pink|purple|male|female|
    single|married|allergic|retired|pregnant|due|pescatarian|{w.DAYS}|{w.MONTHS}|they|she|he|\w+/\w+)
""")

# "My home airport is Bristol", "my bins are collected on Tuesdays", "all my bulbs are Hue".
MY = joined(rf"""
    {w.LEAD}{_NOT_NOW}(?:(?:all|most|both|one|two|three|some|half)(?: of)? )?my (?!(?:\w+ )?(?:bank|gym|airline|provider|council|insurer|school|employer) (?!is\b|are\b|has\b|car\b|phone\b)|dream\b|life's\b)(?!(?:(?!(?:is|are)\b)[\w'-]+ ){{0,2}}?(?:{w.PERSON}|{w.PASSING})(?:'s)?\b)
    (?:(?!(?:and|but|because|when|that|which|who|is|are)\b)[\w'/.&-]+ ){{0,5}}?(?:[\w/.&-]+)(?: for [\w ]{{2,30}}|
    [ ](?:at|in|on) [\w ]{{2,30}})?(?:'s(?= (?:an?|the|in|on|at|\d+|(?-i:[A-Z])\w*)\b)|(?: (?:also|now|always|only|usually|currently|still))* (?:(?:is|are)(?=(?: (?:{w.ADVERB}|usually|currently))* {_LASTING}(?:\W|$))(?! the (?:\w+ ){{1,2}}one\b)|isn't|aren't|has|have|
    must|should|can't|cannot|loves?|changed|has changed(?: to)?|doesn't|don't|only|never|swells?|hurts?|consists of|{w.VERB}(?:e?s)?)|[ ]=)(?: {w.ADVERB})* (?!(?:{w.STATE}|(?<=keep )\w+ing|(?<=keeps )\w+ing|one bar|numb|sore|swollen|bleeding|itchy|runny|stiff|asleep|been|\w+in'|not|wrong|missing|empty|dead|
    stuck|killing|what|when|where|how|why|if|that|(?<!belong )to)\b)\S.*$|
    {w.LEAD}my favou?rite (?!(?:one|part|thing)\b)(?:[\w-]+ ){{1,4}}(?:is|are) (?!{w.POINTING}|when|how)\S.*$|
    {w.LEAD}my (?:\w+ ){{0,2}}(?:boss|manager|supervisor|doctor|gp|dentist|therapist|physio\w*|lawyer|solicitor|accountant|
    landlord|landlady|agent|contact|emergency contact|next of kin|assistant|deputy|backup|buddy|mentor|advisor|
    coach|tutor|professor|midwife|vet|partner|wife|husband|carer|guardian|proxy|stand-in|replacement|coordinator|
    representative|account manager|case worker|instructor|trainer|pharmacist) (?:is|'s|are|is called) (?:now |called |my
    [ ]\w+ |the |our |an? |at )?(?:Dr |Mr |Mrs |Ms |Prof )?\.?[ ]?(?-i:[A-ZÀ-Ý])[\w'-]+.*$
""")

# "Finnish is my mother tongue", "evenings suit me best", "boats make me sick", "peanuts could kill me".
TO_ME = joined(r"""
    ^(?!(?:i|i'm|i've|here|there|now|it|this|that|he|she|they|what|which|who|you|these|those|nothing|something|everything(?! (?:after|before|with|above|over|below|under))|life|music|art|
    nature|family|therapy|friends?|the (?:fact|thought|idea|update|error|page|site|app|new|last|first|bill|second))\b)
    (?:(?!(?:and|but|because|that|which|who|said|says)\b)[\w'/&,.-]+ ){1,8}?(?:
    (?:is|are) (?:my|mine)(?: (?:favou?rite|mother tongue|native|first|second|main|only|own|go-to|limit|thing|
    passion|hobby|comfort|default|usual|weak|strong|least|home|day off|middle|maiden|real|full|nick\w*|safe|number|absolute|
    preferred|blood|budget|birthday|anniversary|last|emergency|doctor|dentist|team|club|deadline|kind|size|territory|
    job|responsibility|turf))?\b|
    (?:isn't|aren't|is not|are not) (?:mine|for me|my (?:thing|cup|style|name|number|address|job|size))\b|
    (?:is|are) (?:not |never |off limits |out of the question |too \w+ |bad |best |better |fine |okay |ok |perfect |ideal |
    enough |impossible |difficult |easier |easiest |hard |a must |essential |no good |new |no option |
    plenty |good |a no |a no-go |no-gos |not an option |not my thing |a problem |a challenge |trouble |torture |hell )+for me\b|(?:is|are) (?:a must|off limits|out of the question|no option) for me|
    (?:doesn't|don't|does not|do not|never|won't) (?:work|agree|suit|sit well|go down well)(?: well)?(?: for| with)? me\b|
    (?:works?|suits?|fits?|is fine|are fine)(?: best| better| well| fine| much better| far better)?(?: for)? me
    (?: (?:best|better|well|fine|more|most|far better))?\b(?!$)|
    (?:works?|suits?|fits?)(?: best| better| much better| far better)(?: for)? me|suits? me|
    (?:always |usually |often )?(?:makes?|leaves?|keeps?|gives?|sends?|brings?|gets?) me (?:(?:terrible|bad|awful|severe|horrible|really|very|quite|so) )*(?:sick|ill|nauseous|dizzy|
    sleepy|drowsy|tired|anxious|nervous|jittery|awake|panic|bloated|itchy|wheeze|sneeze|cough|faint|queasy|headaches?|migraines?|
    hives|heartburn|nightmares|palpitations|cramps|vertigo|the creeps|to sleep|out in|up in|a (?:rash|headache|migraine|panic
    [ ]attack|stomach)|panic attacks|asthma|travel ?sick|car ?sick|sea ?sick)|
    (?:could|would|can|might|will) (?:kill|hospitalise|blind) me|puts? me (?:in (?:the )?(?:hospital|intensive care|bed)|to sleep|off)\b|(?:is|are) what (?:i|we) \w+|reach(?:es)? me (?:best|fastest|first)|sends? me to (?:hospital|sleep|a&e|the er)|(?:is|are) the (?:one|only) [\w ]{2,30} (?:i|i'm|i've)\b|
    (?:is|are|isn't|aren't) (?:no longer |not )?(?:mine|ours)(?: any ?more)?\b|(?:bores?|scares?|terrif(?:y|ies)|exhausts?|stress(?:es)?|
    bothers?|overwhelms?|confuses?|irritates?|relaxes|calms?|annoys?|distracts?|frightens?|disgusts?) me\b|
    and I (?:don't|do not|never) (?:get along|get on|agree|mix|match|go together|see eye)|
    (?:upsets?|wrecks?|hurts?|triggers?|irritates?|kills?|ruins?|inflames?|worsens?|sets? off) my (?:stomach|skin|asthma|
    migraines?|back|knees?|eyes|joints|eczema|hay fever|wrists?|allerg\w+|reflux|throat|ears|shoulders?|neck|anxiety)\b|
    (?:runs?|run) in (?:my|our) family|(?:calls?|knows?) me (?:as )?(?-i:[A-Z]))
""")

# "It's cashews I'm allergic to", "home is Accra", "there are 14 panels on my roof", "it's Kathryn with a K".
TURNED = joined(rf"""
    ^(?:it's|it is|it was) (?!(?:not|the|what|how|why|when|where|like|so|as|been|great|good|nice|something|someone|all|just|my|one)\b)[\w' -]{{2,40}} (?:that )?I(?:'m| am| have| take| need| use| play| speak| wear)(?: (?:allergic|scared|afraid|interested))?|^(?:it's|it is|that's|that is) [\w' -]{{2,40}} (?:I (?:can't|cannot|don't|never) (?:eat|drink|tolerate|stand|
    take|have)|with (?:an?|one|two|double) (?-i:[A-Za-z])\b)|
    ^i (?:spell|write|pronounce) (?:it|my (?:\w+ )?name) .*|^(?:it's|that's) [\w' -]{{2,30}}, with (?:an?|one|two|double) |^(?:my )?(?:name|surname|first name|street) (?:is|'s) spel|^(?:it's |it is )?(?-i:[A-Z])[\w'-]+,?(?: (?:spelt|spelled|written|pronounced))? with(?:out)? (?:an?|one|two|double) (?:silent )?["']?\w\b|^(?:the )?(?:sur|last |first |family )?name(?:'s| is) (?-i:[A-Z])|
    ^the (?:new|right|correct|full|current|delivery|billing|home) (?:address|number|name|e-?mail(?: address)?|phone(?: number)?|mobile|spelling|date of birth)
    [ ](?:is|'s) (?!wrong|not\b)|^in (?:our|my) (?:house(?:hold)?|family|home|flat),? (?!there|it\b|is\b).*|^(?:that|this|the) (?:\w+ )?(?:number|address|e-?mail|name|account|phone|car|flat|house) (?:isn't|is not|is no longer|was never) (?:mine|ours|my \w+|right|
    current|valid|in use)\b.*|^(?:home|my home) is (?!where|so|the best|a)|^there(?:'s| is| are) (?:no |an? |two |three |\d+ ).*\b(?:on|in|at|near|
    by|outside|behind|under) my (?:{w.HOUSEHOLD}|roof|place|building|block|road|yard|body)\b|
    ^(?:{w.DAYS}|mornings|afternoons|evenings|nights|weekends|weekdays)(?: and \w+)?(?: (?:after|before|until|from|between)
    [ ][\w: ]+)? (?:are|is|work|suit)s? (?:best|better|fine|ok|okay|good|bad|out|no good|impossible|off|ideal|always)\b|
    ^there(?:'s| is| are) (?:an? |two |three |four |five |\d+ )[\w -]+ (?:living|in) (?:our|my) (?:house(?:hold)?|flat|family|
    home)|^(?-i:[A-Z])\w+ is home$|^everyone calls me
""")

# "Been vegan since 2018", "vegetarian here", "black coffee, no sugar, that's me".
SHORT = joined(rf"""
    ^(?:(?:gluten|dairy|sugar|meat|smoke|lactose|alcohol)-free (?:since|for) .*|(?:vegan|vegetarian|sober|single|married|retired|widowed|divorced) (?:since|for) .*|been (?:(?:an?(?! (?:while|few|long|bit|crazy|great))|on|off|in|with|living|working|teaching|married|vegan|vegetarian|sober|retired|self-employed)\b).*
    \b(?:since|for (?:\w+ ){{1,3}}(?:years?|months?|decades?)|all my life)\b.*|(?:severely |badly |also |mildly |very )?
    (?:allergic|intolerant|sensitive) to (?!{w.POINTING})\S.*|
    (?:\w+ )?(?:vegan|vegetarian|coeliac|diabetic|beginner|insomniac|introvert|newbie|retired \w+|(?:morning|night|cat|dog|tea|coffee) (?:person|lover|owl)|(?:nurse|teacher|
    student|developer|engineer|pensioner|parent|mum|dad|wheelchair user|left-?hander|\w+ist|\w+ian)) here\b.*|
    (?:former|ex-?|retired|trainee|freelance|part-time|full-time|single|proud|stay-at-home) ?\w+(?: \w+)? here\b.*|
    (?:based|living|born|raised|working|studying|married) (?:and \w+ )?(?:in|at|as|for|near|to|since|from) (?!{w.POINTING}|
    general|mind)(?!progress|the (?:meantime|moment|end))\S.*|(?!.*\b(?:is|are|my)\b).{{3,60}}\b(?:that's me|for me,? always|every time for me)\b.*|
    (?!.*\b(?:is|are|gets?|needs?|must|have|has|don't|doesn't|goes?)\b.*,).{{3,80}}, (?:always|every (?:time|morning|day|evening|night)|any day|as always|as usual|as ever)(?:[,;].*)?|(?:off|on|without) (?!hold|the way|my way|it\b|to\b|top)[\w ]{{2,30}} since .*|.{{3,60}}, that's my (?:breakfast|lunch|dinner|usual|order|thing|drink|style|way|routine|limit|
    size|favou?rite\w*)\b.*|[\w ]{{3,40}} for me,? please,? (?:whatever|always|every|no matter).*|no \w+(?: \w+)? for me(?:,? (?:ever|thanks|please|
    always|at all|any ?more))+|(?:only|just) [\w ]{{3,40}} for me(?:,? (?:now|always|please|from now on|these days))+|[\w ]{{3,30}} only for me\b.*)$
""")

# "We have two cats", "the dog is called Moss", "the porch light should come on at sunset".
HOME_IS = joined(rf"""
    {w.LEAD}(?:(?:the|our|my) (?!(?:lab|office|staff|shop|clinic|school|company|team|server|studio)\b)(?:\w+ )?{w.HOUSEHOLD}(?: (?:light|lights|door|window|alarm|collection|heating|number|address))?(?: (?:and|in|on|
    at|of) (?:(?:the|our|my) )?\w+)? (?:(?:{w.ADVERB}) )*(?:is|are|has|have|should|must|needs?|gets?|never|always|only|runs?|goes|go|
    stays?|faces?|sleeps?|eats?|takes?|comes?|lives?|hates?|can't|isn't|doesn't|don't|measures?|opens?|closes?) (?!{w.STATE}\b|
    (?:not|asleep|sick|ill|acting|barking|coming|so)\b)\S.*|
    we(?:'ve| have)?(?: got)?(?: (?:{w.ADVERB}|don't|do not))* (?:have|own|keep|got|'ve got)? ?(?:no |any |an? |two |three |
    four |five |six |our |\d+ ){{1,2}}(?:[\w-]+ ){{0,3}}?(?:{w.HOUSEHOLD}|kids?|child|children|sons?|daughters?|twins|bab(?:y|ies)|bikes?|e-bikes?|solar panels?|tv|piano|
    grandchildren|grandkids)\b(?!.*\b(?:policy|office|customers?|company)\b).*|
    (?:the )?(?:parcels?|packages?|post|letters|newspaper|groceries) (?:should|must|always|go|goes|may|can) .*|
    we(?:'re| are) (?:(?:\w+ )?(?:adults|persons) and |\w+ adults|getting married|expecting|trying for|a (?:family|couple|household|family of \w+)|(?:both |all )?(?:vegan|
    vegetarian|retired|married)|renting|renovating|moving (?:house|to|in)|adopting|home-?schooling|new parents)\b.*|
    we (?:(?:don't |do not |always |never |usually |only )?\w+ .*\bat home\b.*$|keep (?:shabbat|sabbath|kosher|halal|hens|chickens|bees|rabbits|the sabbath)|(?:(?:always|usually|never|mostly) )?(?:eat|dine|sleep|go to bed|get up|cook|celebrate|walk the dog)|live|heat|rent|homeschool|home-?school|share custody|separate our|compost|don't fly|go on holiday|sleep|
    celebrate|garden)\b(?! (?:in hope|for)).*)$
""")

# "I'll be on leave from May", "I promised to …", "I look at every pull request within a day".
PROMISE = joined(rf"""
    {w.LEAD}(?:I(?:'ll| will) (?:be (?:on (?:\w+ )?leave|away|abroad|in (?-i:[A-Z])[\w-]+|out of office|off|unavailable|travelling|
    retired)\b.*\b(?:until|till|from|between|through|for|in|on)\b.*|(?:always|never) (?!(?:forget|remember|love|be|cherish|treasure|know|stop|give up|understand|get)\b)\S.*|(?:pay|deliver|send|finish|hand|
    submit|repay|return|publish|ship|file|review|present|sign|renew)\b.*\b(?:by|before|on|every|each) .*(?:{w.MONTHS}|
    {w.DAYS}|\d).*)|I(?:'ve| have)? (?:promised|committed|agreed|pledged|vowed|undertook|undertaken|sworn)(?: (?:myself|my|him|
    her|them|our|the|\w+))* (?:to|that|never|by)\b.*|I owe \w+ .*\b(?:by|until|before)\b.*|I(?:'m| am) (?:due|booked|scheduled|
    signed up|registered|committed)\b (?:to|in|for|on) .*(?:{w.MONTHS}|{w.DAYS}|\d).*)$
""")
