"""English frames in which people tell of themselves, whatever they tell: "I'm …", "I have …", "my …", "… suits me".

The narrow patterns of ``english`` come first, as they also know how to file what they find. A frame trusts the grammar:
"I" with a verb in the simple present tells a habit, unless the verb tells what goes on in a mind or on a screen.
"""

from apps.extraction import english_words as w
from apps.extraction.languages import joined

_BE = rf"I(?:'m| am)(?: not)?(?: {w.ADVERB}){{0,4}}"
NOT_NOW = (
    r"(?!.*\b(?:right now|at the moment|today|tonight|tomorrow|in (?:a|five|ten|two) (?:minutes?|moment|sec\w*)?)\b)"
)
_DATE = joined(rf"""
    (?:\b(?:{w.MONTHS}|until 20\d\d|next (?:year|month|spring|summer|autumn|winter|january|may)|(?:spring|summer|
    autumn) 20\d\d)\b|\b\d{{1,2}}/\d{{1,2}}\b)
""")

# "I'm left-handed", "I'm scared of flying", "I'm new to Rust".
TRAIT = joined(rf"""
    {w.LEAD}{_BE} (?:very |so |a bit |quite )?(?:(?:partially |visually |short-?|long-?|near-?|far-?|right-|left-|
    right |left |semi-|mostly |legally |profoundly |half )*(?:sighted|impaired|handed|footed|deaf|blind|retired|
    ambidextrous|disabled|paralysed|bilingual|trilingual|multilingual|fluent|single|married|divorced|widowed|
    engaged|separated|self-employed|unemployed|freelance|freelancing|teetotal|sober|nocturnal|claustrophobic|
    squeamish|neurodivergent|colou?r-?blind|anaemic|hypertensive|gluten-free|dairy-free|car-free|childless|
    child-free|remote|part-time|full-time|immune|underage|right-brained|short-tempered|tone-deaf|double-jointed|
    post-op|dyspraxic|hypermobile|bipolar|narcoleptic|arthritic|anosmic|diabetic|asthmatic|epileptic|anaphylactic|
    haemophiliac|hyposensitive|hypersensitive|jewish|muslim|catholic|christian|hindu|buddhist|sikh|atheist|gay|
    lesbian|bisexual|trans|non-binary)\b|(?:scared|afraid|terrified|frightened|wary|fond|proud owner|
    tired of) (?:of|to)? ?(?!{w.POINTING})\w|(?:allergic|intolerant|sensitive|prone|partial|new|addicted|averse|
    accustomed|immune|married|engaged|used|subject|resistant|susceptible) to (?!{w.POINTING})\w|
    (?:good|bad|hopeless) (?:on the phone|in (?:crowds|groups|company)|under pressure)|
    (?:good|bad|terrible|hopeless|useless|rubbish|no good|better|best|slow|quick) (?:at|with) (?!{w.POINTING})\w|
    (?:keen on|crazy about|mad about|passionate about|picky about|fussy about|strict about|big on|
    into) (?!{w.POINTING})\w|(?:responsible|accountable) for|in charge of|
    registered (?:blind|disabled|deaf|partially sighted)|(?:based|born|raised|registered|enrolled|insured|certified|
    qualified|licensed|accredited|trained|subscribed|employed|stationed|domiciled) (?:in|on|at|with|as|to|by|for|
    near|outside)\b|(?:allowed|supposed|permitted|able|entitled|obliged|required) (?:to )?(?:only |no )?(?:eat|
    drink|drive|fly|lift|sign|approve|work|run|swim|have|leave|travel|use|share|see|hear|stand|walk|sit|claim|bend|
    climb)\b)
""")

# "I'm a night owl", "I'm the tech lead", "I'm Teo", "I'm 71".
BEING = joined(rf"""
    {w.LEAD}I(?:'d| would) (?:describe|call) myself (?:as )?an? \w+.*|
    {w.LEAD}{_BE} (?:(?:more of an?|not much of an?|the only \w+ (?:in|of|at|here|who)|
    (?:an?|one of the|the|your) (?!(?:{w.ADVERB} ){{0,4}}(?:little|bit|lot|few|tad|touch|mess|fool|idiot|loser|
    failure|bad liar|millionaire|genius|customer|user|one\b|only|last|next|first|second|happy|sad|lucky|angry|
    member here|stranger to|big boy|grown|better|best|worst|total|kind of|sort of|
    (?:huge|big|great|massive) (?:fan of[ ](?:your|this|that|the idea)|believer)|
    (?:\w+ )?(?:fan|admirer|lover) of (?:your|this|that|it)))(?!(?:\w+ ){{0,2}}one\b)(?:[\w'/&.-]+))|
    (?-i:[A-Z]\. [A-Z]\w+|[A-Z][a-zà-ÿ'-]+(?: (?:de |da |van |von |Le )?[A-Z][a-zà-ÿ'-]+)*)(?:$|,|
    [ ](?:from|and|with|by|for short)\b)|(?:nearly |almost |over |under |about |only |still )?(?:[1-9]\d+|
    (?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?|
    (?:thir|four|fif|six|seven|eigh|nine)teen)(?: years? old| now|,|$|[ ]and\b)|
    (?:in my (?:\w+|\w+ year|early \w+|late \w+|mid \w+)(?: of (?:an?|my|the) |$| at\b)|
    in (?:my|the) (?:first|second|third|fourth|fifth|final|last) (?:year|term|semester|trimester|month)|
    in (?:year|grade|class) \w+|in (?:sales|marketing|accounting|accounts|finance|logistics|hr|procurement|it|
    operations|support|recovery|remission|training|school|college|uni\w*|secondary school|high school|therapy|
    a wheelchair|an? (?:\w+ )?(?:band|choir|club|relationship|union|league|squad|orchestra|book club)))|
    (?:on|under|off|without) (?!(?:step|page|line|hold|level|item|question|ticket|hotspot|mobile|wifi|wi-fi|call|it|
    the[ ](?:phone|line|train|bus|road|way|website|site|page|call)|my (?:way|phone|mobile|lunch)|
    a (?:call|train|bus|break|roll)|the (?:hunt|lookout|fence|same|edge|other|verge|mend)|lunch|fire|track|top|edge|
    board|time|time|deadline|pressure|attack|branch|to|duty)\b)(?:an? (?:old |new )?(?-i:i?[A-Z])\w+|
    (?:an? |the |my |any )?(?:[\w-]+ ){{0,3}}?(?:pension|budget|visa|plan|tariff|tier|team|squad|board|committee|
    council|contract|shifts?|course|medication|meds|pump|waiting list|rota|leave|benefits|probation|parole|payroll|
    electoral roll|social media)|nights|days|earlies|lates|call|statins|insulin|antidepressants|medication|
    methadone|warfarin|metformin|blood thinners|beta blockers|dialysis|parental leave|maternity leave|
    paternity leave|sick leave|benefits|disability|alcohol|sugar|gluten|dairy|meat|caffeine|cigarettes|carbs|
    social media|(?-i:[A-Z])[\w+.-]+|[a-z]+ (?:\d+|plan|tariff|tier|team|squad|shift|contract))\b|
    with (?:the |an? )?(?:(?-i:[A-Z])[\w'&.-]+|\w+ (?:council|bank|department|team|agency|union|ministry|
    university))|at (?:the )?(?-i:[A-Z])[\w'&.-]+(?: (?-i:[A-Z])[\w'&.-]+)*|
    (?:at|with) (?:the|an?) (?:\w+ ){{0,2}}(?:board|council|bank|hospital|university|ministry|agency|department|
    school|institute|museum|police|union|college|brewery|bakery)\b|
    (?:half-?way|midway|part of the way) through (?:my|an?|the) (?:\w+ ){{0,2}}(?:degree|course|apprenticeship|
    training|phd|masters?|traineeship|thesis|novel|book)|(?:the )?(?:head|chair|captain|leader|owner|director|
    manager|secretary|treasurer|president|member|part|editor|founder) of|a member of|between (?:two )?jobs|
    out of work|no (?:good (?:at|with)|morning person|night person|fan of|beginner|longer)\b)
""")

# "I'm learning Greek", "I'm retiring at the end of March".
DOING = joined(rf"""
    {w.LEAD}{NOT_NOW}{_BE} (?:living|working (?:at|for|as|from|in|part|full|nights|two|towards|with)|studying|
    learning|training (?:for|to|as)|teaching|coaching|raising|expecting|saving|putting (?:aside|money)|retiring|
    renting|breastfeeding|doing (?:an?|my) (?:phd|degree|course|apprenticeship|masters?|bachelors?|internship|
    training|traineeship|\w+ degree)|recovering from|trying to (?:quit|lose|cut|eat|give up|learn|save|sleep|
    get (?:pregnant|fit)|conceive|stop|avoid|reduce|drink)|writing an? (?:book|novel|thesis|memoir|dissertation|
    cookbook)|renovating|restoring|building an? (?:\w+[ ])?(?:house|shed|cabin|boat|canoe|kit|robot|treehouse)|
    running an?|caring for|looking after (?:my|two|three)|taking (?:an? (?:\w+ )?(?:course|class|break from)|
    medication|antibiotics|antidepressants|blood|insulin|lessons)|
    seeing an? (?:\w+ )?(?:therapist|physio\w*|specialist|counsellor)|cutting (?:down|out|back)|avoiding|
    getting married|having (?:my|a|an) (?:\w+ )?(?:baby|surgery|operation|wisdom)|moving (?:to|in|out|back)|
    leaving (?:the|my|for)|changing (?:jobs|schools|careers)|switching (?:to|jobs|schools|from|careers)|
    (?:\w+ing) (?!to\b|of\b|about\b).*{_DATE})(?!.*(?:\bon (?:it|this|that)\b|\bnow$))
""")

# What people have for long. "I have a question" is none of it.
_BELONGINGS = joined(rf"""
    (?:kids?|child|children|sons?|daughters?|boys?|girls?|twins?|triplets|bab(?:y|ies)|toddlers?|teenagers?|
    grand(?:child|children|son|daughter)s?|brothers?|sisters?|siblings?|(?:step|foster)\w+|famil(?:y|ies)|wife|
    husband|partner|girlfriend|boyfriend|carer|nanny|cleaner|pets?|dogs?|cats?|pupp(?:y|ies)|kittens?|rabbits?|
    hamsters?|guinea pigs?|parrots?|budgies?|birds?|tortoises?|turtles?|snakes?|lizards?|geckos?|fish|hens?|
    chickens?|ducks?|geese|goats?|sheep|pigs?|cows?|horses?|pon(?:y|ies)|donkeys?|bees|beehives?|hives|ferrets?|
    rats?|aquariums?|beagle|labrador|poodle|spaniel|terrier|greyhound|dachshund|collie|retriever|shepherd|
    rescue \w+|house|flat|apartment|studio|cottage|cabin|farm|garden|allotment|balcon(?:y|ies)|terrace|patio|garage|
    cellar|attic|shed|greenhouse|pool|pond|sauna|workshop|garden plot|orchard|vineyard|bakery|shop|store|business|
    company|firm|practice|studio|boiler|fireplace|stove|wood burner|heat pump|solar panels?|oven|air ?fryer|
    dishwasher|freezer|washing machine|dryer|microwave|induction hob|gas hob|espresso machine|sewing machine|
    3d printer|cars?|vans?|camper ?vans?|caravans?|lorr(?:y|ies)|trucks?|tractors?|motorbikes?|motorcycles?|
    scooters?|bikes?|bicycles?|e-?bikes?|cargo bikes?|boats?|canoes?|kayaks?|yachts?|narrowboats?|trailers?|
    roof box|tow ?bar|wheelchair|walker|crutches|cane|stick|prosthe\w+|hearing aids?|glasses|contact lenses|
    bifocals|braces|dentures|crowns?|implants?|fillings?|pacemaker|stent|stoma|catheter|insulin pump|inhaler|epipen|
    cpap|orthotics|insoles|phone|smartphone|tablet|laptop|macbook\w*|desktop|printer|scanner|camera|console|
    smart ?watch|e-?reader|kindle|projector|record player|amplifier|piano|guitars?|violin|cello|drum kit|drums|
    trumpet|flute|synth\w*|telescope|lathe|kiln|loom|microscope|drone|allerg(?:y|ies)|intolerances?|asthma|diabetes|
    epilepsy|migraines?|arthritis|eczema|psoriasis|adhd|autism|dyslexia|dyscalculia|aphasia|tinnitus|vertigo|
    insomnia|anxiety|depression|ptsd|ibs|ms|copd|cancer|endometriosis|osteoporosis|scoliosis|sciatica|glaucoma|
    cataracts|hypertension|reflux|gout|anaemia|haemophilia|phobia|fear of|stammer|stutter|lisp|limp|tremor|
    condition|disability|disorder|disease|syndrome|deficiency|scar|(?:slipped |herniated )?discs?|hernia|
    metal plate|(?:bad|weak|stiff|artificial|fused|dodgy|sensitive|dry|oily|curly|long|short|grey|red|blond\w*|
    narrow|wide|big|small|flat|high|low|strong|thin|fine|good|poor|sharp|no|perfect|sweet) (?:\w+ )?(?:legs?|arms?|
    fingers?|eyesight|eyes|hearing|skin|hair|feet|foot|hands?|back|knees?|hips?|shoulders?|heart|stomach|teeth|nose|
    blood pressure|pitch|tooth|memory|sense of \w+|tolerance|arches|wrists?|neck|lungs|gums)|
    sense of (?:smell|taste|direction|humour|balance)|degree|diploma|phd|doctorate|masters?|bachelors?|a-levels|
    apprenticeship|certificate|qualification|licen[cs]e|driving licen[cs]e|permit|visa|green card|citizenship|
    nationality|passports?|residence permit|blue badge|power of attorney|security clearance|season ticket|railcard|
    bahncard|annual pass|year pass|monthly pass|travel pass|bus pass|library card|membership|subscription|
    loyalty card|gold card|mortgage|loan|pension|contract|policy|insurance|lease|account with|savings account|
    tattoos?|piercings?|beard|accent|jobs?|part-time job|second job|side business|blog|podcast|channel|band|team of|
    shift|night shifts|day off|lunch break at|deadline|budget|curfew|collection|vintage \w+|stammtisch|hobby|
    hobbies|sweet tooth|green thumb|photographic memory|routine|rule|habit|tradition|preference|middle name|
    nickname|\w+ (?:named|called) (?-i:[A-Z]\w+)|smart ?home|wi-?fi|fibre|internet|landline|tv|television|
    smartphone|credit card|car|driver'?s licen[cs]e|social media|facebook|whatsapp|instagram|
    (?:trouble|difficult(?:y|ies)|problems?) (?:hearing|seeing|sleeping|walking|breathing|reading|swallowing|
    concentrating|standing|climbing|remembering|with (?:my (?:\w+ )?(?:back|knees?|eyes|hearing|hips?|heart|feet|
    hands|skin|stomach)|stairs|steps|numbers|names|crowds|noise))|kidneys?|lungs?|{w.DAYS} off|lift|stairs|
    parking space|driveway|spare room|guest room|storage|doorbell|letterbox)
""")

# "I've got twin boys", "I have a beagle called Biscuit", "I have no sense of smell".
HAVING = joined(rf"""
    {w.LEAD}{NOT_NOW}(?:(?:I(?:'ve got| have got| have|'ve| haven't got| haven't)(?: {w.ADVERB}){{0,4}}|
    I (?:don't|do not) (?:{w.ADVERB} ){{0,4}}have|I (?:{w.ADVERB} )+have) (?:only )?(?:(?:an?|no|any|my own|our own|
    the|one|two|three|four|five|six|seven|eight|nine|ten|twelve|\d+|both|several|many|some|very|quite|really|
    too) )*(?:(?!(?:and|or|but|in|on|at|of|to|with|my|your|this|that|question|problem|issue|about|for|
    the)\b)[\w'-]+ ){{0,3}}?{_BELONGINGS}\b(?! (?:open|here|today|issue|problem|question|number \d+|ready|delivered|
    waiting|in (?:my|the) (?:hand|arms|lap|bag|basket|cart|car))\b)|
    I(?:'ve| have) had an? \S.*\b(?:since|for (?:\w+ ){{1,2}}years)\b|
    I (?:always|usually|only|never|mostly) have (?!to\b|been\b|had\b|an?\b|the\b|trouble|time|fun|{w.POINTING})\w|
    (?:I (?:don't |do not )?(?:{w.ADVERB} ){{0,4}}own|I hold) (?!{w.POINTING}|my (?:words?|breath)|two identical|
    three identical|up\b|responsibility)\S)
""")

# "I like jazz", "I can't stand coriander", "I much prefer bullet points to long paragraphs".
TASTE = joined(rf"""
    {w.LEAD}{NOT_NOW}I (?:(?:{w.ADVERB}|don't|do not|can't|cannot|couldn't) ){{0,5}}(?:like|love|enjoy|adore|hate|
    loathe|detest|dislike|prefer|favour|avoid|stand|bear|abide|stomach|miss out on|go for|opt for|stick to|swear by|
    steer clearof|root for|object to|support (?-i:[A-Z])[\w'-]*)(?:,? [\w ]+,)? (?!{w.POINTING}|
    the (?:idea|look|sound|thought|way|new|fact|feel|colou?rs?|design|pic\w*|photo)\b|
    (?:hearing|seeing|waiting|watching you|to (?:know|see|thank|hear|add|say|think|point|ask|order|return|cancel|
    book|be able|exchange|help|believe))\b|a refund|my (?:new )?(?:order|tent|parcel|purchase)|some\b|everything|
    all (?:of )?(?:this|that|it|the)|being able|knowing)\S.*$
""")

# "I can't eat nuts", "I can read music", "I need step-free access", "I have to be home by five".
ABLE = joined(rf"""
    {w.LEAD}{NOT_NOW}(?:I (?:{w.ADVERB} ){{0,4}}(?:can|can't|cannot|can not|could never|must not|mustn't|may not|
    won't(?= (?:use|install|download|pay|sign|share|give|accept|fly|eat|buy|wear)\b)|will not|refuse to|
    never) (?:{w.ADVERB} ){{0,4}}(?:eat|drink|drive|swim|sleep|speak|walk|climb|lift|tolerate|digest|fly|ride|cook|
    sing|dance|bend|kneel|wear|smoke|(?:do|make|manage) (?:{w.DAYS}|mornings|evenings|nights|stairs|weekends|
    lunches|calls|video|heights)|work (?:{w.DAYS}|nights|late|on|more|past|before|after|evenings|weekends)|
    have (?:dairy|gluten|nuts|milk|eggs|alcohol|caffeine|sugar|wheat|shellfish|pets)|hear (?:well|high|on|out|much)|
    see (?:well|much|colou?rs?|red|at night|small)|smell|read (?:music|braille|small|maps|cyrillic|sheet|arabic|
    the small)|play (?:the|chess|piano|guitar)|take (?:penicillin|aspirin|ibuprofen|stairs|the stairs|calls|tablets|
    pills|cash|\w+cillin)|sit (?:for|still|on)|stand (?:for|up[ ]for)|
    use (?:stairs|the stairs|cash|touch|my (?:left|right)|a (?:mouse|keyboard))|type (?:with|only)|
    sign (?:in with|up with|contracts|anything)|(?:take|handle|stand|bear|do|tolerate|manage) (?:any |much |
    too much )?(?:heat|cold|noise|spic\w+|chilli|stress|sun|salt|sugar|caffeine|heights|crowds|smoke)|
    use (?:an? |the |your )?(?:app|chatbot|portal|machine)|touch[- ]type|lip-?read|juggle|code|program|sew|knit|
    afford more|accept[ ](?:cookies|cash)|travel (?:by|on|without|far)|attend|commit to|buy (?:from|leather)|
    meet (?:before|after|on)|be[ ](?:reached|called|disturbed|in (?:the )?office)) ?(?!(?:it|this|that|these|them|
    you|your)\b)|I can only|I only (?:want|need) (?!to\b|it\b|this|one\b|an?\b|the\b)|I(?:'m| am) only able to|
    I (?:{w.ADVERB} ){{0,4}}(?:have to|must|need to) (?:be|leave|pick up|take|avoid|eat|keep|wear|lie|rest|use|
    collect|finish|start) (?!(?:it|this|that|able|sure|careful|back|honest|
    a (?:look|break|minute|moment|picture))\b).*(?:{w.STANDING}|\bby \d+|\bat \d+|\bbecause\b)|
    I (?:{w.ADVERB} ){{0,4}}need (?!to\b|help\b|it\b|this\b|that\b|you\b|your\b|some\b|one\b).*(?:{w.STANDING}|
    \b(?:wheelchair|step-free|stair|ramp|lift|ground floor|large(?:r)? print|big(?:ger)? (?:letters|font|type|text)|
    subtitles|captions|interpreter|quiet|legroom|aisle|vegan|vegetarian|halal|kosher|gluten|lactose|nut-free|
    glasses|extra time|dark mode|contrast|screen reader|sleep|to (?:read|see|walk|sleep|hear|function|
    concentrate))\b)|I(?:'d like|'d prefer| want| would like| would prefer| expect) (?!to (?:order|book|buy|return|
    cancel|change|know)\b).*(?:every time|always|from now on|each time|whenever|in (?:the )?future|never|
    going forward|in general|by default))|^(?:when(?:ever)?|every time|each time|
    any time) [^,]{{3,40}}, I(?:'d like| want| need| would like| expect| prefer) \S.*
""")

# "I cycle to work", "I don't own a car", "I never click links in mails".
_ACT = r"(?:[a-z]{2,}(?<!ed)(?<!ing)(?<!ly)|feed|breed|weed|fly|rely|apply|bring|sing|ring)(?:-[a-z]+)?"
HABIT = joined(rf"""
    {w.LEAD}{NOT_NOW}(?:I (?:(?:{w.ADVERB}|don't|do not|refuse to|try to) ){{0,5}}(?!(?:{w.NOT_HABIT}|{w.ADVERB}|
    {w.MOMENTARY})\b)|(?=.*{w.STANDING})I (?:(?:{w.ADVERB}|don't|do not|refuse to|
    try to) ){{0,5}}(?!(?:{w.NOT_HABIT}|{w.ADVERB})\b)){_ACT}(?: (?!{w.POINTING})(?!(?<=keep )\w+ing\b)[\w'"].*|
    (?<=smoke|snore)$|(?<=drive|dance|paint|teach|cycle)$|(?<=knit|sing|swim|farm)$|(?<=stutter|stammer|commute)$|
    (?<=freelance|volunteer)$)|{w.LEAD}I (?:(?:{w.ADVERB}|don't|do not) ){{0,5}}(?:go to (?:bed|sleep|church|mosque|
    synagogue|school|uni\w*|therapy|the gym|college)|get up|wake up|
    run (?:an?|the|my own|our|two|three) (?!risk|numbers?|tests|latest|same|app|dishwasher|washing|show|test|query|
    command|script|build|check|scan|update|report|job|program|marathon|virus)\w+|
    (?:think|work|sleep|write|focus|concentrate|(?:remember|learn|understand|follow) \w+|remember|hear|see|
    read) (?:far |much )?(?:best|better|worse|poorly|badly)|(?:make|bake|brew|grow|cook|sew|knit|roast|mill|dye|
    press|cure) my own|learn (?:far |much )?(?:best|better|by|from|more)|
    go (?:by|running|swimming|climbing|hiking|skiing|dancing|sailing|without|on foot))\b(?!.*\b(?:now|soon|then)$).*
""")
